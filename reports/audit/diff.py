"""Changes of lines as unified diffs. No line around a change is shown: `patch` and `git apply --unidiff-zero` take it so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from neverlost.studies.audit.edits import LineChange

from ..printable import printable
from .plain_text import one_line

UNENDED = "\\ No newline at end of file"


def diffs(lines: Sequence[LineChange]) -> Mapping[str, list[str]]:
    """The lines of a diff for each file that changes."""
    by_file: dict[str, list[LineChange]] = {}
    for line in lines:
        by_file.setdefault(line.place.file, []).append(line)
    return {file: list(_diff(file, found)) for file, found in by_file.items()}


def _diff(file: str, lines: Sequence[LineChange]) -> Iterator[str]:
    yield f"--- {one_line(file)}"
    yield f"+++ {one_line(file)}"
    added = 0
    for line in sorted(lines, key=lambda change: change.place.line or 0):
        at, new = line.place.line or 0, line.before is None
        added += new
        yield f"@@ -{at}{',0' if new else ''} +{at + added} @@"
        ending = [] if line.end else [UNENDED]
        if line.before is not None:
            yield from (f"-{printable(line.before)}", *ending)
        yield from (f"+{printable(line.after)}", *ending)
