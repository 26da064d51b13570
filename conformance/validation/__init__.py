"""Compares event logs with a model: the search for a run that explains a log, and the reasons if there is none."""

from ..malformed import MalformedLine
from .binding import Bound, bind, bounds_of_log, room_for
from .event import Event, Observation, Seen
from .event_log import LONGEST_LINE, EventLog, EventLogError, Header, LoggedEvent, Notes, read_event_log
from .following import LogSearch, LogSearchLimits, LogVerdict, Outcome
from .reasons import Reason, Refusal, refusal
from .writing import log_header, step_line

__all__ = [
    "LONGEST_LINE",
    "Bound",
    "LoggedEvent",
    "Event",
    "EventLog",
    "EventLogError",
    "LogSearch",
    "Header",
    "LogSearchLimits",
    "LogVerdict",
    "MalformedLine",
    "Notes",
    "Observation",
    "Outcome",
    "Reason",
    "Refusal",
    "Seen",
    "bind",
    "bounds_of_log",
    "log_header",
    "read_event_log",
    "refusal",
    "room_for",
    "step_line",
]
