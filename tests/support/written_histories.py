"""Histories written by hand or at random, as JSON or EDN, and what is found in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from io import BufferedReader, BytesIO
from typing import Any

from neverlost.conformance.history import KINDS, Anomaly, History, Judge, Recorder, forms_of, notation_of

Op = dict[str, Any]


def op(kind: str, function: str, process: int | str, value: object = None, **more: object) -> Op:
    return {"type": kind, "f": function, "process": process, "value": value, **more}


def send(process: int, partition: int, value: object, offset: int | None, kind: str = "ok") -> list[Op]:
    """A send with its answer: at an offset, or refused, or indeterminate."""
    answer: object = value if kind != "ok" else [offset, value]
    return [
        op("invoke", "send", process, [["send", partition, value]]),
        op(kind, "send", process, [["send", partition, answer]]),
    ]


def poll(process: int, partition: int, *pairs: Sequence[object]) -> list[Op]:
    """A poll that got these pairs of an offset and a value."""
    return [
        op("invoke", "poll", process, [["poll"]]),
        op("ok", "poll", process, [["poll", {str(partition): [list(pair) for pair in pairs]}]]),
    ]


def assign(process: int, partition: int, how: str = "assign") -> list[Op]:
    return [op("invoke", how, process, [partition]), op("ok", how, process, [partition])]


def as_json(operations: Iterable[Op]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in operations)


def as_edn(value: Any) -> str:
    match value:
        case None:
            return "nil"
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{edn_key(key)} {as_edn(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + " ".join(map(as_edn, value)) + "]"
        case str() if value.isidentifier():
            return f":{value}"
        case str():
            return json.dumps(value)
    return str(value)


def edn_key(key: str) -> str:
    return key if key.isdecimal() else f":{key}"


def edn_lines(operations: Iterable[Op]) -> str:
    return "".join(f"{as_edn(one)}\n" for one in operations)


def recorded(text: str | bytes) -> History:
    file = BufferedReader(BytesIO(text.encode() if isinstance(text, str) else text))  # type: ignore[arg-type]
    recorder = Recorder(notation_of(file))
    recorder.take(forms_of(file, recorder.note))
    return recorder.history("written")


def judged(*operations: Sequence[Op]) -> dict[str, list[Anomaly]]:
    """The findings by kind, kinds without any left out."""
    history = recorded(as_json(one for part in operations for one in part))
    assert history.malformed == ()
    return {kind: found for kind, found in Judge(history).anomalies().items() if found}


def shown(*operations: Sequence[Op]) -> dict[str, list[tuple[str, list[int]]]]:
    """By kind: the value, and the numbers of the operations that show it."""
    found = judged(*operations)
    assert set(found) <= set(KINDS)
    return {
        kind: [(str(one.value), [mention.operation for mention in one.mentions]) for one in findings]
        for kind, findings in found.items()
    }
