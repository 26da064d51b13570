"""On what a verdict depends that the files leave open: which readings are safe and which are not, in as few lines as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.verdict import Verdict
from neverlost.model.arguments import argument
from neverlost.spec.configuration import Deployment
from neverlost.spec.configuration.clients import FAMILIES, FRANZ_GO, JAVA, KAFKAJS, LIBRDKAFKA, SARAMA
from neverlost.spec.configuration.readings import ALTERNATIVES, CLIENT, ELR, MODE, RELEASE, WORDS, Reading, words_of
from neverlost.spec.kafka.releases import KRAFT, RELEASES
from neverlost.studies.audit.reading_verdicts import Readings, ReadingVerdict

from .wording import VERDICTS, everyday_words, listed, survived_words, verdict_words

NAMES: Mapping[str, str] = {
    RELEASE: "which release of Kafka it is",
    MODE: "whether it runs in KRaft mode or with ZooKeeper",
    ELR: "whether eligible leader replicas are on",
    CLIENT: "which client the producer is",
}
"""What the files may leave open."""

CLIENTS_BY_NAME = (SARAMA.name, KAFKAJS.name, FRANZ_GO.name, *FAMILIES)
"""Clients that do as one of the readings, and may be said in its place."""
MOST_REASONS = 3


@dataclass(frozen=True, kw_only=True)
class ReadingRow:
    """Readings with one verdict. `condition` says which they are; `words` are the verdict, and what happens in them."""

    condition: str
    verdict: Verdict
    words: str


@dataclass(frozen=True, kw_only=True)
class ReadingsBlock:
    """What is said of the readings: on what the verdict `depends`, its rows, how to `say` which it is, and which is `examined`."""

    depends: str
    rows: Sequence[ReadingRow]
    say: str
    examined: str


@dataclass(frozen=True)
class _Point:
    """One reading: its value of each name, None where it has none, and the verdict on it."""

    values: Mapping[str, str | None]
    until: str
    judged: ReadingVerdict


@dataclass
class _Block:
    """Readings with one verdict: all whose values are in these sets."""

    verdict: Verdict
    values: dict[str, frozenset[str | None]]
    points: list[_Point]


def readings_block(readings: Readings) -> ReadingsBlock | None:
    """What is said of the readings; None if there is only one. No rows if all have the same verdict."""
    if len(readings.verdicts) == 1:
        return None
    points = _points(readings)
    names, of_behaviour = _names_that_matter(points, _verdict), _names_that_matter(points, _behaviour)
    rows = _rows(readings, points, names)
    differ = len(rows) > 1
    return ReadingsBlock(
        depends=_depends(readings, rows, names if differ else of_behaviour),
        rows=rows if differ else (),
        say=_how_to_say(points, names if differ else of_behaviour),
        examined=_in_words(readings.examination.deployment, of_behaviour),
    )


def details_for(block: ReadingsBlock) -> str:
    """Which reading is examined; where all have the same verdict, also how to ask for another one."""
    another = "" if block.rows else f" For another one, add: {block.say}."
    return f"Details for one case: {block.examined}.{another}"


def _rows(readings: Readings, points: Sequence[_Point], names: Sequence[str]) -> list[ReadingRow]:
    """The rows, safe readings first; one row if all readings have the same verdict."""
    blocks = [*_by_one_name(points, names)]
    covered = {id(point) for block in blocks for point in block.points}
    rest: dict[object, _Block] = {}
    for point in points:
        if id(point) not in covered:
            values = {name: frozenset([point.values[name]]) for name in names}
            block = rest.setdefault((point.judged.verdict, *values.values()), _Block(point.judged.verdict, values, []))
            block.points.append(point)
    left = list(rest.values())
    for name in names:
        left = _merged(left, name)
    order = [Verdict.HOLDS, Verdict.UNDECIDED, Verdict.VIOLATED]
    conditions: dict[tuple[Verdict, str], list[str]] = {}
    for block in sorted([*blocks, *left], key=lambda block: order.index(block.verdict)):
        conditions.setdefault((block.verdict, _said_of(block, readings)), []).append(_condition(block, points))
    return [
        ReadingRow(condition="; or ".join(found), verdict=verdict, words=words)
        for (verdict, words), found in conditions.items()
    ]


def _said_of(block: _Block, readings: Readings) -> str:
    """The verdict on the readings of a block, and what happens in them."""
    if block.verdict != Verdict.HOLDS:
        why = _why(block.points)
        return VERDICTS[block.verdict] + (f": {why}" if why else "")
    everyday: dict[str, Verdict] = {}
    for point in block.points:
        everyday |= {n: v for n, v in point.judged.everyday.items() if everyday.get(n) != Verdict.VIOLATED}
    said = verdict_words(block.verdict, block.points[0].judged.deployment)
    return f"{said}{survived_words(readings.examination.tolerance)}{everyday_words(everyday)}"


def _by_one_name(points: Sequence[_Point], names: Sequence[str]) -> Iterator[_Block]:
    """For each name the values with which nothing is safe, whatever the others are."""
    for name in names:
        safe = {point.values[name] for point in points if point.judged.verdict != Verdict.VIOLATED}
        found = [point for point in points if point.values[name] not in safe]
        if safe and found:
            values = frozenset(point.values[name] for point in found)
            yield _Block(Verdict.VIOLATED, {name: values}, found)


def _verdict(point: _Point) -> Verdict:
    return point.judged.verdict


def _behaviour(point: _Point) -> object:
    return point.judged.deployment.behaviour


def _points(readings: Readings) -> list[_Point]:
    return [
        _Point({name: reading.open.get(name) for name in NAMES}, reading.chosen.until, one)
        for one in readings.verdicts
        for reading in one.deployment.alike
    ]


def _names_that_matter(points: Sequence[_Point], of: Callable[[_Point], object]) -> list[str]:
    """The names without those that make no difference to what `of` gives, whatever the others are.

    The release stays where older ones have no eligible leader replicas, and these matter.
    """
    names = list(NAMES)
    for name in (CLIENT, ELR, MODE, RELEASE):
        others = [other for other in names if other != name]
        found: dict[tuple[str | None, ...], set[object]] = {}
        for point in points:
            found.setdefault(tuple(point.values[other] for other in others), set()).add(of(point))
        if name == RELEASE and ELR in names and any(point.values[ELR] is None for point in points):
            continue
        if all(len(results) == 1 for results in found.values()):
            names = others
    return names


def _merged(blocks: Iterable[_Block], name: str) -> list[_Block]:
    """The blocks that differ in the values of one name only, together."""
    found: dict[object, _Block] = {}
    for block in blocks:
        key = block.verdict, *(values for other, values in block.values.items() if other != name)
        known = found.setdefault(key, block)
        if known is not block:
            known.values[name] |= block.values[name]
            known.points += block.points
    return list(found.values())


def _condition(block: _Block, points: Sequence[_Point]) -> str:
    """Which readings a block has: of each name the values, if they are not all that go with the others."""
    parts = []
    for name, values in block.values.items():
        others = [other for other in block.values if other != name]
        possible = {p.values[name] for p in points if all(p.values[o] in block.values[o] for o in others)}
        if values != possible:
            parts.append(_words(name, [value for value in values if value is not None], points))
    return ", ".join(part for part in parts if part)


def _words(name: str, values: Sequence[str], points: Sequence[_Point]) -> str:
    if name == RELEASE:
        return f"Kafka {_ranges(values, points)}"
    if name == MODE:
        return listed(("in KRaft mode" if value == KRAFT else "with ZooKeeper" for value in values), "or")
    if name == ELR:
        return f"eligible leader replicas {listed(values, 'or')}" if values else ""
    return listed((words for client, words in WORDS.items() if client in values), "or")


def _ranges(releases: Sequence[str], points: Sequence[_Point]) -> str:
    """`2.8.0 to 3.9.1 or 4.1.0 or newer`, with the last release that behaves like the last of a range."""
    until = {str(p.values[RELEASE]): p.until for p in sorted(points, key=lambda p: RELEASES.index(p.until))}
    order = sorted(until, key=RELEASES.index)
    runs: list[list[str]] = []
    for number, release in enumerate(order):
        if release not in releases:
            continue
        if runs and order[number - 1] == runs[-1][-1]:
            runs[-1].append(release)
        else:
            runs.append([release])
    return " or ".join(_range(run[0], until[run[-1]], newest=run[-1] == order[-1]) for run in runs)


def _range(first: str, last: str, *, newest: bool) -> str:
    if newest and last == RELEASES[-1]:
        return f"{first} or newer"
    return first if first == last else f"{first} to {last}"


def _why(points: Sequence[_Point]) -> str:
    """What happens in these readings: the first danger that was found in each, the most frequent ones."""
    found: dict[str, int] = {}
    for judged in {id(p.judged): p.judged for p in points}.values():
        if judged.danger is not None and judged.faults is not None:
            words = judged.danger.with_faults(judged.faults)
            found[words] = found.get(words, 0) + 1
    most = sorted(found, key=lambda words: -found[words])[:MOST_REASONS]
    return "; ".join([*most, *(["and more"] if len(found) > len(most) else [])])


def _depends(readings: Readings, rows: Sequence[ReadingRow], names: Sequence[str]) -> str:
    """The verdict on all readings in a sentence: what is safe only under a condition is not safe."""
    said = verdict_words(readings.verdict, readings.examination.deployment)
    versions = {one.deployment.version for one in readings.verdicts}
    of_one = f"which release of Kafka {', '.join(versions)} it is" if len(versions) == 1 else NAMES[RELEASE]
    left_open = listed(of_one if name == RELEASE else NAMES[name] for name in names)
    if len(rows) == 1:
        return f"{said} in every case, though no file says {left_open}."
    safe = [row.condition for row in rows if row.verdict == Verdict.HOLDS]
    unless = f", unless this is so: {safe[0]}" if len(safe) == 1 else ""
    return f"{said}{unless}. No file says {left_open}."


def _how_to_say(points: Sequence[_Point], names: Sequence[str]) -> str:
    """The arguments that say what the files leave open, of that on which the verdict depends."""
    options = [argument("kafka_version", "N.N.N")] if RELEASE in names else []
    for name in names:
        possible = {point.values[name] for point in points}
        known = [word for word, value in words_of(name).items() if value in possible] if name in ALTERNATIVES else []
        known += CLIENTS_BY_NAME if {JAVA.name, LIBRDKAFKA.name} <= possible else ()
        options += [argument("assume", f"{name}={'|'.join(known)}")] if known else []
    return listed(options)


def _in_words(deployment: Deployment, names: Sequence[str]) -> str:
    """Which reading is examined: `Kafka 4.0.1 in KRaft mode, eligible leader replicas off`."""
    opened = {name: value for name, value in deployment.reading.open.items() if name in names}
    words = [f"Kafka {deployment.release}"]
    if MODE in opened:
        words[0] += " in KRaft mode" if deployment.mode == KRAFT else " with ZooKeeper"
    words += [f"eligible leader replicas {opened[ELR]}"] if ELR in opened else []
    words += [_client_words(opened[CLIENT], deployment.reading)] if CLIENT in opened else []
    return ", ".join(words)


def _client_words(client: str, reading: Reading) -> str:
    """The client of one reading, which is newer than the brokers if it has keys that their release has not."""
    newer = client == JAVA.name and reading.java != reading.chosen.version
    return f"a Java client of {reading.java} or newer" if newer else WORDS[client]
