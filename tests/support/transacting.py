"""Transactions and groups of histories, written by hand."""

from __future__ import annotations

from typing import Any

from written_histories import Op, op

Part = list[Any]


def send_to(partition: int, value: object, offset: int | None = None) -> Part:
    """A part of a transaction that sends, with its offset if that is known."""
    return ["send", partition, value if offset is None else [offset, value]]


def poll_of(**pairs: list[list[object]]) -> Part:
    """A part of a transaction that polls: `p5=[[0, 10]]` got 10 at offset 0 of partition 5."""
    return ["poll", {name[1:]: got for name, got in pairs.items()}]


def txn(process: int, *parts: Part, kind: str = "ok", function: str = "txn") -> list[Op]:
    """A transaction in one operation, as Jepsen writes it."""
    asked = [["poll"] if part[0] == "poll" else [*part[:2], _value(part[2])] for part in parts]
    return [op("invoke", function, process, asked), op(kind, function, process, list(parts))]


def _value(sent: Any) -> Any:
    return sent[1] if isinstance(sent, list) else sent


def step(function: str, process: str, value: object = None, *, kind: str = "ok", **more: object) -> list[Op]:
    """An operation of the simple form, with its invocation; an offset is known only to the answer."""
    known = {name: one for name, one in more.items() if name != "offset"}
    return [op("invoke", function, process, value, **known), op(kind, function, process, value, **more)]


def produced(process: str, key: str, value: object, offset: int, kind: str = "ok") -> list[Op]:
    return step("produce", process, value, kind=kind, key=key, offset=offset)


def consumed(process: str, key: str, value: object, offset: int, **more: object) -> list[Op]:
    return step("consume", process, value, key=key, offset=offset, **more)


def committed(process: str, group: str, *, kind: str = "ok", **offsets: int) -> list[Op]:
    return step("commit-offsets", process, offsets, kind=kind, group=group)
