"""Where two releases differ, for people."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.conformance.cluster.comparing import Compared, Played
from neverlost.explorer.words import counted
from neverlost.spec.between import Between

from ..layout import wrapped


def compared_text(found: Sequence[Compared], *, played: bool) -> str:
    """Each rule with its run and, if it was played, how it went on both releases."""
    return "\n".join(line for row in found for line in _lines(row, played=played))


def compared_verdict(found: Sequence[Compared], runs: int, *, played: bool, complete: bool) -> str:
    """How many rules differ, and whether the `runs` show it."""
    said = _verdict(found, played, complete)
    return f"{counted(len(found), 'rule')} differ, {counted(runs, 'run')} show them: {said}"


def between_text(found: Between) -> str:
    """What changed between two releases: rules by family, and the losses of the ledger that only one of them has."""
    rules, losses = (sum(map(len, each.values())) for each in (found.rules, found.losses))
    head = f"Kafka {found.first} and {found.second} ({found.mode}): {counted(rules, 'rule')} and"
    parts = [wrapped(f"{head} {losses} of the ledger's losses are of one of them alone", "  ")]
    for family, of_family in found.rules.items():
        lines = [wrapped(f"  {release}: {rule.rule} ({rule.source})", "    ") for release, rule in of_family]
        parts.append("\n".join([f"Rules of {family.replace('_', ' ')} that only one has", *lines]))
    for release, bugs in found.losses.items():
        lines = [wrapped(f"  {bug.name}: {bug.what} ({bug.releases})", "    ") for bug in bugs]
        parts.append("\n".join([f"Losses that only {release} has", *(lines or ["  none that is known"])]))
    return "\n\n".join(parts)


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
