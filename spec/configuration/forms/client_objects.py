"""A client's configuration as one flat JSON object, or as INI sections, as the clients of other languages are given it."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Iterator
from typing import Any

from ..catalogue import catalogue
from ..configuration_file import ConfigEntry, SourceText, duplicates
from ..notices import ConfigurationError
from .librdkafka import is_key

COMMON = "default"
SECTIONS = (COMMON, "producer", "consumer")
SECTION = re.compile(rf"^\[({'|'.join(SECTIONS)})\]\s*$", re.MULTILINE)
TAKES = "Which of them is taken depends on the reader."


def is_client_object(source: SourceText) -> bool:
    """Is the text a JSON object with keys of a client among its own?"""
    if not source.text.lstrip().startswith("{"):
        return False
    try:
        found = json.loads(source.text)
    except (ValueError, RecursionError):
        return False
    clients = [key for role in ("producer", "consumer") for key in catalogue().keys[role]]
    return (
        isinstance(found, dict)
        and any(key in clients or is_key(key) for key in found)
        and "connector.class" not in found
    )


def entries_of_object(source: SourceText) -> tuple[ConfigEntry, ...]:
    """The entries of a flat JSON object. Raises ConfigurationError for values with parts and keys that are there twice."""
    pairs: list[tuple[str, Any]] = json.loads(source.text, object_pairs_hook=list)
    entries, problems, position = [], [], 0
    for key, value in pairs:
        position = (
            source.text.index(json.dumps(key), position) if json.dumps(key) in source.text[position:] else position
        )
        line = source.text.count("\n", 0, position) + 1
        if isinstance(value, list) or value is None:
            what = "its value has parts, or is null."
            problems.append(
                ConfigEntry(key=key, value="", file=source.path, line=line).notice(what, advice="Write a plain value.")
            )
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        entries.append(ConfigEntry(key=key, value=text, file=source.path, line=line, separator=":"))
    problems += duplicates(entries, TAKES)
    if problems:
        raise ConfigurationError(problems)
    return tuple(entries)


def is_sections(source: SourceText) -> bool:
    """Does the text begin with a section that is named as those of clients are?"""
    lines = (line for line in source.text.splitlines() if line.strip() and line.lstrip()[0] not in "#;")
    return SECTION.match(next(lines, "")) is not None


def sections_of(source: SourceText) -> dict[str, tuple[ConfigEntry, ...]]:
    """The entries of each section; what [default] has is in the others too. Raises ConfigurationError."""
    parser = configparser.RawConfigParser(default_section="", inline_comment_prefixes=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(source.text)
    except configparser.Error as error:
        what = f"this is no INI file: {error.message.splitlines()[0]}."
        raise ConfigurationError(
            [source.notice(what, advice="Correct the file.", line=getattr(error, "lineno", None))]
        ) from None
    for name in parser.sections():
        for key, value in parser.items(name):
            if "\n" in value:
                what = f"the value of {key} goes on in another line."
                advice = "Write each key at the left margin."
                raise ConfigurationError([source.notice(what, advice=advice, line=_line(source, name))])
    others = [name for name in parser.sections() if name not in SECTIONS]
    if others:
        what, advice = (
            f"what reads section [{others[0]}] is not known.",
            f"Keep {', '.join(f'[{name}]' for name in SECTIONS)}.",
        )
        raise ConfigurationError([source.notice(what, advice=advice, line=_line(source, others[0]))])
    own = {name: list(_entries(source, parser, name)) for name in parser.sections()}
    roles = [name for name in own if name != COMMON] or [COMMON]
    return {name: tuple({entry.key: entry for entry in (*own.get(COMMON, ()), *own[name])}.values()) for name in roles}


def _entries(source: SourceText, parser: configparser.RawConfigParser, section: str) -> Iterator[ConfigEntry]:
    lines = source.text.splitlines()
    first = _line(source, section)
    for key, value in parser.items(section):
        at = (n for n in range(first, len(lines)) if re.match(rf"{re.escape(key)}\s*[=:]", lines[n]))
        yield ConfigEntry(key=key, value=value, file=source.path, line=next(at, first) + 1)


def _line(source: SourceText, section: str) -> int:
    found = re.search(rf"^\[{re.escape(section)}\]", source.text, re.MULTILINE)
    return 1 if found is None else source.text.count("\n", 0, found.start()) + 1
