"""The default bounds of a profile of one's own are checked like those of an option."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Run
from written_traces import COUNTER


@pytest.mark.parametrize("value", ['"x"', "None", "1.5", "True", "0", "-1", "10**400", "1 << 21", "[]"])
def test_a_default_bound_that_is_no_bound_is_an_error_of_the_profile_with_its_line(
    value: str, run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "counter.py"
    path.write_text(COUNTER.replace('{"counts": 4}', f'{{"counts": {value}}}'), encoding="utf-8")
    line = COUNTER[: COUNTER.index("COUNTER = Profile(")].count("\n") + 1
    for command in ("check", "describe"):
        code, out, err = run(command, f"{path}:COUNTER")
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {path}:{line}: counts is ")
        assert err.endswith(" by default; write a whole number from 1 to 1048576\n")
