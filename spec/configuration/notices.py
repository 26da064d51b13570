"""What is wrong or suspicious in a configuration, said so that it can be fixed: where, what, why, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neverlost.model.core import NeverlostError


def place_of(file: str | None, line: int | None) -> str:
    """How a place is written: `topic.properties:3`, only the name of what has no lines, or empty."""
    return (file or "") if line is None else f"{file}:{line}"


NOT_UNDERSTOOD = "What is not understood here could change the verdict."
"""Why a reader refuses what it does not know."""


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One thing to say about a configuration. `file` and `line` are None if it is about no line of a file.

    `decides`: could the verdict be different if the assumption is wrong? Then the notice is shown with the verdict. `unchecked` names
    what the files have and the model does not; empty for other notices.
    """

    what: str
    why: str = ""
    advice: str = ""
    key: str | None = None
    file: str | None = None
    line: int | None = None
    decides: bool = False
    unchecked: str = ""

    @property
    def place(self) -> str:
        """Where it is: `topic.properties:3`, or empty."""
        return place_of(self.file, self.line)

    @property
    def text(self) -> str:
        """The whole notice on one line: place, key, what, why, what to do."""
        return " ".join(part for part in (self.short, self.why, self.advice) if part)

    @property
    def short(self) -> str:
        """Place, key and what, without why and what to do."""
        return "".join(f"{part}: " for part in (self.place, self.key) if part) + self.what

    def __str__(self) -> str:
        return self.text


class ConfigurationError(NeverlostError):
    """The configuration cannot be audited; `problems` holds everything that is wrong with it, not only the first."""

    def __init__(self, problems: Iterable[Notice]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problem.text for problem in self.problems))
