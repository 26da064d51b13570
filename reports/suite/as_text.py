"""A suite in a sentence, and the mistakes that one made from mutants shows, for people."""

from __future__ import annotations

from neverlost.conformance.mutants.killing import Kills
from neverlost.conformance.mutants.mutant import Mutant
from neverlost.conformance.suite.cases import Suite
from neverlost.explorer.words import counted


def suite_text(suite: Suite, cover: str) -> str:
    """How large a suite is, and how much of the graph it covers."""
    return f"{_size(suite)}, covering {suite.covered:,} of {suite.goals:,} {cover}"


def suite_from_mutants_text(suite: Suite) -> str:
    """How large a suite is, and how many mutants it kills."""
    return f"{_size(suite)}, which kill {suite.covered:,} of {counted(suite.goals, 'mutant')}"


def _size(suite: Suite) -> str:
    return f"{counted(len(suite.cases), 'case')} of {counted(suite.steps, 'step')} together"


def kills_text(kills: Kills, *, in_full: bool) -> str:
    """How many mistakes in the functions of each module are killed, and why the others survive; in full also which."""
    modules: dict[str, list[Mutant]] = {}
    for mutant in kills.mutants:
        modules.setdefault(mutant.name.partition(".")[0] if not mutant.switched else "releases", []).append(mutant)
    lines = ["", "mutants of   killed  of"]
    lines += [f"{name:11}  {sum(m.name in kills.runs for m in own):>6}  {len(own):>2}" for name, own in modules.items()]
    lines += ["", "Survived"]
    for reason in dict.fromkeys(kills.survivals.values()):
        names = [m for m in kills.mutants if kills.survivals.get(m.name) is reason]
        lines.append(f"{len(names):>5}  {reason.value}")
        lines += [f"         {m.name}  {_line(m.about)}" for m in names] if in_full else []
    if in_full:
        lines += ["", "Killed, with how many steps"]
        lines += [
            f"{len(kills.runs[m.name].steps):>5}  {m.name}  {_line(m.about)}"
            for m in kills.mutants
            if m.name in kills.runs
        ]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())
