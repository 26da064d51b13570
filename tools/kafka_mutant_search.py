"""The search for what catches a mutant of the full Kafka model: `make mutants` runs it over all, and writes the table that tests check.

    python tools/kafka_mutant_search.py                  every mutant, in every campaign until one catches it
    python tools/kafka_mutant_search.py --keep caught    only those that the table has as survivors, or has not
    python tools/kafka_mutant_search.py --keep all       only those that the table has not: after an interruption
    python tools/kafka_mutant_search.py --only NAME ...  only those whose names begin so

A mutant is caught by a property that holds in the unmutated model in the same campaign; or by an action that leaves a domain; or,
if nothing else catches it, by a witness that it has lost. Where the reachable states are others than the model's, but nothing is
violated, the table says in which campaign first.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mutants.kafka_campaigns import CAMPAIGNS, FOR_SOME, Campaign
from mutants.kafka_mutant_table import TABLE, model_of, table
from mutants.kafka_mutants import Mutant, kafka_mutants

from neverlost.explorer.engines.compiled import CompiledEngine
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symmetry import symmetry_of
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, ModelError, Packed, Profile

OUT_OF_DOMAIN = "a domain"
"""What catches a mutant whose action leaves a domain: the last step of its trace raises ModelError."""

MOST_STATES = 75_000
"""Campaigns with more states than this are left out: what they would add is little, and survivors meet every campaign."""

MOST_STATES_FOR_SOME = 1_500_000
"""The same for campaigns that only some mutants meet."""

MOST_STATES_OF_WITNESSES = 20_000
"""Lost witnesses are looked for in campaigns of at most so many states: a trace to each takes longer than the search."""


@dataclass(frozen=True)
class Ground:
    """A campaign, and what is true of the unmutated model in it."""

    campaign: Campaign
    distinct: int
    digest: str
    holding: tuple[str, ...]
    witnessed: tuple[str, ...]


@dataclass(frozen=True)
class Caught:
    """What caught a mutant: a property, the campaign, and the steps that violate it, or that witness what the mutant has lost."""

    by: str
    how: str
    campaign: str
    steps: tuple[str, ...]


def grounds(versions: Mapping[str, Profile], campaigns: Iterable[Campaign], most_states: int) -> list[Ground]:
    """Those of the campaigns that are small enough, the cheapest first."""
    found = []
    for campaign in dict.fromkeys(campaigns):
        model = model_of(versions, campaign, 0)
        result = explore(model, until="all", symmetry=True, limits=Limits(states=most_states))
        if result.complete:
            holding = tuple(
                name
                for name, f in result.findings.items()
                if not f.property.seeks and f.verdict != Verdict.VIOLATED and f.property.runs_out is None
            )
            witnessed = tuple(
                n for n, f in result.findings.items() if f.property.seeks and f.verdict != Verdict.VIOLATED
            )
            found.append(Ground(campaign, result.distinct, result.digest, holding, witnessed))
    return sorted(found, key=lambda ground: ground.distinct)


def search(versions: Mapping[str, Profile], number: int, where: list[Ground]) -> tuple[Caught | None, str | None]:
    """What catches the mutant, and the first campaign in which it reaches other states than the model."""
    differing: list[tuple[Ground, str]] = []
    for ground in where:
        model = model_of(versions, ground.campaign, number)
        limits = Limits(states=3 * ground.distinct + 20_000)
        try:
            result = explore(model, properties=ground.holding, symmetry=True, limits=limits, until="first")
        except ModelError:
            return Caught(OUT_OF_DOMAIN, "error", ground.campaign.name, error_steps(model)), ground.campaign.name
        caught = _violated(result, ground)
        if caught is not None:
            return caught, ground.campaign.name
        if result.digest != ground.digest or not result.complete:
            more = "" if result.complete else "more than "
            differing.append((ground, f"{more}{result.distinct:,} states instead of {ground.distinct:,}"))
    if not differing:
        return None, None
    small = [ground for ground, _ in differing if ground.distinct <= MOST_STATES_OF_WITNESSES]
    return _lost(versions, number, small), f"{differing[0][0].campaign.name}: {differing[0][1]}"


def _violated(result: Result, ground: Ground) -> Caught | None:
    found = [f for name in ground.holding if (f := result.findings[name]).verdict == Verdict.VIOLATED]
    if not found:
        return None
    first = min(found, key=lambda f: len(f.trace.steps) if f.trace else 0)
    assert first.trace is not None
    steps = tuple(step.show(first.trace.model.bounds) for step in first.trace.steps)
    return Caught(first.property.name, "violated", ground.campaign.name, steps)


def _lost(versions: Mapping[str, Profile], number: int, where: list[Ground]) -> Caught | None:
    """A witness that the model has in a campaign and the mutant has not, with the model's shortest steps to it."""
    for ground in where:
        limits = Limits(states=3 * ground.distinct + 20_000)
        wrong = explore(
            model_of(versions, ground.campaign, number),
            properties=ground.witnessed,
            symmetry=True,
            limits=limits,
            until="all",
        )
        for name in ground.witnessed if wrong.complete else ():
            if wrong.findings[name].verdict == Verdict.VIOLATED:
                sound = explore(model_of(versions, ground.campaign, 0), properties=[name], symmetry=True)
                trace = sound.findings[name].trace
                assert trace is not None
                return Caught(
                    name, "lost", ground.campaign.name, tuple(step.show(trace.model.bounds) for step in trace.steps)
                )
    return None


