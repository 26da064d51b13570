"""Event logs of real brokers, held against the model that their headers name."""

from __future__ import annotations

from collections.abc import Iterable

from neverlost.conformance.validation import LogSearch, LogVerdict, bind, read_event_log
from neverlost.spec import profiles

FAULTS = ("crashes", "pauses", "leader_moves")
"""Of each, a log may have any number."""


def verdict(lines: Iterable[str]) -> LogVerdict:
    """Does a run of the model explain the log?"""
    log = read_event_log((line.encode() for line in lines), "recorded")
    profile = profiles()[str(log.header.profile)]
    given = profile.read(log.header.bounds, log.header.settings)
    model = profile.bounded_to_follow(**given, **dict.fromkeys(FAULTS, 2))
    bound = bind(log.entries, model)
    assert not bound.notes.noted
    hidden, steps = log.header.hidden or (), log.header.hidden_steps or 0
    return LogSearch(model, bound.events, hidden=hidden, hidden_steps=steps, endless=FAULTS).run().verdict
