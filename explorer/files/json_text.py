"""JSON that people can read: a value that fits on one line is on one line."""

from __future__ import annotations

import json
from typing import Any

WIDTH = 120


def json_text(value: Any) -> str:
    """The value as JSON text, broken into lines only where a line would be too long; ends with a newline."""
    return _broken(value, 0) + "\n"


def _broken(value: Any, indent: int) -> str:
    line = json.dumps(value)
    if indent + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {_broken(item, indent + 1)}" for key, item in value.items()]
    else:
        parts = [inner + _broken(item, indent + 1) for item in value]
    start, end = "{}" if isinstance(value, dict) else "[]"
    return f"{start}\n" + ",\n".join(parts) + f"\n{' ' * indent}{end}"
