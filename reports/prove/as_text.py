"""The report of a proof, for people: the verdict, what stops it, what it rests on, and what Z3 was asked."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from neverlost.explorer.symbolic.conditions import ConditionalProof, SettingsCase
from neverlost.explorer.symbolic.induction import SUFFICIENCY, TRANSITION, Query
from neverlost.explorer.symbolic.proof import Proof
from neverlost.explorer.symbolic.solving import QueryResult
from neverlost.explorer.symbolic.suggesting import Suggestions
from neverlost.explorer.traces.changes import changes
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Lemma, Model

from ..common import model_words
from ..layout import wrapped
from ..quantities import show_seconds
from ..styled import STYLES, titled
from ..trace.as_text import change_lines, trace_text
from .suggested import suggestion_lines
from .verdict import verdict_words

SLOWEST = 3


def proof_report(proof: Proof, suggestions: Suggestions | None = None) -> Iterator[Text]:
    """The whole report, part by part, with suggestions for a lemma if there are any."""
    yield headline(proof)
    broken = broken_assumptions(proof)
    if broken:
        yield Text()
        yield titled("\n".join(_assumption_lines(broken)))
    if proof.trace is not None:
        yield Text()
        yield titled(trace_text(proof.trace))
    elif proof.broken:
        yield Text()
        yield titled("\n".join(_counterexample(proof)))
    if suggestions is not None:
        yield Text()
        yield titled("\n".join(suggestion_lines(suggestions)))
    if proof.lemmas:
        yield Text()
        yield titled("\n".join(lemma_lines(proof.lemmas)))
    yield Text()
    yield titled("\n".join(_numbers(proof)))


def broken_assumptions(proof: Proof) -> list[Lemma]:
    """What the lemmas assume about the settings but is not so, if nothing is proven."""
    if proof.verdict == Verdict.PROVEN:
        return []
    start = proof.model.state(proof.model.initial_states()[0])
    return [assumption for assumption in proof.model.profile.assumptions if not assumption.function(start)]


def _assumption_lines(broken: Sequence[Lemma]) -> Iterator[str]:
    yield "The lemmas assume this, but the settings do not meet it"
    for assumption in broken:
        yield f"  {assumption.name}"
        yield wrapped(f"      {assumption.reason}", "      ")


def conditional_report(proof: ConditionalProof) -> Iterator[Text]:
    """The report of a proof with settings left open: the verdicts, what they rest on, and what Z3 was asked."""
    yield from conditional_headline(proof)
    yield Text()
    yield titled("\n".join(lemma_lines(proof.lemmas)))
    yield Text()
    yield Text(
        f"{len(proof.queries):,} queries, {proof.unknown:,} of them unknown, {len(proof.cases)} cases, {show_seconds(proof.seconds)}"
    )


def conditional_headline(proof: ConditionalProof) -> Iterator[Text]:
    """Under which values of the open settings the property is proven, and what happens under the others."""
    opening = (
        f"{model_words(proof.model)}: {proof.claim.name}, with {', '.join(proof.settings)} left open"
        f"{proof.model.proviso}, is"
    )
    yield Text(wrapped(opening, "  "))
    for verdict in (Verdict.PROVEN, Verdict.VIOLATED, Verdict.UNDECIDED):
        for choices, cases in proof.having(verdict):
            line = Text(f"  {verdict.upper():10}", style=STYLES[verdict])
            line.append(f"{proof.show(choices):44}", style="")
            line.append(_extent(cases), style="dim")
            line.rstrip()
            yield line


def _extent(cases: Sequence[SettingsCase]) -> str:
    """What was found in addition to the verdict."""
    lengths = sorted({len(case.trace) - 1 for case in cases if case.trace is not None})
    if lengths:
        ends = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        return f"in {ends} steps"
    if all(case.verdict == Verdict.PROVEN for case in cases):
        return ""
    if all(case.complete for case in cases):
        return f"true in all states within the bounds ({max(case.states for case in cases):,})"
    searched = min(case.states for case in cases)
    return f"no violation in {searched:,} states" if searched else ""


def headline(proof: Proof) -> Text:
    """The verdict in one sentence."""
    return Text(wrapped(verdict_words(proof), "  "), style=STYLES[proof.verdict])


def _counterexample(proof: Proof) -> Iterator[str]:
    query, model = proof.broken[0], proof.model
    assert query.pair is not None
    before, start = model.state(query.pair.before), model.state(model.initial_states()[0])
    broken = query.instance or query.lemma or "the domain of a field"
    if query.pair.step is None:
        yield "Counterexample: the start"
        yield wrapped(f"  {broken} is false in the initial state.", "  ")
    else:
        known = f"reached {counted(query.after - 1, 'step')} from the start" if query.after else _assumed(proof)
        yield "Counterexample to induction"
        found = changes(start, before)
        where = "It differs from the start in" if found else "It is the start."
        yield wrapped(f"  In the state before, {known}{_reached(proof)}. {where}", "  ")
        yield from change_lines(found) if found else ()
        yield f"  1. {model.steps[query.pair.step].show(model.bounds)}"
        yield from change_lines(changes(before, model.state(query.pair.after)))
        ends = f"This step breaks {broken}." if query.kind == TRANSITION else f"After it, {broken} is broken."
        yield wrapped(f"  {ends}", "  ")
    if len(proof.broken) > 1:
        yield ""
        yield "Other lemmas that fail, each with the difference from the start before the step"
    for other in proof.broken[1:]:
        yield from _other(other, model)
    more = Counter((q.lemma, q.action) for q in proof.failing)
    more -= Counter((q.lemma, q.action) for q in proof.broken)
    if more:
        yield ""
        yield "Other queries that fail"
        for (lemma, action), count in more.items():
            yield f"  {lemma or 'the domain of a field'} after {action or 'the start'}: {count} of them"


def _assumed(proof: Proof) -> str:
    """What is known of the state before a step, as a clause."""
    if proof.lemmas:
        return "every lemma holds"
    return "nothing is assumed" if proof.claim.over_steps else f"{proof.claim.name} holds"


def _other(query: Query, model: Model) -> Iterator[str]:
    """A lemma that fails: after which step, and what differs from the start before it."""
    assert query.pair is not None
    yield wrapped(f"  {query.text}", "      ")
    found = changes(model.state(model.initial_states()[0]), model.state(query.pair.before))
    yield from change_lines(found) if found else ()


def _reached(proof: Proof) -> str:
    if proof.reach is None:
        return ""
    over_step = proof.broken[0].kind == TRANSITION
    return {
        "reachable": f"; it can be reached, so {'the property' if over_step else 'a lemma'} is false",
        "unreachable": f"; it cannot be reached: the {'property' if over_step else 'lemma'} may be true, but needs another lemma",
        "not reached": "; it was not reached in the states searched",
    }[proof.reach.text]


def lemma_lines(lemmas: Sequence[Lemma]) -> Iterator[str]:
    """Every lemma with its reason."""
    yield "Lemmas, each with the reason why it is true"
    for lemma in lemmas:
        yield f"  {lemma.name}"
        yield wrapped(f"      {lemma.reason}", "      ")


def _numbers(proof: Proof) -> Iterator[str]:
    yield "Queries"
    yield from rows(
        {
            "by steps": ", ".join(f"{d.steps} {d.result} {d.seconds:.1f} s" for d in proof.depths),
            **counts(proof.queries, len(proof.failing), len(proof.unknown)),
            "symmetry": ", ".join(proof.symmetric) or f"not used: {proof.without_symmetry or 'no domain is symmetric'}",
            "numbers": f"{proof.bits} bits",
            "time": times(proof.seconds, proof.translated_seconds),
        }
    )
    yield from slowest(proof.queries)


def counts(queries: Sequence[Query], failing: int, unknown: int) -> dict[str, str]:
    """How many queries were asked, their results, and which solver setting answered how many."""
    if not queries:
        return {}
    kinds, solvers = Counter(q.kind for q in queries), Counter(q.configuration for q in queries)
    with_lemmas = any(map(_only_a_try, queries)) and any(q.lemma for q in queries) and not failing and not unknown
    return {
        "proven": "with the lemmas, step by step: they do not imply it by themselves" if with_lemmas else "",
        "asked": f"{len(queries):,} ({', '.join(f'{kind} {count:,}' for kind, count in kinds.items())})",
        "failing": f"{failing:,}",
        "unknown": f"{unknown:,}",
        "answered by": ", ".join(f"{name} {count:,}" for name, count in solvers.most_common()),
    }


def times(seconds: float, translated: float) -> str:
    """The time of a proof in words."""
    return f"{show_seconds(seconds)}, of which {show_seconds(translated)} to translate lemmas"


def rows(values: Mapping[str, str]) -> Iterator[str]:
    """One line for each name and value; names without a value are left out."""
    for name, value in values.items():
        if value:
            yield wrapped(f"  {name:14}{value}", " " * 16)


def _only_a_try(query: Query) -> bool:
    """Was it asked whether the lemmas imply the property, which they do not? Then the property is proven together with them."""
    return query.kind == SUFFICIENCY and query.result != QueryResult.HOLDS


def slowest(queries: Sequence[Query]) -> Iterator[str]:
    """The queries that took longest, of those that a proof rests on."""
    for query in sorted(itertools.filterfalse(_only_a_try, queries), key=lambda q: q.seconds, reverse=True)[:SLOWEST]:
        answer = f"{query.result} ({query.configuration})"
        yield wrapped(f"  {'slowest':14}{query.seconds:.2f} s: {query.text}, {answer}", " " * 16)
