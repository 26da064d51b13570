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
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mutants.kafka_campaigns import CAMPAIGNS, FOR_SOME, LOSING, Campaign
from mutants.kafka_mutant_table import TABLE, model_of, table
from mutants.kafka_mutants import ByHand, kafka_mutants

from neverlost.conformance.mutants.mutant import ERROR, LOST, Mutant, Outcome, outcome_of, steps_to
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
    """A campaign, the search of the unmutated model in it, and which properties hold in it, or have a witness."""

    campaign: Campaign
    whole: Result
    holding: tuple[str, ...]
    witnessed: tuple[str, ...]

    @property
    def limits(self) -> Limits:
        """Of the search of a mutant."""
        return Limits(states=3 * self.whole.distinct + 20_000)


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
            found.append(Ground(campaign, result, holding, witnessed))
    return sorted(found, key=lambda ground: ground.whole.distinct)


def search(versions: Mapping[str, Profile], mutant: Mutant, where: list[Ground]) -> dict[str, Any]:
    """What the table says of what becomes of a mutant."""
    number, differing = kafka_mutants().number(mutant.name), list[tuple[Ground, str]]()
    for ground in where:
        model = model_of(versions, ground.campaign, number)
        asked = partial(explore, properties=ground.holding, symmetry=True, limits=ground.limits, until="first")
        found = outcome_of(mutant, ground.whole, partial(asked, model))
        if found.how == ERROR:
            found = replace(found, by=OUT_OF_DOMAIN, steps=error_steps(model))
        if found.killed:
            return _killed(found, ground)
        if not (found.complete and found.same_states):
            more, states = "" if found.complete else "more than ", ground.whole.distinct
            differing.append((ground, f"{more}{states + found.more:,} states instead of {states:,}"))
    small = [ground for ground, _ in differing if ground.whole.distinct <= MOST_STATES_OF_WITNESSES]
    differs = f"{differing[0][0].campaign.name}: {differing[0][1]}" if differing else None
    return _lost(versions, mutant, small) or {"survives": True, "differs": differs}


def _killed(found: Outcome, ground: Ground) -> dict[str, Any]:
    outcome = {"by": found.by, "how": found.how, "campaign": ground.campaign.name, "steps": list(found.steps)}
    return {"survives": False, **outcome}


def _lost(versions: Mapping[str, Profile], mutant: Mutant, where: list[Ground]) -> dict[str, Any] | None:
    """A witness that the model has in a campaign and the mutant has not, with the model's shortest steps to it."""
    for ground in where:
        wrong = explore(
            model_of(versions, ground.campaign, kafka_mutants().number(mutant.name)),
            properties=ground.witnessed,
            symmetry=True,
            limits=ground.limits,
            until="all",
        )
        for name in ground.witnessed if wrong.complete else ():
            if wrong.findings[name].verdict == Verdict.VIOLATED:
                sound = explore(model_of(versions, ground.campaign, 0), properties=[name], symmetry=True)
                return _killed(Outcome(mutant=mutant, how=LOST, by=name, steps=steps_to(sound.findings[name])), ground)
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


def entry(mutant: Mutant, outcome: Mapping[str, Any]) -> dict[str, Any]:
    """What the table says of a mutant."""
    history = {"history": mutant.history} if isinstance(mutant, ByHand) else {}
    return {"kind": mutant.kind, "written": mutant.written, "instead": mutant.instead, **history, **outcome}


def search_all(wanted: Sequence[Mutant], most_states: int) -> Iterator[tuple[Mutant, dict[str, Any]]]:
    """Search for every mutant that is wanted: those of others than the consumer where nobody reads, those of losses in theirs."""
    versions = kafka_mutants().versions
    losing = {mutant: mutant.name.startswith(LOSING) for mutant in wanted}
    where = grounds(versions, () if all(losing.values()) else CAMPAIGNS, most_states)
    own = {mutant: _own(mutant, losing[mutant]) for mutant in wanted}
    special = [campaign for campaigns in own.values() for campaign in campaigns]
    others = {ground.campaign: ground for ground in grounds(versions, special, MOST_STATES_FOR_SOME)}
    print(f"{len(where)} campaigns, {sum(g.whole.distinct for g in where):,} states", flush=True)
    for mutant in wanted:
        reads = mutant.name.startswith("consumer.")
        everyones = () if losing[mutant] else where
        fitting = [ground for ground in everyones if reads or not ground.campaign.has_consumer]
        fitting += [others[found] for found in own[mutant] if found in others]
        yield mutant, entry(mutant, search(versions, mutant, fitting))


def _own(mutant: Mutant, loses: bool) -> list[Campaign]:
    """The campaigns that only some mutants meet, of this one; where it `loses` decisions, none in which no decision is lost."""
    found = [campaign for prefix, campaign in FOR_SOME if mutant.name.startswith(prefix)]
    return [campaign for campaign in found if campaign.loses_decisions or not loses]


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
