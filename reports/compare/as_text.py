"""Where two releases differ, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.cluster.comparing import Compared, Played
from neverlost.explorer.words import counted


def compared_text(found: Sequence[Compared], *, played: bool) -> str:
    """Each rule with its run and, if it was played, how it went on both releases."""
    return "\n".join(line for row in found for line in _lines(row, played=played))


def compared_verdict(found: Sequence[Compared], runs: int, *, played: bool, complete: bool) -> str:
    """How many rules differ, and whether the `runs` show it."""
    said = _verdict(found, played, complete)
    return f"{counted(len(found), 'rule')} differ, {counted(runs, 'run')} show them: {said}"


def _verdict(found: Sequence[Compared], played: bool, complete: bool) -> str:
    if not played:
        return "not played"
    if not complete:
        return "interrupted"
    bad = sum(not row.as_expected for row in found)
    return f"{counted(bad, 'run')} NOT as expected" if bad else "each shows its difference"


def _lines(row: Compared, *, played: bool) -> list[str]:
    """A rule, its run, and how it went on both releases, for people."""
    rule = row.rule
    lines = ["", f"{rule.own} in {rule.version}; {rule.other} in the other"]
    if rule.model is None:
        return [*lines, f"  no run: {rule.why}"]
    lines += [f"{number:4}. {step.show(rule.model.bounds)}" for number, step in enumerate(rule.steps, start=1)]
    if played:
        lines += [f"  here:  {_outcome(row.there)}", f"  there: {_outcome(row.elsewhere)}"]
    return lines


def _outcome(played: Played | None) -> str:
    """How a run went, in a line."""
    if played is None:
        return "not played"
    left = played.difference
    if left is None:
        return "as the run" + (f"; then {played.trouble}" if played.trouble else "")
    return f"differs at step {left.number}: {left.refusal or '; '.join(one.show() for one in left.differences)}"
