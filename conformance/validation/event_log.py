"""Event logs as text: one JSON object per line, each an event, after a header that names the model. This module knows no model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from neverlost.explorer.files.json_reading import JsonError, read_json
from neverlost.model.core import NeverlostError

from ..malformed import MalformedLine

SCHEMA = 1
KIND = "events"
HEADER_KEYS = {"profile": str, "bounds": dict, "settings": dict, "hidden": list, "hidden_steps": int}
EVENT_KEYS = ("event", "parameters", "observed", "note")
EXPECTED = 'an object like {"event": "fetch", "parameters": {"follower": "r2"}, "observed": {"log_end": {"r2": 3}}}'
LONGEST_LINE = 1 << 20
"""Every valid observation of a model fits in so many bytes; a longer line is reported as wrong, and not read."""
SHOWN, SHOWN_OF_ALL = 60, 400
"""How much of a wrong line a message repeats, and how long the message may be."""
MOST_NOTED = 1_000
"""At most so many errors are reported; the others are counted."""


class EventLogError(NeverlostError):
    """A file is not an event log, or its header is wrong."""


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the first line of a log may say about its model; None if it does not."""

    profile: str | None = None
    bounds: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] | None = None
    hidden_steps: int | None = None


@dataclass
class Notes:
    """The errors in a log: how many, and the first MOST_NOTED of them."""

    noted: list[MalformedLine] = field(default_factory=list)
    count: int = 0

    @property
    def full(self) -> bool:
        """Whether no more errors will be reported."""
        return len(self.noted) == MOST_NOTED

    def add(self, line: int, what: str, expected: str) -> None:
        """Add an error."""
        self.count += 1
        if not self.full:
            self.noted.append(MalformedLine(line=line, what=cut(what), expected=expected))


def cut(text: str, longest: int = SHOWN_OF_ALL) -> str:
    """A text from any source, made safe for a message."""
    return text if len(text) <= longest else f"{text[:longest]}..."


NOTHING: Mapping[str, Any] = {}
"""The default of parts that most events lack; they share it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedEvent:
    """An event in the log. Without a name nothing is known about it: its line is malformed."""

    line: int
    event: str | None
    parameters: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    observed: Mapping[str, Any] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, kw_only=True)
class EventLog:
    """A log as it was read; `notes` say which parts could not be read."""

    name: str
    header: Header
    entries: tuple[LoggedEvent, ...]
    notes: Notes


def event_line(event: str, parameters: Mapping[str, Any], observed: Mapping[str, Any]) -> str:
    """The line of an event; empty parts are left out."""
    parts = {"parameters": dict(parameters), "observed": dict(observed)}
    return json.dumps({"event": event, **{key: value for key, value in parts.items() if value}})


def header_line(header: Header) -> str:
    """The line of a header."""
    values = {key: getattr(header, key) for key in HEADER_KEYS}
    return json.dumps({"neverlost": KIND, "schema": SCHEMA, **{k: v for k, v in values.items() if v is not None}})


def read_event_log(lines: Iterable[bytes], name: str) -> EventLog:
    """The log in a file called `name`. Wrong lines are kept as malformed, in their place.

    Raises EventLogError for a header that is wrong, or if no line is an event.
    """
    header, entries, notes = Header(), list[LoggedEvent](), Notes()
    first = True
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        value, problem = _parsed(raw)
        if first and isinstance(value, dict) and "neverlost" in value:
            header = _header(value, name, number)
        else:
            entry, problems = (LoggedEvent(line=number, event=None), [problem]) if problem else _entry(value, number)
            entries.append(entry)
            for what, expected in problems:
                notes.add(number, what, expected)
        first = first and problem is not None
    if all(entry.event is None for entry in entries):
        sample = f": {notes.noted[0].show()}" if notes.noted else ""
        raise EventLogError(f"{name} is not an event log: none of its lines is an event{sample}")
    return EventLog(name=name, header=header, entries=tuple(entries), notes=notes)


Problem = tuple[str, str]


def _parsed(raw: bytes) -> tuple[Any, Problem | None]:
    try:
        if len(raw) > LONGEST_LINE:
            raise JsonError(f"has more than {LONGEST_LINE:,} bytes")
        return read_json(raw), None
    except JsonError as error:
        text = raw[: 4 * SHOWN + 4].decode(errors="replace").strip()
        return None, (f"{cut(text, SHOWN)!r} {error}", EXPECTED)


def _header(value: Mapping[str, Any], name: str, number: int) -> Header:
    where = f"{name}: line {number}, the header"
    if value["neverlost"] != KIND or value.get("schema") != SCHEMA:
        raise EventLogError(f'{where}, does not say "neverlost": "{KIND}", "schema": {SCHEMA}')
    for key, given in value.items():
        if key in ("neverlost", "schema"):
            continue
        if key not in HEADER_KEYS:
            raise EventLogError(f"{where}, has the unknown key {key!r:.{SHOWN}}; its keys are {', '.join(HEADER_KEYS)}")
        if not isinstance(given, HEADER_KEYS[key]) or isinstance(given, bool):
            raise EventLogError(
                f"{where}: {key} is {given!r:.{SHOWN}}, which is not a value of type {HEADER_KEYS[key].__name__}"
            )
    if value.get("hidden_steps", 0) < 0:
        raise EventLogError(f"{where}: hidden_steps is {value['hidden_steps']}; it must be 0 or more")
    values: dict[str, Any] = {key: value[key] for key in HEADER_KEYS if key in value}
    if "hidden" in values:
        values["hidden"] = tuple(str(action) for action in values["hidden"])
    return Header(**values)


def _entry(value: Any, number: int) -> tuple[LoggedEvent, list[Problem]]:
    if not isinstance(value, dict):
        return LoggedEvent(line=number, event=None), [("it is not a JSON object", EXPECTED)]
    problems: list[Problem] = []
    unknown = [key for key in value if key not in EVENT_KEYS]
    if unknown:
        problems.append((f"the key {unknown[0]!r} is unknown", f"only {', '.join(EVENT_KEYS)}"))
    event = value.get("event")
    if not isinstance(event, str):
        what = '"event" is missing' if event is None else f'"event" is {event!r}'
        problems.append((what, "the name of an action"))
        event = None
    parts: dict[str, Mapping[str, Any]] = {}
    for key in ("parameters", "observed"):
        parts[key] = value.get(key, NOTHING)
        if parts[key] is NOTHING:
            continue
        if not isinstance(parts[key], dict):
            problems.append((f'"{key}" is {parts[key]!r}', "an object"))
            parts[key] = NOTHING
    return LoggedEvent(line=number, event=event, **parts), problems