def error_steps(model: Model) -> tuple[str, ...]:
    """The shortest steps to an action that leaves a domain, that action last. The search itself raises, and tells no steps."""
    symmetry = symmetry_of(model, True, [])
    engine = CompiledEngine(model, [], symmetry, 1)
    engine.start(sorted({symmetry.representative(words) for words in model.initial_states()}))
    try:
        while engine.expand(lambda expanded, distinct, allocating: None):
            pass
    except ModelError:
        pass
    for level in range(max(0, len(engine.levels) - 2), len(engine.levels)):
        rows = (tuple(int(w) for w in row) for block in engine.levels[level] for row in engine.blocks.read(block))
        raising = [words for words in rows if raising_step(model, words)]
        if raising:
            break
    path = [min(raising)]
    for earlier in range(level - 1, -1, -1):
        path.insert(0, engine.predecessor(earlier, path[0]))
    state = next(w for w in model.initial_states() if symmetry.representative(w) == path[0])
    steps = []
    for goal in path[1:]:
        number, state = next((n, w) for n, w in model.successors(state) if symmetry.representative(w) == goal)
        steps.append(model.steps[number].show(model.bounds))
    return (*steps, raising_step(model, state))


def raising_step(model: Model, words: Packed) -> str:
    """The first step that leaves a domain in a state; empty if none does."""
    try:
        model.successors(words)
    except ModelError as error:
        return str(error).split("): ")[0] + ")"
    return ""


def entry(mutant: Mutant, caught: Caught | None, differs: str | None) -> dict[str, Any]:
    """What the table says of a mutant."""
    values: dict[str, Any] = {"kind": mutant.kind, "written": mutant.written, "instead": mutant.instead}
    if mutant.history:
        values["history"] = mutant.history
    if caught is None:
        return values | {"survives": True, "differs": differs}
    outcome = {"by": caught.by, "how": caught.how, "campaign": caught.campaign, "steps": list(caught.steps)}
    return values | {"survives": False, **outcome}


def search_all(wanted: Sequence[Mutant], most_states: int) -> Iterator[tuple[Mutant, dict[str, Any]]]:
    """Search for every mutant that is wanted: those of others than the consumer where nobody reads."""
    versions = kafka_mutants().versions
    where = grounds(versions, CAMPAIGNS, most_states)
    names = tuple(mutant.name for mutant in wanted)
    special = [found for prefix, found in FOR_SOME if any(name.startswith(prefix) for name in names)]
    others = {ground.campaign: ground for ground in grounds(versions, special, MOST_STATES_FOR_SOME)}
    print(f"{len(where)} campaigns, {sum(g.distinct for g in where):,} states", flush=True)
    for mutant in wanted:
        reads = mutant.name.startswith("consumer.")
        fitting = [ground for ground in where if reads or not ground.campaign.has_consumer]
        own = [found for prefix, found in FOR_SOME if mutant.name.startswith(prefix)]
        fitting += [others[found] for found in own if found in others]
        yield mutant, entry(mutant, *search(versions, kafka_mutants().number(mutant.name), fitting))


def main() -> None:
    """Search, print what is found, and write the table after every mutant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", choices=("nothing", "caught", "all"), default="nothing")
    parser.add_argument("--only", nargs="+", default=None, metavar="NAME", help="search for these, keep all others")
    parser.add_argument("--most-states", type=int, default=MOST_STATES, help="leave out campaigns with more states")
    given = parser.parse_args()
    old, mutants = table(), kafka_mutants().mutants
    if given.only is None:
        kept = {m.name: old[m.name] for m in mutants if _is_kept(old.get(m.name), m, given.keep)}
    else:
        others = [m for m in mutants if not m.name.startswith(tuple(given.only))]
        kept = {m.name: old[m.name] for m in others if _is_kept(old.get(m.name), m, "all")}
    wanted = [m for m in mutants if m.name not in kept]
    began = time.perf_counter()
    for number, (mutant, found) in enumerate(search_all(wanted, given.most_states), start=1):
        kept[mutant.name] = found
        ordered = {m.name: kept[m.name] for m in mutants if m.name in kept}
        TABLE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        seconds = f"{time.perf_counter() - began:5.0f} s"
        print(f"{seconds} {number}/{len(wanted)} {mutant.name}: {_in_words(found)}", flush=True)


def _is_kept(found: Mapping[str, Any] | None, mutant: Mutant, keep: str) -> bool:
    if found is None or (found["written"], found["instead"]) != (mutant.written, mutant.instead):
        return False
    return keep == "all" or (keep == "caught" and not found["survives"])


def _in_words(found: Mapping[str, Any]) -> str:
    if found["survives"]:
        return "survives; reaches the same states" if found["differs"] is None else f"survives {found['differs']}"
    return f"{found['by']} ({found['how']} in {len(found['steps'])} steps of {found['campaign']})"


if __name__ == "__main__":
    main()
