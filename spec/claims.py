"""The form of the ledger: a claim, the questions that decide it, and the assumptions under which it may hold after all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neverlost.model.core import Profile

HOLDS, VIOLATED = "holds", "violated"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One question to the explorer: a profile, what is chosen beside its defaults, and a property.

    `speaks_for` is the verdict on the property that speaks for the claim: a claim that something can happen is borne out by the
    violation of the property that it never does.
    """

    profile: Profile
    chosen: Mapping[str, int] = field(default_factory=dict)
    property: str
    speaks_for: str = HOLDS


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A question beside the claim, which does not decide it, and the case that answers it."""

    question: str
    case: Case


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """Something that may be added to a claim: other settings or bounds, or fewer of the profiles that its cases are about."""

    words: str
    chosen: Mapping[str, int] = field(default_factory=dict)
    only: tuple[str, ...] = ()

    def added_to(self, case: Case) -> Case | None:
        """The case with the assumption added; None if it speaks of a profile that the assumption leaves out."""
        if self.only and case.profile.name not in self.only:
            return None
        return Case(
            profile=case.profile,
            chosen={**case.chosen, **self.chosen},
            property=case.property,
            speaks_for=case.speaks_for,
        )

    def is_implied_by(self, other: Assumption) -> bool:
        """Does whoever assumes the other one assume this one too? So it is of versions of which the other keeps fewer."""
        kept, kept_by_other = set(self.only), set(other.only)
        return self == other or (self.chosen == other.chosen and set() < kept_by_other <= kept)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence of an article or of the project, with what decides it.

    `witness` names a `sometimes` property that must be witnessed wherever a case holds, so that nothing holds because nothing
    happened. The search for a condition tries sets of `assumptions`, the smallest first.
    """

    id: str
    sentence: str
    short: str
    articles: tuple[str, ...]
    refuted_by: str
    cases: tuple[Case, ...]
    witness: str | None = None
    remarks: tuple[Remark, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    largest: int = 3
    note: str = ""


def cases(
    profiles: tuple[Profile, ...], property_name: str, speaks_for: str = HOLDS, **chosen: int
) -> tuple[Case, ...]:
    """The same case of each of several profiles."""
    return tuple(Case(profile=p, chosen=chosen, property=property_name, speaks_for=speaks_for) for p in profiles)
