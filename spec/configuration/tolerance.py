"""Which faults a configuration must tolerate, as people write them: `1 crash, 1 power loss, 2 leader moves`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from neverlost.model.arguments import argument
from neverlost.spec.families import inquiries, known_faults
from neverlost.spec.faults import Faults

from .notices import ConfigurationError, Notice

MOST = 3
"""More of one fault than this would make the model too large to explore."""

ZONE_LOSS, NODE_LOSS = "az-loss", "node-loss"
REASSIGNMENT = "planned-reassignment"

EXAMPLE = "2 quorum crashes"
"""A fault of a family beside replication, as `--tolerate` takes it."""


def parse_tolerance(text: str) -> dict[str, int]:
    """How many of each fault: `{"crashes": 1, "power_losses": 1}`. Raises ConfigurationError with the names of the faults."""
    budgets: dict[str, int] = {}
    problems: list[str] = []
    for part in text.split(","):
        matched = re.fullmatch(r"([0-9]{1,9}) +(.+)", " ".join(part.split()))
        name = fault_named(matched[2]) if matched else None
        if matched is None or name is None:
            problems.append(f"{part.strip()!r} is not a number and a fault.")
        elif name in budgets:
            problems.append(f"{part.strip()!r}: {name.replace('_', ' ')} were given before.")
        elif int(matched[1]) > MOST:
            problems.append(f"{part.strip()!r} is more than the model can explore: at most {MOST} of each.")
        else:
            budgets[name] = int(matched[1])
    if problems:
        known = ", ".join(fault.plural for fault in known_faults().values())
        others = "; ".join(
            f"of {family}, with that word before them: {', '.join(fault.plural for fault in inquiry.faults)}"
            for family, inquiry in inquiries().items()
        )
        advice = f"Faults: {known}; {others}. Write, for example, '1 crash, 2 leader moves' or '{EXAMPLE}'."
        raise ConfigurationError([Notice(what=" ".join(problems), advice=advice, key=argument("tolerate"))])
    return budgets


def as_placed(name: str, faults: Faults, replicas: Mapping[str, int]) -> Faults:
    """The faults of an event that takes so many replicas of a partition, by its name: one fault of each, at most three."""
    return Faults.of({fault: min(count * replicas.get(name, 1), MOST) for fault, count in faults.counts})


def fault_named(words: str) -> str | None:
    """The setting that a fault's name means, in singular or plural, with blanks, dashes or underscores."""
    plain = re.sub("[-_ ]+", " ", words.lower())
    for fault in known_faults().values():
        if plain in (fault.singular, fault.plural):
            return fault.name
    return None


@dataclass(frozen=True, kw_only=True)
class Tolerances:
    """What is to be survived together, for each family: `of_topics` as it was written, `of_families` by the names of their budgets."""

    of_topics: str | None = None
    of_families: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def parse_tolerances(text: str | None) -> Tolerances:
    """Divide faults by families. A fault belongs to a family: `1 quorum disk loss` is a controller's, `1 disk loss` a broker's.

    Without the name of a family a fault is replication's, or else that of the only family that has it. Raises ConfigurationError for
    one that several have.
    """
    left: list[str] = []
    found: dict[str, dict[str, int]] = {}
    problems: list[str] = []
    for part in text.split(",") if text is not None else ():
        matched = re.fullmatch(r"([0-9]{1,9}) +(.+)", " ".join(part.split()))
        owners = [] if matched is None else _owners(matched[2])
        if matched is None or not owners:
            left.append(part)
        elif len(owners) > 1:
            those = " or ".join(f"{matched[1]} {family} {matched[2]}" for family, _ in owners)
            problems.append(f"{part.strip()!r} may be a fault of several families: write {those}.")
        elif int(matched[1]) > (most := _most(*owners[0])):
            problems.append(f"{part.strip()!r} is more than the model can explore: at most {most} of them.")
        elif owners[0][1] in found.get(owners[0][0], {}):
            problems.append(f"{part.strip()!r}: it was given before.")
        else:
            ((family, name),) = owners
            found.setdefault(family, {})[name] = int(matched[1])
    if problems:
        raise ConfigurationError([Notice(what=" ".join(problems), key=argument("tolerate"))])
    return Tolerances(of_topics=",".join(left) if left else None, of_families=found)


def _most(family: str, name: str) -> int:
    """How many of a fault the model of a family can have."""
    return next(max(fault.choices().values()) for fault in inquiries()[family].faults if fault.name == name)


def _owners(words: str) -> list[tuple[str, str]]:
    """The families beside replication that a fault may be of, with its name; nothing if it is replication's, or nobody's."""
    plain = _plain(words)
    named = next((family for family in inquiries() if plain.startswith(f"{family} ")), None)
    if named is None and fault_named(words) is not None:
        return []
    rest = plain if named is None else plain.removeprefix(f"{named} ")
    return [
        (family, fault.name)
        for family, inquiry in inquiries().items()
        if named in (None, family)
        for fault in inquiry.faults
        if rest in map(_plain, (fault.singular, fault.plural, fault.name))
    ]


def _plain(words: str) -> str:
    """Words with blanks alone between them."""
    return re.sub("[-_ ]+", " ", words.lower())
