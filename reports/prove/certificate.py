"""What `neverlost prove --certify` shows, as text and as JSON: what was checked again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from neverlost.explorer.words import counted
from neverlost.model.core.profile import show_bounds

from ..layout import wrapped
from ..quantities import show_seconds

if TYPE_CHECKING:
    from neverlost.explorer.symbolic.certificate import Certificate


def certificate_text(certificate: Certificate) -> str:
    """What was checked again, for people."""
    return "\n".join(_lines(certificate))


def _lines(certificate: Certificate) -> Iterator[str]:
    agreement = certificate.agreement
    bounds = show_bounds(certificate.larger.bounds)
    which = "all" if certificate.complete else "the first"
    kind = "states, one of each that differ by renaming" if certificate.symmetric else "states"
    rows = {
        "reached": f"{counted(len(certificate.lemmas), 'lemma')} and the property, true in {which} {certificate.states:,} {kind}"
        f" ({bounds})",
        "random": f"{agreement.states:,} states, one step each by the terms of the proof and by the interpreter: the same state or"
        f" refusal each time ({agreement.taken:,} steps could happen, {agreement.flawed:,} would have left a domain)",
        "lemmas": f"{agreement.lemmas:,} instances in random states and {agreement.later:,} after a step, both ways: the same truth",
        "time": show_seconds(certificate.seconds),
    }
    yield "Checked again"
    for name, value in rows.items():
        yield wrapped(f"  {name:14}{value}", " " * 16)


def certificate_values(certificate: Certificate) -> Mapping[str, Any]:
    """The certificate as plain values, ready for JSON."""
    agreement = certificate.agreement
    return {
        "bounds": dict(certificate.larger.bounds),
        "states": certificate.states,
        "complete": certificate.complete,
        "symmetric_domains": list(certificate.symmetric),
        "lemmas": [lemma.name for lemma in certificate.lemmas],
        "random_states": agreement.states,
        "steps_taken": agreement.taken,
        "steps_flawed": agreement.flawed,
        "lemma_instances": agreement.lemmas,
        "lemma_instances_after_a_step": agreement.later,
        "disagreements": 0,
        "seconds": certificate.seconds,
    }
