"""Lemmas that were found, for people."""

from __future__ import annotations

from collections.abc import Iterator

from neverlost.explorer.symbolic.discovery import Discovery
from neverlost.explorer.words import counted

from ..common import model_words
from ..layout import wrapped
from ..quantities import show_seconds


def discovery_text(discovery: Discovery, quiet: bool) -> str:
    """The lemmas as text to paste, what they prove and, unless `quiet`, how many candidates each stage left."""
    return "\n".join(_lines(discovery, quiet))


def _lines(discovery: Discovery, quiet: bool) -> Iterator[str]:
    count = counted(len(discovery.found), "lemma")
    added = f" in addition to the {counted(len(discovery.given), 'lemma')} of the profile" if discovery.given else ""
    yield wrapped(f"  {model_words(discovery.model)}: {count} found{added}{_standing(discovery)}", "  ")
    if discovery.found:
        yield ""
        yield "Lemmas, in Model Python"
        yield from ("  " + line if line else "" for line in discovery.module.rstrip("\n").split("\n"))
    if discovery.proofs:
        yield ""
        yield "Properties, from these lemmas"
        for proof in discovery.proofs:
            yield f"  {proof.claim.name:30}{proof.verdict}"
    if not quiet:
        yield ""
        yield "Candidates"
        for stage in discovery.stages:
            yield f"  {stage.left:>12,}  {stage.name} ({show_seconds(stage.seconds)})"
        yield f"  {'':12}  done after {show_seconds(discovery.seconds)}"


def _standing(discovery: Discovery) -> str:
    if not discovery.found:
        return "."
    which = "all" if discovery.complete else "the first"
    proven = "inductive together" if discovery.confirmed else "NOT proven to be inductive together in time"
    early = "; the search was interrupted" if discovery.interrupted else ""
    return f", true in {which} {discovery.states:,} states reached, and {proven}{early}."
