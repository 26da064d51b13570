"""How a history is written, so that what is said of it uses its own notation: EDN or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LONGEST = 60


@dataclass(frozen=True, kw_only=True)
class Notation:
    """Words for a form of histories: how it writes a key, and what is expected where something is wrong."""

    key: Callable[[str], str]
    null: str
    form: str
    operation: str
    parts: str
    part: str
    poll: str
    offsets: str
    pairs: str
    show_plain: Callable[[Any], str]

    def show(self, value: Any) -> str:
        """The value as it is written there, cut off where it is long."""
        text = self.null if value is None else self.show_plain(value)
        return text if len(text) <= LONGEST else text[:LONGEST]


def _in_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


EDN = Notation(
    key=lambda name: f":{name}",
    null="nil",
    form="a map",
    operation="an operation: a map with :type, :f, :process and :value",
    parts="a list like [[:send 5 [0 123]] [:poll {5 [[0 123]]}]]",
    part="[:send 5 [0 123]] or [:poll {5 [[0 123]]}]",
    poll="[:poll {5 [[0 123] [1 124]]}]",
    offsets="a map of offsets by partition, like {5 17}",
    pairs="a list of [offset value]",
    show_plain=repr,
)
JSON = Notation(
    key=lambda name: f'"{name}"',
    null="null",
    form="an object",
    operation='an operation: an object with "type", "f", "process" and "value"',
    parts='a list like [["send", 5, [0, 123]], ["poll", {"5": [[0, 123]]}]]',
    part='["send", 5, [0, 123]] or ["poll", {"5": [[0, 123]]}]',
    poll='["poll", {"5": [[0, 123], [1, 124]]}]',
    offsets='an object with offsets by partition, like {"orders-0": 17}',
    pairs="a list of [offset, value]",
    show_plain=_in_json,
)
