"""The ledger of bugs as a page: a time line of releases, with a bar for every loss that Kafka had, which opens its story."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.words import counted
from neverlost.spec.bugs import Bug
from neverlost.spec.families import bugs_by_family
from neverlost.spec.kafka.releases import RELEASES
from neverlost.studies.recorded import answer, command_of, recorded_trace

from ..layout import shell_lines
from ..pages.page import filled, whole_page
from ..trace.page import story_section, symbols

TICKET = re.compile(r"KAFKA-\d+")
TRACKER = "https://issues.apache.org/jira/browse/"


def line_of(release: str) -> str:
    """The line of releases that one is of: 0.8 has 0.8.2.1, and 3.9 has 3.9.2."""
    return ".".join(release.split(".")[:2])


LINES = tuple(dict.fromkeys(map(line_of, RELEASES)))


def bugs_html(bugs: Sequence[Bug]) -> str:
    """The page: one file. With one bug alone, its story also has what else could have happened."""
    alone = len(bugs) == 1
    found = sum(bug.lost is not None for bug in bugs)
    still = f"{sum(map(_is_open, bugs))} are in {RELEASES[-1]} still"
    title = f"{', '.join(bugs[0].jira)}: {bugs[0].what}" if alone else f"{len(bugs)} losses that Kafka had: {still}"
    shown = [(bug, _values(bug, with_beyond=alone)) for bug in sorted(bugs, key=_ended)]
    groups = {
        f"In the newest release that is known here, {RELEASES[-1]}": [v for bug, v in shown if _is_open(bug)],
        "Fixed": [values for bug, values in shown if bug.spans and not _is_open(bug)],
        "In no release: fixed before one had it": [values for bug, values in shown if not bug.spans],
    }
    body = filled(
        "bugs/bugs.html.j2",
        title=title,
        summary="" if alone else f"{found} of {len(bugs)} are found on a released version.",
        ticks=[
            {
                "name": line,
                "at": _share(number),
                "width": _share(1),
                "major": line == "0.8" or line.endswith(".0"),
            }
            for number, line in enumerate(LINES)
        ],
        groups={name: values for name, values in groups.items() if values},
        families={name: _among(bugs, of) for name, of in bugs_by_family().items() if _among(bugs, of)},
        kinds={"found": any(bug.lost is not None for bug in bugs), "left_out": any(bug.lost is None for bug in bugs)},
        alone=alone,
    )
    return whole_page(title, body, scripts=["trace/story.js", "bugs/bugs.js"], styles=["bugs/bugs.css"])


def _among(bugs: Sequence[Bug], of_family: Sequence[Bug]) -> int:
    """How many bugs of a family are shown."""
    return sum(bug in of_family for bug in bugs)


def _is_open(bug: Bug) -> bool:
    return bool(bug.spans) and bug.spans[-1][1] == RELEASES[-1]


def _ended(bug: Bug) -> tuple[float, float]:
    """What was fixed first comes first; of what was fixed together, what was there first."""
    if not bug.spans:
        return len(LINES), 0
    return _place(bug.spans[-1][1]), _place(bug.spans[0][0])


def _place(release: str) -> float:
    """Where a release is on the line. All lines of releases are equally long."""
    line = line_of(release)
    of_line = [each for each in RELEASES if line_of(each) == line]
    return LINES.index(line) + of_line.index(release) / len(of_line)


def _end(release: str) -> float:
    """Where the next release is."""
    following = RELEASES.index(release) + 1
    return len(LINES) if following == len(RELEASES) else _place(RELEASES[following])


def _share(place: float) -> str:
    return f"{100 * place / len(LINES):.4g}"


def _values(bug: Bug, *, with_beyond: bool) -> dict[str, Any]:
    said = {
        "name": bug.name,
        "family": next(name for name, of in bugs_by_family().items() if bug in of),
        "names": ", ".join(bug.jira),
        "links": {name: f"{TRACKER}{name}" for name in bug.jira if TICKET.fullmatch(name)},
        "bars": [
            {"from": _share(_place(first)), "width": _share(_end(last) - _place(first))} for first, last in bug.spans
        ],
        "open": _is_open(bug),
        "what": bug.what,
        "releases": bug.releases if bug.spans else "no release",
        "statement": bug.statement,
        "fixed": bug.fixed,
        "left_out": bug.left_out,
        "note": bug.note,
        "found": "",
        "story": "",
    }
    if bug.lost is None or bug.kept is None:
        return said
    trace = recorded_trace(bug.lost)
    return said | {
        "found": f"{bug.lost.profile}, {counted(len(trace.steps), 'step')}",
        "sentence": sentence(trace),
        "symbols": symbols(trace.model),
        "story": story_section(trace, "step" if with_beyond else f"{bug.name}-step", with_beyond=with_beyond),
        "command": shell_lines(check_command(trace), ""),
        "kept": f"On the fixed version, {bug.kept.property} {answer(bug.kept)}",
        "kept_command": shell_lines(command_of(bug.kept), ""),
    }
