"""The command line within this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neverlost.cli.main import main

Run = Callable[..., tuple[int, str, str]]
"""Takes arguments; returns the exit code, and what was written to standard output and to standard error."""


def running(capsys: pytest.CaptureFixture[str], *before: str) -> Run:
    """What runs `neverlost` with the arguments `before` and its own."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main([*before, *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
