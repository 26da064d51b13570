"""What searches found of the losses of the matrix and of the bugs: which can brokers be made to do, and how long are the runs?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from neverlost.spec.bugs import Bug
from neverlost.spec.families import known_bugs, profiles
from neverlost.spec.kafka.replication.matrix import MATRIX
from neverlost.spec.kafka.replication.seen_losses import LOSS, Answered, Asked, faults_of
from neverlost.spec.kafka.replication.versions import REPLICATING, VERSIONS
from neverlost.spec.recorded_search import RecordedSearch

ROOT = Path(__file__).parents[2]
MATRIX_PAGE = ROOT / "docs" / "matrix.md"
README = ROOT / "README.md"
PAGE = ROOT / "docs" / "losses-on-brokers.md"
MOVES = ({"leader_moves": 3}, {"leader_moves": 1, "shutdowns": 2})
"""Columns of the README that the matrix does not have."""
UNSEEN = "†"
"""What marks in the README that a shortest run needs a step that no broker was seen to do."""


def losses_of_bugs() -> Iterator[tuple[Bug, RecordedSearch]]:
    """The bugs of replication that lose what was acknowledged with acks=all, by steps that this harness can perform."""
    for bug in known_bugs():
        found = bug.lost
        if found is None or found.property != LOSS or profiles()[found.profile].family != MATRIX.versions[0].family:
            continue
        by_brokers = not (found.bounds.get("delays") or found.settings.get("acks_earlier"))
        if found.settings.get("acks") == "all" and by_brokers:
            yield bug, found


def losses_of_the_matrix() -> Iterator[Asked]:
    """Every violated cell with acks=all of the page of the matrix."""
    names = [version.name for version in REPLICATING]
    sections = re.findall(
        r"^## acks=all, min.insync.replicas=(\d), unclean election (on|off)\n(.*?)(?=^#)",
        MATRIX_PAGE.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    for min_isr, unclean, body in sections:
        for line in re.findall(r"^\| (\d.*) \|$", body, flags=re.MULTILINE):
            versions, *texts = line.split(" | ")
            first, _, last = versions.partition(" to ")
            for version in names[names.index(f"kafka-{first}") : names.index(f"kafka-{last or first}") + 1]:
                for (column, count), text in zip(MATRIX.columns, texts, strict=True):
                    if text.startswith("["):
                        faults = faults_of({**MATRIX.faults[column], MATRIX.beside: count})
                        yield Asked(version=version, min_isr=int(min_isr), unclean=int(unclean == "on"), faults=faults)


def losses_of_the_readme() -> Iterator[Asked]:
    """The losses of the README that are no cells of the matrix: by leader moves alone, and by a rolling restart with one."""
    for versions, texts in readme_rows():
        for version in versions:
            for faults, text in zip(MOVES, texts, strict=False):
                if text.rstrip(UNSEEN).isdigit():
                    yield Asked(version=version, min_isr=2, unclean=0, faults=faults_of(faults))


def readme_rows() -> Iterator[tuple[list[str], list[str]]]:
    """The rows of the README's table of losses: the versions of the matrix that each speaks for, and its cells."""
    every, replicating = [version.name for version in VERSIONS], [version.name for version in REPLICATING]
    table = README.read_text(encoding="utf-8").partition("\n| version | 3 leader moves |")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        names, *cells = line.strip("| ").split(" | ")
        first, *last = re.findall(r"kafka-[\d.]+(?:-\w+)?", names)
        span = every[every.index(first) : every.index((last or [first])[-1]) + 1]
        yield [name for name in span if name in replicating], cells


def page(found: Mapping[str, Answered]) -> str:
    """The page with both lengths of every loss."""
    asked = [*losses_of_the_readme(), *losses_of_the_matrix()]
    tables = []
    for min_isr, unclean in ((2, 0), (1, 0), (2, 1), (1, 1)):
        own = [one for one in asked if (one.min_isr, one.unclean) == (min_isr, unclean) and one.key in found]
        tables.append(
            _table(own, found, f"min.insync.replicas={min_isr}, unclean election {'on' if unclean else 'off'}")
        )
    return HEAD + "\n".join(tables) + _bugs(found) + _reasons(found)


def _table(asked: Sequence[Asked], found: Mapping[str, Answered], title: str) -> str:
    columns = list(dict.fromkeys(one.faults for one in asked))
    texts = {(one.version, one.faults): found[one.key].text for one in asked}
    rows = [
        (version.name, tuple(texts.get((version.name, faults), "") for faults in columns)) for version in REPLICATING
    ]
    lines = [f"## acks=all, {title}\n", "| version | " + " | ".join(map(fault_words, columns)) + " |"]
    lines.append("|---|" + "---|" * len(columns))
    for cells, group in groupby(rows, key=lambda row: row[1]):
        names = [name for name, _ in group]
        span = f"`{names[0]}`" if len(names) == 1 else f"`{names[0]}` to `{names[-1]}`"
        if any(cells):
            lines.append(f"| {span} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def fault_words(faults: Sequence[tuple[str, int]]) -> str:
    """Faults in words: `1 crash, 1 leader move`."""
    words = {"crashes": "crash", "power_losses": "power loss", "leader_moves": "leader move", "shutdowns": "shutdown"}
    plural = {"crash": "crashes", "power loss": "power losses"}
    shown = [
        f"{count} {words[name] if count == 1 else plural.get(words[name], words[name] + 's')}" for name, count in faults
    ]
    return ", ".join(shown)


def _bugs(found: Mapping[str, Answered]) -> str:
    lines = ["", "## Bugs that Kafka had", "", "| bug | version | faults and settings | steps |", "|---|---|---|---|"]
    for bug, search in losses_of_bugs():
        words = ", ".join(f"{name}={str(value).lower()}" for name, value in search.settings.items())
        lines.append(f"| {bug.name}: {bug.what} | `{search.profile}` | {words} | {found[search.key].text} |")
    return "\n".join(lines) + "\n"


def _reasons(found: Mapping[str, Answered]) -> str:
    counts: dict[str, int] = {}
    for one in found.values():
        if one.why:
            counts[one.why] = counts.get(one.why, 0) + 1
    head = "| what brokers were not seen to do | losses |"
    lines = ["", "## What stands in the way of the versions' own shortest runs", "", head, "|---|---|"]
    lines += [f"| {why} | {count} |" for why, count in sorted(counts.items(), key=lambda item: -item[1])]
    return "\n".join(lines) + "\n"


HEAD = """# Losses that brokers can be made to do

<!-- Made by machine from spec/kafka/replication/losses_on_brokers.found.json: python tools/losses_on_brokers.py -->

[The matrix](matrix.md) asks a model that allows more than brokers were seen to do. That is the safe side, so audits, the matrix and the
README ask it. This page says for each of its losses with acks=all how long the shortest run is that [brokers can be made to
do](explanation/real-brokers.md#runs-that-brokers-can-be-made-to-do).

| a cell | means |
|---|---|
| 11 | the shortest run of the version is such a run, or another of the same length is |
| 11 → 13 | the shortest run needs a step that no broker was seen to do; of those without it the shortest has 13 steps |
| 11 → none | without such steps there is no loss within the bounds |
| 11 → ? | none was found, and not all runs were searched |
| | the version itself has no loss |

Nothing here says that brokers cannot do more. `neverlost reproduce VERSION --kafka RELEASE` with the settings and faults of a cell
finds its run, says what was tried, and plays it. [Those of the README were
played](explanation/real-brokers.md#the-readmes-losses-on-their-releases).

"""
