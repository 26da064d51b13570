"""Every protocol family that comes with neverlost: a family is a line here, and folders of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from neverlost.model.core import Budget, Profile, Unbounded

from .family import Family
from .kafka.groups import Groups
from .kafka.purgatory import Purgatory
from .kafka.quorum import ControllersQuorum
from .kafka.replication import Replication
from .kafka.routing import Routing
from .kafka.timing_wheel import TimingWheel
from .kafka.transactions import KafkaTransactions
from .published import Published

if TYPE_CHECKING:
    from .bugs import Bug
    from .claims import Claim
    from .exposure import Exposure
    from .inquiry import Inquiry
    from .matrix import Matrix

FAMILIES: tuple[Family, ...] = (
    Replication(),
    Groups(),
    ControllersQuorum(),
    KafkaTransactions(),
    TimingWheel(),
    Purgatory(),
    Routing(),
    Published(),
)
CLAIMED = "claims/"
"""How the names of profiles begin that are asked what the claims say."""

SEEN = "seen/"
"""How the names of profiles begin whose steps are those that real systems were seen to do. They are not listed."""


def family_of(profile: Profile) -> Family:
    """The family that a profile names; one that gives nothing for a profile of none, such as a user's own."""
    return next((family for family in FAMILIES if family.name == profile.family), Family())


def unbounded_of(profile: Profile) -> Unbounded:
    """The profile for any bounds: with what its family states beside it, else as it is."""
    found = family_of(profile).unbounded().get(profile.name)
    return found if found is not None and found.profile is profile else Unbounded(profile=profile, traced=profile)


@cache
def _named(family: Family) -> Mapping[str, Profile]:
    return {profile.name: profile for profile in family.profiles()}


@cache
def _claimed(family: Family) -> Mapping[str, Profile]:
    return {profile.name: profile for profile in family.claimed()}


@cache
def _most_particular_first() -> tuple[Family, ...]:
    """The families by how much of a name says that it is theirs: `kafka-groups-` before `kafka-`, whose import takes longer."""
    return tuple(sorted(FAMILIES, key=lambda family: -len(family.beginning)))


class _Profiles(Mapping[str, Profile]):
    """Profiles by name. Those of a family are imported when one of its names is asked for."""

    def __getitem__(self, name: str) -> Profile:
        if name.startswith(SEEN):
            version = self[name.removeprefix(SEEN)]
            found = family_of(version).seen(version)
            if found is None:
                raise KeyError(name)
            return found
        known = _claimed if name.startswith(CLAIMED) else _named
        asked = [family for family in _most_particular_first() if name.startswith((family.beginning, CLAIMED))]
        for family in asked:
            if name in known(family):
                return known(family)[name]
        for family in asked:
            time_line = family.time_line()
            meant = None if time_line is None else time_line.version_meant(name.removeprefix(family.beginning))
            if meant is not None:
                return known(family)[meant]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return chain(*map(_named, FAMILIES), *map(_claimed, FAMILIES))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{len(self)} profiles, by name>"


def profiles() -> Mapping[str, Profile]:
    """Every profile that comes with neverlost, by name."""
    return _Profiles()


def with_a_matrix() -> dict[str, tuple[Family, Matrix]]:
    """The families that have a matrix, by name."""
    return {family.name: (family, matrix) for family in FAMILIES if (matrix := family.matrix()) is not None}


@cache
def exposures() -> Mapping[str, Exposure]:
    """What audits ask, by the names of the families."""
    return {family.name: exposure for family in FAMILIES if (exposure := family.exposure()) is not None}


@cache
def inquiries() -> Mapping[str, Inquiry]:
    """What audits ask in sections of their own, by the names of the families."""
    return {family.name: inquiry for family in FAMILIES if (inquiry := family.inquiry()) is not None}


@cache
def known_faults() -> Mapping[str, Budget]:
    """The faults that audits know, by name, in the order in which they are listed."""
    return {fault.name: fault for exposure in exposures().values() for fault in exposure.faults}


def bugs_by_family() -> Mapping[str, tuple[Bug, ...]]:
    """The bugs of the ledger by the names of the families that have some."""
    return {family.name: bugs for family in FAMILIES if (bugs := family.bugs())}


def known_bugs() -> tuple[Bug, ...]:
    """Every bug of the ledger, family by family."""
    return tuple(chain(*bugs_by_family().values()))


def known_claims() -> tuple[Claim, ...]:
    """Every claim of the ledger, in the order of their ids."""
    return tuple(sorted(chain(*(family.claims() for family in FAMILIES)), key=lambda claim: claim.id))
