"""The exit codes of neverlost."""

from __future__ import annotations

from enum import IntEnum

from ..verdict import Verdict


class ExitCode(IntEnum):
    """The exit codes of every command; docs/reference/cli.md documents them."""

    HOLDS = 0
    VIOLATED = 1
    WRONG_INPUT = 2
    UNDECIDED = 3
    INTERNAL_ERROR = 70
    """Python would exit with 1, which says that a property is violated; this is EX_SOFTWARE of sysexits.h."""
    INTERRUPTED = 130
    READER_HAS_GONE = 141

    @classmethod
    def of(cls, verdict: Verdict) -> ExitCode:
        """The exit code of a search, a proof or an audit with this verdict."""
        codes = {
            Verdict.HOLDS: cls.HOLDS,
            Verdict.PROVEN: cls.HOLDS,
            Verdict.VIOLATED: cls.VIOLATED,
            Verdict.UNDECIDED: cls.UNDECIDED,
        }
        return codes[verdict]
