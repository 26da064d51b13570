"""Does an event log follow a model? The search for a run that explains it, and the reasons where there is none."""

from .binding import Bound, bind, bounds_told
from .event import Event, Observation, Seen
from .event_log import Entry, EventLog, EventLogError, Header, Malformed, event_line, header_line, read_event_log
from .following import ACCEPTED, REFUSED, UNDECIDED, Following, Limits, Outcome, follow
from .reasons import Reason, Refusal, refusal

__all__ = [
    "ACCEPTED",
    "REFUSED",
    "UNDECIDED",
    "Bound",
    "Entry",
    "Event",
    "EventLog",
    "EventLogError",
    "Following",
    "Header",
    "Limits",
    "Malformed",
    "Observation",
    "Outcome",
    "Reason",
    "Refusal",
    "Seen",
    "bind",
    "bounds_told",
    "event_line",
    "follow",
    "header_line",
    "read_event_log",
    "refusal",
]
