"""What changed from one release of Kafka to another: rules of the protocols, and losses of the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from neverlost.model.core import UnknownNameError

from .bugs import Bug
from .families import FAMILIES, known_bugs
from .kafka.releases import (
    EITHER,
    FIRST_KRAFT_FOR_USE,
    KRAFT,
    RELEASES,
    ZOOKEEPER,
    ReleaseDifference,
    TimeLine,
    has_mode,
)


@dataclass(frozen=True, kw_only=True)
class Between:
    """What only one of two releases has: rules by the name of their family, and losses. `first` and `second` are as they were named."""

    first: str
    second: str
    mode: str
    rules: Mapping[str, tuple[tuple[str, ReleaseDifference], ...]]
    losses: Mapping[str, tuple[Bug, ...]]


def release_meant(name: str) -> str:
    """A release by its number, or the newest of a line: `3.9` is 3.9.2. Raises UnknownNameError."""
    if name in RELEASES:
        return name
    of_line = [release for release in RELEASES if release.startswith(f"{name}.")]
    if not of_line:
        raise UnknownNameError("release of Kafka", name, RELEASES)
    return of_line[-1]


def between(one: str, other: str, mode: str | None = None) -> Between:
    """What changed between two releases, in the mode that is named, else with KRaft if both are meant to be run so.

    Of a loss that depends on the mode, the ledger says so in words. Raises UnknownNameError for a release or a mode that there is not.
    """
    first, second = release_meant(one), release_meant(other)
    usual = KRAFT if min(map(RELEASES.index, (first, second))) >= RELEASES.index(FIRST_KRAFT_FOR_USE) else ZOOKEEPER
    known = {each.lower(): each for each in (KRAFT, ZOOKEEPER) if has_mode(first, each) and has_mode(second, each)}
    chosen = known.get((mode or usual).lower())
    if chosen is None and (mode is not None or known):
        raise UnknownNameError(f"mode of both {first} and {second}", mode or usual, known)
    pair = (first, second)
    rules = {
        family.name: tuple(_rules(time_line, pair, chosen))
        for family in FAMILIES
        if (time_line := family.time_line()) is not None
    }
    losses = {
        release: tuple(bug for bug in known_bugs() if bug.is_in(release) and not bug.is_in(without))
        for release, without in (pair, pair[::-1])
    }
    return Between(
        first=first,
        second=second,
        mode=chosen or f"{first} with {ZOOKEEPER}, {second} with {KRAFT}",
        rules={name: found for name, found in rules.items() if found},
        losses=losses,
    )


def _rules(time_line: TimeLine, pair: tuple[str, str], mode: str | None) -> Iterator[tuple[str, ReleaseDifference]]:
    """The rules that only one of two releases has, each with the release."""
    modes = [EITHER if time_line.modes == (EITHER,) else mode or _usual(release) for release in pair]
    having = [
        [one for one in time_line.differences if one.holds_for(release, own)]
        if release in time_line.releases and own in time_line.modes
        else []
        for release, own in zip(pair, modes, strict=True)
    ]
    # A fix of two branches is there twice, each with its releases.
    said = [{one.rule for one in of_one} for of_one in having]
    found = [
        (release, one)
        for release, of_one, other in zip(pair, having, reversed(said), strict=True)
        for one in of_one
        if one.rule not in other
    ]
    yield from sorted(found, key=lambda pair: RELEASES.index(pair[1].since))


def _usual(release: str) -> str:
    return KRAFT if RELEASES.index(release) >= RELEASES.index(FIRST_KRAFT_FOR_USE) else ZOOKEEPER
