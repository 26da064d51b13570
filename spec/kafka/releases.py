"""Kafka's releases in order, and how the releases that behave alike in one protocol family become its versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neverlost.model.core import Profile

ZOOKEEPER, KRAFT = "ZooKeeper", "KRaft"
MODES = (ZOOKEEPER, KRAFT)
EITHER = "either"
"""Of a family whose rules are the same with ZooKeeper and in KRaft mode: the one mode of its time line."""

RELEASES = (
    "0.8.0", "0.8.1", "0.8.1.1", "0.8.2.0", "0.8.2.1", "0.8.2.2", "0.9.0.0", "0.9.0.1", "0.10.0.0", "0.10.0.1", "0.10.1.0",
    "0.10.1.1", "0.10.2.0", "0.10.2.1", "0.10.2.2", "0.11.0.0", "0.11.0.1", "0.11.0.2", "0.11.0.3", "1.0.0", "1.0.1", "1.0.2",
    "1.1.0", "1.1.1", "2.0.0", "2.0.1", "2.1.0", "2.1.1", "2.2.0", "2.2.1", "2.2.2", "2.3.0", "2.3.1", "2.4.0", "2.4.1", "2.5.0",
    "2.5.1", "2.6.0", "2.6.1", "2.6.2", "2.6.3", "2.7.0", "2.7.1", "2.7.2", "2.8.0", "2.8.1", "2.8.2", "3.0.0", "3.0.1", "3.0.2",
    "3.1.0", "3.1.1", "3.1.2", "3.2.0", "3.2.1", "3.2.2", "3.2.3", "3.3.0", "3.3.1", "3.3.2", "3.4.0", "3.4.1", "3.5.0", "3.5.1",
    "3.5.2", "3.6.0", "3.6.1", "3.6.2", "3.7.0", "3.7.1", "3.7.2", "3.8.0", "3.8.1", "3.9.0", "3.9.1", "3.9.2", "4.0.0", "4.0.1",
    "4.0.2", "4.1.0", "4.1.1", "4.1.2", "4.2.0", "4.2.1", "4.2.2", "4.3.0", "4.3.1", "4.4.0",
)  # fmt: skip
"""Every release of Apache Kafka that the model speaks for, oldest first."""

FIRST_WITH_KRAFT, LAST_WITH_ZOOKEEPER = "3.1.0", "3.9.2"
"""KRaft is a preview to 3.2, and the model has it from 3.1 on; 4.0 has no ZooKeeper any more."""


@dataclass(frozen=True, kw_only=True)
class InReleases:
    """What is so from the release `since` to the release `until` (to the newest, if that is None), in these modes."""

    since: str
    until: str | None = None
    modes: tuple[str, ...] = MODES

    def holds_for(self, release: str, mode: str) -> bool:
        """Is it so for brokers of this release in this mode?"""
        last = RELEASES[-1] if self.until is None else self.until
        return mode in (*self.modes, EITHER) and RELEASES.index(self.since) <= RELEASES.index(
            release
        ) <= RELEASES.index(last)


@dataclass(frozen=True, kw_only=True)
class ReleaseDifference(InReleases):
    """How brokers of some releases behave.

    `settings` are what the model switches. `source` is where the rule stands: a KIP, a JIRA ticket, or code at a tag; `known` is
    how it is known that releases do so: their code was read, or they were run. `feature` is the level that has it on, if one does:
    new clusters have it, and one that was upgraded keeps its level until kafka-features.sh raises it (KIP-584).
    """

    rule: str
    settings: Mapping[str, int]
    source: str
    known: str
    feature: str = ""


def span_of(first: str, last: str) -> Sequence[str]:
    """The releases from the first to the last."""
    return RELEASES[RELEASES.index(first) : RELEASES.index(last) + 1]


def has_mode(release: str, mode: str) -> bool:
    """Can the release be run so?"""
    place = RELEASES.index(release)
    if mode == EITHER:
        return True
    if mode == KRAFT:
        return place >= RELEASES.index(FIRST_WITH_KRAFT)
    return place <= RELEASES.index(LAST_WITH_ZOOKEEPER)


@dataclass(frozen=True, kw_only=True)
class ReleaseSpan:
    """Releases that behave alike, from the first to the last of them, in one mode."""

    first: str
    last: str
    mode: str = ZOOKEEPER

    def __contains__(self, release: object) -> bool:
        return release in span_of(self.first, self.last)


FIRST_KRAFT_FOR_USE = "3.3.0"
"""From here on KRaft is no preview (KIP-833): a release that is named without a mode is meant so."""
SUFFIXES = {"-zk": ZOOKEEPER, "-kraft": KRAFT}


@dataclass(frozen=True)
class NamedVersion:
    """What the releases from `since` on are called as long as they behave alike."""

    name: str
    since: str
    mode: str
    statement: str


@dataclass(frozen=True, kw_only=True)
class TimeLine:
    """What distinguishes releases in one family: its differences, the later ones before the earlier ones.

    Releases before `since` do not have what the family is about. `always` is what the first release does where no switch off is meant,
    and all do until a difference says otherwise. `named` has a name for every release that behaves otherwise than the one before it
    in its mode, and for no other. `modes` are those that have what the family is about.
    """

    differences: tuple[ReleaseDifference, ...]
    always: Mapping[str, int] = field(default_factory=dict)
    named: tuple[NamedVersion, ...]
    since: str = RELEASES[0]
    modes: tuple[str, ...] = MODES

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases that have what the family is about."""
        return RELEASES[RELEASES.index(self.since) :]

    def settings_of(self, release: str, mode: str) -> dict[str, int]:
        """What the family's model switches for brokers of a release in a mode."""
        if (release, mode) not in self._known:
            settings = dict(self.always)
            for difference in self.differences:
                if difference.holds_for(release, mode):
                    settings.update(difference.settings)
            self._known[release, mode] = settings
        return dict(self._known[release, mode])

    @cached_property
    def _known(self) -> dict[tuple[str, str], dict[str, int]]:
        """The settings that were asked for: an audit asks for each of its changes."""
        return {}

    @cached_property
    def spans(self) -> Mapping[str, ReleaseSpan]:
        """Which releases each version stands for. Raises ValueError where a difference begins and has no name, or the reverse."""
        found: dict[str, ReleaseSpan] = {}
        names = {(version.since, version.mode): version.name for version in self.named}
        for mode in self.modes:
            of_mode = (release for release in self.releases if has_mode(release, mode))
            for _, alike in groupby(of_mode, lambda release: self.settings_of(release, mode)):  # noqa: B023
                first, *_ = others = list(alike)
                if (first, mode) not in names:
                    raise ValueError(
                        f"{first} with {mode} behaves otherwise than the release before it, and has no name"
                    )
                found[names[first, mode]] = ReleaseSpan(first=first, last=others[-1], mode=mode)
        for version in self.named:
            if version.name not in found:
                raise ValueError(f"{version.name}: {version.since} behaves as the release before it")
        return found

    def version_name(self, release: str, mode: str) -> str:
        """The name of the version that stands for a release in a mode. Raises LookupError if there is none."""
        found = self.version_at(release, mode)
        if found is None:
            raise LookupError(f"no version stands for {release} with {mode}")
        return found

    def version_of(self, versions: Iterable[Profile], release: str, mode: str) -> Profile:
        """The one of these versions that stands for a release in a mode. Raises LookupError if there is none."""
        name = self.version_name(release, mode)
        return next(version for version in versions if version.name == name)

    def version_at(self, release: str, mode: str) -> str | None:
        """The same; None if there is none."""
        return next((name for name, span in self.spans.items() if span.mode == mode and release in span), None)

    def version_meant(self, name: str) -> str | None:
        """The version that the name of a release means: `3.8` is `kafka-3.7`, `3.8-zk` is `kafka-3.7-zk`.

        None for a name of no release, and where the releases of a line behave differently.
        """
        mode = next((mode for suffix, mode in SUFFIXES.items() if name.endswith(suffix)), None)
        text = name.removesuffix("-zk").removesuffix("-kraft")
        releases = [release for release in self.releases if release == text or release.startswith(f"{text}.")]
        found = set()
        for release in releases:
            usual = KRAFT if RELEASES.index(release) >= RELEASES.index(FIRST_KRAFT_FOR_USE) else ZOOKEEPER
            if not has_mode(release, mode or usual):
                return None
            meant = EITHER if self.modes == (EITHER,) else mode or usual
            if meant not in self.modes:
                return None
            found.add(self.version_name(release, meant))
        return found.pop() if len(found) == 1 else None
