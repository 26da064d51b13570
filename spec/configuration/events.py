"""What operators expect a cluster to survive, by the names that they use, each as faults of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neverlost.model.arguments import argument
from neverlost.spec.families import exposures

from .notices import ConfigurationError, Notice


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happens to a cluster. `everyday`: nothing fails then, operators do it on purpose."""

    name: str
    about: str
    everyday: bool = False

    @property
    def faults(self) -> Mapping[str, int]:
        """How many of each fault it is in the worst order, as the protocol families say."""
        found: dict[str, int] = {}
        for exposure in exposures().values():
            found |= exposure.events.get(self.name, {})
        return found


EVENTS = (
    Event(
        name="pod-kill",
        about="the process of a broker ends at once; its disk and page cache are whole",
    ),
    Event(
        name="node-loss",
        about="a machine stops; what was not flushed is gone, the rest comes back",
    ),
    Event(name="disk-loss", about="a broker comes back with an empty disk"),
    Event(
        name="az-loss",
        about="a zone loses power, with one replica of a partition in it; where the brokers' files"
        " (`broker.rack`), or what is assumed, name fewer zones than there are replicas, with as many as a zone may have",
    ),
    Event(
        name="slow-broker",
        about="a broker is not heard of for longer than its session, and goes on",
    ),
    Event(
        name="preferred-election",
        about="the leader moves to another live member of the ISR",
        everyday=True,
    ),
    Event(
        name="planned-reassignment",
        about="the leader moves away, and to another replica",
        everyday=True,
    ),
    Event(
        name="rolling-restart",
        about="two brokers end in good order one after the other and come back, with a preferred election between them",
        everyday=True,
    ),
)
"""In the order of reports."""


def parse_survival(text: str) -> dict[str, Mapping[str, int]]:
    """The faults of each event that is named: `rolling-restart, node-loss`. Raises ConfigurationError with the names."""
    events = {event.name: event for event in EVENTS}
    names = ["-".join(part.lower().replace("_", " ").replace("-", " ").split()) for part in text.split(",")]
    problems = [f"{name!r} is no event." for name in names if name not in events]
    problems += [f"{name} is there twice." for name in dict.fromkeys(names) if names.count(name) > 1 and name in events]
    if problems:
        advice = f"Events: {', '.join(events)}. Write, for example, 'rolling-restart,node-loss'; {argument('tolerate')} takes faults."
        raise ConfigurationError([Notice(what=" ".join(problems), advice=advice, key=argument("survive"))])
    return {name: events[name].faults for name in names}
