"""Files that commands read, damaged at random, and the same on every run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from event_logs import walk
from random_histories import working_run
from written_histories import as_json, edn_lines
from written_traces import loss_trace

from neverlost.conformance.suite.cases import suite_of
from neverlost.conformance.suite.files import CASES, SUITE, write_suite
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.model.kafka.replication.state import ACKS_ALL
from neverlost.reports.trace.formats import FORMATS
from neverlost.spec import profiles

ROOT = Path(__file__).parents[2]
MOST_BYTES = 100_000
NUMBERS = (
    *("0", "-1", "-0", "00", "007", "+5", "1.5", "1e3", "1e999", "-1e999", "5N", "1.5M", "NaN", "Infinity", "0x10"),
    *("255", "4095", "4000", "4096", "1048576", "2147483648", "9223372036854775807", "9223372036854775808"),
    *("2305843009213693951", "2305843009213693952", "1000000000000000000000", "9" * 400, "9" * 5_000),
    *("\u00b2", "\u0663", "\uff15", "true", "null", "nil"),
)
PIECES = (
    *'"{}[]():;,#\\\n\t\r =!&|*',
    *(
        "{}",
        "[]",
        "()",
        "#{}",
        "#_",
        "#_ #_",
        "#inst",
        "#jepsen.history.Op{",
        "\\newline",
        "\\u0041",
        "##Inf",
        ";",
        '\\"',
    ),
    *(
        "\ufeff",
        "\u2028",
        "\u0085",
        "\x00",
        "\x1b[31m",
        "\x1b]0;x\x07",
        "\x7f",
        "\u202e",
        "\ud800",
        "\\ud83d\\ude00",
        "\\ud800",
    ),
    *(
        "null",
        "nil",
        "true",
        "false",
        "NaN",
        ":a",
        ":nil",
        ":type",
        "a:b",
        ":a/b",
        "a map",
        "${env:X}",
        "\\u00",
        "\\u2028",
    ),
    *('{"":[]}', '{"a": [1, {"b": null}]}', "{1 2 1 3}", "{[1] 2}", "[1}", "{:a 1", "0" * 300, "x" * 5_000, "(" * 300),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 62, 63, 4_000, 4_095, 1 << 20, 1 << 31, 1 << 63, -(1 << 63), 10**30, 1.5, 1e300),
    *(
        "",
        "x",
        "r1",
        "r9",
        "none",
        "{r1, r9}",
        "\ud800",
        "\x1b[2J",
        "examples/water_jugs.py:WATER_JUGS",
        "kafka-3.5",
        "9" * 5_000,
    ),
    *(
        [],
        {},
        [[]],
        [None],
        {"": None},
        [1, [2, [3]]],
        {"a": {"b": {"c": 1}}},
        [0] * 300,
        {str(n): n for n in range(100)},
    ),
)
OBSERVED = ("log_end", "isr", "controller_leader", "record_value")
WORD = re.compile(rb"[A-Za-z0-9_.-]+")
NUMBER = re.compile(rb"-?[0-9]+")

Change = Callable[[bytes, Random], bytes]


def _cut(text: bytes, random: Random) -> bytes:
    start, end = _slice(text, random)
    return text[:start] + text[end:]


def _repeat(text: bytes, random: Random) -> bytes:
    start, end = _slice(text, random)
    return text[:end] + text[start:end] * random.choice((1, 2, 50)) + text[end:]


def _truncate(text: bytes, random: Random) -> bytes:
    return text[: random.randrange(len(text) + 1)]


def _flip(text: bytes, random: Random) -> bytes:
    place = random.randrange(len(text) or 1)
    return text[:place] + bytes(byte ^ 1 << random.randrange(8) for byte in text[place : place + 1]) + text[place + 1 :]


def _insert(text: bytes, random: Random) -> bytes:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice(PIECES).encode(errors="surrogatepass") + text[place:]


def _nest(text: bytes, random: Random) -> bytes:
    place, depth = random.randrange(len(text) + 1), random.choice((1, 99, 100, 101, 3_000, 30_000))
    opening, closing = random.choice(
        ((b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b'{"a":', b"}"), (b"{:a ", b"}"), (b"[", b""))
    )
    return text[:place] + opening * depth + closing * depth + text[place:]


def _number(text: bytes, random: Random) -> bytes:
    return _put(text, NUMBER, random.choice(NUMBERS).encode(), random)


def _word(text: bytes, random: Random) -> bytes:
    words = WORD.findall(text)
    return _put(text, WORD, random.choice(words), random) if words else text


def _lines(text: bytes, random: Random) -> bytes:
    lines = text.splitlines(keepends=True) or [b""]
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines[one], lines[other] = lines[other], lines[one]
        case 1:
            del lines[one]
        case 2:
            lines[one:one] = [lines[other]] * random.choice((1, 3, 100))
        case _:
            lines[one] = lines[one].rstrip(b"\n")
    return b"".join(lines)


def _bytes(text: bytes, random: Random) -> bytes:
    place = random.randrange(len(text) + 1)
    return (
        text[:place]
        + random.choice((b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\0", b"\r", b"\r\n", b"\x0c"))
        + text[place:]
    )


def _encode(text: bytes, random: Random) -> bytes:
    encoding = random.choice(("utf-16", "utf-8-sig", "utf-32", "latin-1"))
    return text.decode(errors="replace").encode(encoding, errors="replace")


def _slice(text: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(text) + 1)
    return start, min(len(text), start + random.choice((1, 2, 10, 100, 1_000)))


def _put(text: bytes, pattern: re.Pattern[bytes], new: bytes, random: Random) -> bytes:
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = random.choice(found)
    return text[: chosen.start()] + new + text[chosen.end() :]


def _json_value(text: bytes, random: Random) -> bytes:
    """Another value somewhere in the JSON of the text, or of one of its lines."""
    lines = [text] if random.random() < 0.5 else text.splitlines(keepends=True) or [b""]
    number = random.randrange(len(lines))
    try:
        value = json.loads(lines[number])
    except (ValueError, RecursionError):
        return _number(text, random)
    lines[number] = json.dumps(_changed(value, random)).encode() + b"\n"
    return b"".join(lines)


def _changed(value: Any, random: Random) -> Any:
    if not isinstance(value, dict | list) or not value or random.random() < 0.15:
        return random.choice(ODD)
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    match random.randrange(8):
        case 0:
            del value[key]
        case 1 if isinstance(value, dict):
            value[random.choice(("", "x", "event", "schema", "type", key + key))] = value.pop(key)
        case 1:
            value.insert(key, value[key])
        case _:
            value[key] = _changed(value[key], random)
    return value


TEXT: tuple[Change, ...] = (
    _cut,
    _repeat,
    _truncate,
    _flip,
    _insert,
    _insert,
    _nest,
    _number,
    _number,
    _word,
    _lines,
    _bytes,
)


def damaged(text: bytes, random: Random, *, is_json: bool) -> bytes:
    """A text with one to four changes, none of them so large that reading it would say more of the machine than of the reader."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        if is_json and random.random() < 0.5:
            text = _json_value(text, random)
        else:
            text = random.choice(TEXT if random.random() < 0.98 else (_encode,))(text, random)
        text = text[:MOST_BYTES]
    return text


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of input: whole inputs, each the bytes of its files by their names, and the arguments that have one of them read."""

    wholes: Sequence[Mapping[str, bytes]]
    arguments: Callable[[Path, Random], list[str]]
    is_json: bool = True

    def inputs(self, name: str, count: int, folder: Path) -> Iterator[tuple[int, list[str]]]:
        """Write so many inputs, one after the other, in each of which one file is damaged; the arguments for each."""
        for number in range(count):
            random = Random(f"{name} {number}")
            whole = random.choice(self.wholes)
            place = folder / name
            place.mkdir(exist_ok=True)
            for left in place.iterdir():
                left.unlink()
            spoiled = random.choice(list(whole))
            for file, text in whole.items():
                changed = damaged(text, random, is_json=self.is_json) if file == spoiled else text
                (place / file).write_bytes(changed)
            yield number, self.arguments(place, random)


def _only_file(place: Path) -> str:
    (file,) = place.iterdir()
    return str(file)


def _histories(ending: str) -> list[Mapping[str, bytes]]:
    wholes = []
    for seed in range(8):
        operations = working_run(Random(seed)).operations[:60]
        if ending == "json":
            texts = [as_json(operations), json.dumps(operations), json.dumps(operations, indent=1)]
        else:
            plain = edn_lines(operations)
            said = plain.replace(":process", ':error ["it broke; {" \\a] :process')
            texts = [plain, f"[{plain}]", "".join(f"#jepsen.history.Op{line}\n" for line in plain.splitlines()), said]
        wholes += [{f"history.{ending}": text.encode()} for text in texts]
    return wholes


def _event_logs() -> list[Mapping[str, bytes]]:
    wholes = [{"events": path.read_bytes()} for path in sorted((ROOT / "examples" / "events").iterdir())]
    for seed in range(3):
        run = walk(
            profiles()["kafka-3.5"], steps=20, seed=seed, rare=0.1, replicas=3, log_size=4, values=4, leader_epochs=4
        )
        wholes.append({"events": "".join(f"{line}\n" for line in run.lines(OBSERVED)).encode()})
    return wholes


def _suites(folder: Path) -> list[Mapping[str, bytes]]:
    model = profiles()["kafka-3.5"].bounded(
        acks=ACKS_ALL, min_isr=2, crashes=1, replicas=2, log_size=1, values=1, leader_epochs=2
    )
    write_suite(suite_of(model, "states", budget=3), folder)
    return [{name: (folder / name).read_bytes() for name in (SUITE, CASES)}]


def _traces() -> list[Mapping[str, bytes]]:
    lost = json.loads(trace_json(loss_trace()))
    return [{"trace.json": text.encode()} for text in (trace_json(loss_trace()), json.dumps(lost))]


def _configurations() -> list[Mapping[str, bytes]]:
    folders = sorted((ROOT / "examples" / "audit").iterdir())
    return [{path.name: path.read_bytes() for path in sorted(folder.iterdir())} for folder in folders]


def _history(place: Path, random: Random) -> list[str]:
    return ["history", "--json", "-", _only_file(place)]


def _validate(place: Path, random: Random) -> list[str]:
    return ["validate", "--max-states", "300", "--time-limit", "20s", _only_file(place)]


def _conform(place: Path, random: Random) -> list[str]:
    return ["conform", str(place), "--adapter", "inprocess", "--until", random.choice(("first", "all"))]


def _replay_or_trace(place: Path, random: Random) -> list[str]:
    shown = ["trace", "--format", random.choice(list(FORMATS))]
    return [*random.choice((["replay"], shown)), _only_file(place)]


def _audit(place: Path, random: Random) -> list[str]:
    store = place.parent / "answers"
    return ["audit", "--max-states", "50", "--store", str(store), *map(str, sorted(place.iterdir()))]


KINDS = ("history in JSON", "history in EDN", "event log", "suite", "trace", "configuration")


def kind_of(name: str, folder: Path) -> Kind:
    """The kind of input of that name; a suite is made in the folder."""
    match name:
        case "history in JSON":
            return Kind(wholes=_histories("json"), arguments=_history)
        case "history in EDN":
            return Kind(wholes=_histories("edn"), arguments=_history, is_json=False)
        case "event log":
            return Kind(wholes=_event_logs(), arguments=_validate)
        case "suite":
            return Kind(wholes=_suites(folder / "whole"), arguments=_conform)
        case "trace":
            return Kind(wholes=_traces(), arguments=_replay_or_trace)
        case _:
            return Kind(wholes=_configurations(), arguments=_audit, is_json=False)
