"""What makes each action of a version of Kafka one step, as text: the rows of the ledger that apply to its releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from neverlost.explorer.words import counted
from neverlost.model.core import Profile, UnknownNameError
from neverlost.spec.families import FAMILIES, family_of
from neverlost.spec.kafka.atomicity import Gap, Ledger, LedgerRow, Merged, Missing, Place, Split
from neverlost.spec.kafka.releases import InReleases

from ..layout import wrapped


def ledger_text(profile: Profile) -> str:
    """The rows that apply to a version, action by action. Raises UnknownNameError for a profile that no ledger has rows for."""
    version, ledger = profile.name, family_of(profile).atomicity()
    if ledger is None or version not in ledger.time_line.spans:
        ledgers = [found for family in FAMILIES if (found := family.atomicity()) is not None]
        raise UnknownNameError(
            "version of Kafka", version, [name for known in ledgers for name in known.time_line.spans]
        )
    rows = ledger.rows_of(version)
    title = f"What makes each action of {version} one step in Kafka\n{wrapped(f'  {_introduction(rows, version, ledger)}', '  ')}"
    shown: dict[str, str] = {}
    names = dict.fromkeys(row.action.name for row in rows)
    of_actions = (
        "\n".join([f"  {name}", *_rows([r for r in rows if r.action.name == name], version, ledger, shown)])
        for name in names
    )
    return "\n\n".join([title, *of_actions])


def _introduction(rows: tuple[LedgerRow, ...], version: str, ledger: Ledger) -> str:
    gaps = {gap.between: gap.done for row in rows for gap in ledger.gaps_of(row, version)}
    kinds = [sum(isinstance(done, kind) for done in gaps.values()) for kind in (Split, Merged, Missing)]
    return (
        "A lock or a thread, as Kafka's code says, with the file and the method. A gap is what nothing holds together:"
        f" {counted(kinds[0], 'gap')} of these releases the model splits, {kinds[1]} lose nothing, and {kinds[2]} it misses."
    )


def _rows(rows: list[LedgerRow], version: str, ledger: Ledger, shown: dict[str, str]) -> Iterator[str]:
    """The rows of one action. `shown` says at which action a gap was shown before; it is not shown twice."""
    for row in rows:
        yield _entry("by", f"{_partly(row.when, ledger.releases_of(version))}{row.by}")
        yield _entry("in", "; ".join(_places(row.places)))
        for gap in ledger.gaps_of(row, version):
            yield _entry("gap", f"{_partly(gap.when, ledger.releases_of(version))}between {gap.between}")
            first = shown.setdefault(gap.between, row.action.name)
            text = _done(gap) if first == row.action.name else f"as in {first}"
            yield wrapped(f"            {text}", "            ")


def _entry(word: str, text: str) -> str:
    return wrapped(f"      {word + ':':4} {text}", "           ")


def _places(places: tuple[Place, ...]) -> Iterator[str]:
    for file, same in groupby(places, lambda place: place.file):
        yield f"{file}: {', '.join(place.method for place in same)}"


def _partly(when: InReleases, releases: Sequence[tuple[str, str]]) -> str:
    """Of which of a version's releases it is said, if not of all."""
    held = [release for release, mode in releases if when.holds_for(release, mode)]
    if len(held) == len(releases):
        return ""
    return f"{held[0]}: " if len(held) == 1 else f"{held[0]} to {held[-1]}: "


def _done(gap: Gap) -> str:
    match gap.done:
        case Split(into=actions):
            return f"split: {', '.join(action.name for action in actions)}"
        case Merged(because=reason, test=test):
            return f"one step all the same: {reason}{_searched(test)}"
        case Missing(what=what, test=test):
            return f"not in the model: {what}{_searched(test)}"


def _searched(test: str) -> str:
    return f" [{test.partition('::')[2]}]" if test else ""
