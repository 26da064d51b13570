"""The profiles that claims are asked of: every version as it is, and with the claims' own properties instead of the usual ones."""

from __future__ import annotations

from dataclasses import replace

from neverlost.model.core import Profile
from neverlost.spec.claims import Assumption

from .. import properties
from ..claim_properties import CLAIM_PROPERTIES
from ..versions import KAFKA_0_8, REPLICATING

SHARED = (
    properties.acknowledged,
    properties.exposed,
    properties.elected_after_acknowledgement,
    properties.not_enough_replicas_after_append,
    properties.epochs_suffice,
)


def with_claims(version: Profile) -> Profile:
    """A version whose properties are what the claims say of it."""
    return replace(
        version,
        name=f"claims/{version.name}",
        statement=f"What the claims of the ledger say, asked of {version.name}.",
        properties=(),
        probes=(*CLAIM_PROPERTIES, *SHARED),
        on_request=(),
    )


CLAIM_VERSIONS = tuple(with_claims(version) for version in REPLICATING)
BY_NAME = {profile.name: profile for profile in (*REPLICATING, *CLAIM_VERSIONS)}


def names(first: str = KAFKA_0_8.name, last: str = REPLICATING[-1].name) -> tuple[str, ...]:
    """The names of the versions from one to another, with and without the claims' properties."""
    known = [version.name for version in REPLICATING]
    chosen = known[known.index(first) : known.index(last) + 1]
    return (*chosen, *(f"claims/{name}" for name in chosen))


def version(name: str) -> Profile:
    """The version as it is."""
    return BY_NAME[name]


def claimed(name: str) -> Profile:
    """The version with the claims' properties."""
    return BY_NAME[f"claims/{name}"]


def since(name: str) -> Assumption:
    """The claim is about this version and later ones only."""
    return Assumption(words=f"{name} or later", only=names(first=name))


def but(words: str, *left_out: str) -> Assumption:
    """The claim is about all versions but these."""
    return Assumption(words=words, only=tuple(n for n in names() if n.removeprefix("claims/") not in left_out))


NEEDS_MIN_ISR = Assumption(words="min.insync.replicas at least 2", chosen={"min_isr": 2})
CLEAN = Assumption(words="unclean election off", chosen={"unclean": 0})
ALL_ACKS = Assumption(words="acks=all", chosen={"acks": 2})
FLUSHED = Assumption(words="every record is flushed before it counts", chosen={"flush": 1})
IDEMPOTENT = Assumption(words="the producer is idempotent", chosen={"idempotence": 1})
ONE_AT_A_TIME = Assumption(words="one request in flight", chosen={"pipelined": 0})
