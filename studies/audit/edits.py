"""What a fix changes in the lines of the files that were read: lines to replace and to add, and what no line of a file can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neverlost.spec.configuration import Deployment, SourcedValue
from neverlost.spec.configuration.configuration_file import ConfigEntry, ConfigurationFile
from neverlost.spec.configuration.defaults import CONFIGURATION_KEYS
from neverlost.spec.configuration.forms.properties_file import BLANKS
from neverlost.spec.configuration.forms.properties_file import FORM as PROPERTIES
from neverlost.spec.exposure import VERSION, ConfigurationChange

ROLE_OF = {setting.key: setting.role for setting in CONFIGURATION_KEYS}

TOOLS = {
    "replication.factor": "kafka-reassign-partitions.sh",
    "eligible.leader.replicas.version": "kafka-features.sh upgrade",
}
"""The tools that change what no file can change."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A file, and a line in it if one is meant."""

    file: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class LineChange:
    """A line of a file that a fix replaces; or a line that it adds below this place, where there is none before: below 0 is the top.

    `end` is how this line of the file ends: with a line feed, another sign, or, as the last one may, with nothing.
    """

    place: Place
    before: str | None
    after: str
    end: str = "\n"


@dataclass(frozen=True, kw_only=True)
class Edits:
    """All changes of a fix: as `lines`, and the `rest`, which is not to be done in a line of a file."""

    lines: tuple[LineChange, ...]
    rest: tuple[ConfigurationChange, ...]

    @property
    def complete(self) -> tuple[LineChange, ...]:
        """The lines, if they are all that has to be done, and some are there already: what is only added may have another home."""
        return () if self.rest or all(line.before is None for line in self.lines) else self.lines


def edits_of(deployment: Deployment, changes: Sequence[ConfigurationChange]) -> Edits:
    """What to do in which lines. A key is replaced wherever a file of the same role has it, so that files still agree."""
    lines: list[LineChange] = []
    rest: list[ConfigurationChange] = []
    for change in changes:
        found = [] if change.key == VERSION or change.key in TOOLS else _lines(deployment, change)
        lines += found
        rest += [] if found else [change]
    return Edits(lines=tuple(lines), rest=tuple(rest))


def _lines(deployment: Deployment, change: ConfigurationChange) -> list[LineChange]:
    """The lines for a change; none if it cannot be made in lines alone."""
    source = deployment.sources.get(change.key)
    if source is None or source.file is None:
        added = next(_added(deployment, change), None)
        return [] if added is None else [added]
    role = next((f.role for f in deployment.files for entry in f.entries if _is_of(entry, source)), None)
    entries = [e for file in deployment.files if file.role == role for e in file.entries if e.key == source.key]
    replaced = [_replaced(entry, change.value) for entry in entries]
    return [] if None in replaced else [line for line in dict.fromkeys(replaced) if line is not None]


def _is_of(entry: ConfigEntry, source: SourcedValue) -> bool:
    return (entry.file, entry.line, entry.key) == (source.file, source.line, source.key)


def _replaced(entry: ConfigEntry, value: str) -> LineChange | None:
    """A line `key=value` of a .properties file, with the value exchanged; None for what is written otherwise."""
    if entry.written is None or not entry.separator:
        return None
    head, sign, tail = entry.written.partition(entry.separator)
    if head.strip(BLANKS) != entry.key:
        return None
    kept = head + sign + tail[: len(tail) - len(tail.lstrip(BLANKS))]
    return LineChange(
        place=Place(file=entry.file, line=entry.line), before=entry.written, after=kept + value, end=entry.line_end
    )


def _added(deployment: Deployment, change: ConfigurationChange) -> Iterator[LineChange]:
    """The line to add to a plain .properties file of whoever takes the key: below an entry that is one whole line, or at the top."""
    role = ROLE_OF[change.key]
    files = [file for file in deployment.files if file.role == role]
    if all(_is_plain(file) for file in files):
        for file in files:
            whole = [e for e in file.entries if e.written is not None and e.line_end]
            line = whole[-1].line if whole else 0
            end = whole[-1].line_end if whole else "\n"
            place = Place(file=file.path, line=line)
            yield LineChange(place=place, before=None, after=f"{change.key}={change.value}", end=end)


def _is_plain(file: ConfigurationFile) -> bool:
    return file.form == PROPERTIES and not file.printed
