"""The report of a proof for any bounds, for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from neverlost.explorer.symbolic.any_bounds.proof import AnyProof
from neverlost.explorer.symbolic.induction import Query

from ..layout import wrapped
from ..styled import STYLES, titled
from .as_text import counts, lemma_lines, rows, slowest, times
from .verdict import any_bounds_words

NAMED = 12
"""At most so many of the queries that stop a proof are named."""


def any_bounds_report(proof: AnyProof, quiet: bool) -> Iterator[Text]:
    """The whole report, part by part, or only the verdict."""
    yield Text(wrapped(any_bounds_words(proof), "  "), style=STYLES[proof.verdict])
    if quiet:
        return
    for part in (
        _open(proof),
        _stated(proof),
        lemma_lines(proof.lemmas) if proof.lemmas else iter(()),
        _numbers(proof),
    ):
        text = "\n".join(part)
        if text:
            yield Text()
            yield titled(text)


def _open(proof: AnyProof) -> Iterator[str]:
    """The queries that stop the proof."""
    stopping = (*proof.failing, *proof.unknown)
    if stopping:
        yield "Queries without a proof"
        yield from (_named(query) for query in stopping[:NAMED])
    if len(stopping) > NAMED:
        yield f"  and {len(stopping) - NAMED} more"


def _named(query: Query) -> str:
    return wrapped(f"  {query.text}: {query.result}", "      ")


def _stated(proof: AnyProof) -> Iterator[str]:
    """What the proof uses in addition to the functions of the protocol."""
    if proof.unbounded.ghosts or proof.unbounded.meanings:
        yield "Stated in addition to the protocol"
    meanings = proof.unbounded.traced.state.meanings()
    for name in proof.unbounded.ghosts:
        yield wrapped(f"  {name}, a field that no guard reads: {meanings.get(name, '')}", "      ")
    for meaning in proof.unbounded.meanings:
        summary = (meaning.says.__doc__ or "").strip().split("\n")[0]
        yield wrapped(f"  {meaning.function.__name__}, by what it finds: {summary}", "      ")


def _numbers(proof: AnyProof) -> Iterator[str]:
    yield "Queries"
    yield from rows(
        {
            **counts(proof.queries, len(proof.failing), len(proof.unknown)),
            "time": times(proof.seconds, proof.translated_seconds),
        }
    )
    yield from slowest(proof.queries)
