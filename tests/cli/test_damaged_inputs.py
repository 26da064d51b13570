"""Whatever is in a file that a command reads, the command ends with an exit code that is documented, and never with a traceback."""

from __future__ import annotations

import faulthandler
import sys
from collections import Counter
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path

import pytest
from command_line import Run
from damaged_inputs import KINDS, kind_of

from neverlost.conformance.history import operations
from neverlost.explorer.process.memory import peak_bytes

DOCUMENTED = (0, 1, 2, 3)
OF_EACH_TWENTY = {
    "history in JSON": 5,
    "history in EDN": 5,
    "event log": 3,
    "suite": 3,
    "trace": 3,
    "configuration": 1,
}
"""How many of twenty inputs are of a kind; an audit takes a second, all others a fiftieth."""
MOST_SECONDS, MOST_BYTES = 300, 1 << 30


@pytest.fixture
def watched() -> Iterator[None]:
    """An input that hangs ends the tests, and tells where; all inputs together take no more than so much memory."""
    before = peak_bytes()
    yield
    faulthandler.cancel_dump_traceback_later()
    assert peak_bytes() < before + MOST_BYTES


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_input_ends_with_a_documented_exit_code(
    name: str, run: Run, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = int(request.config.getoption("--damaged-inputs")) * OF_EACH_TWENTY[name] // 20
    codes = Counter[int]()
    # As Python has its standard error, which pytest replaces: what cannot be encoded is escaped.
    assert isinstance(sys.stderr, TextIOWrapper)
    sys.stderr.reconfigure(errors="backslashreplace")
    for number, arguments in kind_of(name, tmp_path).inputs(name, count, tmp_path):
        faulthandler.dump_traceback_later(MOST_SECONDS, exit=True, file=sys.__stderr__)
        code, out, err = run(*arguments)
        assert code in DOCUMENTED, f"{name} {number} ends with {code}: {err[-2_000:]}"
        assert "Traceback" not in out + err
        codes[code] += 1
        if name == "history in EDN":
            with monkeypatch.context() as slowly:
                slowly.setattr(operations, "plain_forms", lambda lines: [None] * len(lines))
                assert run(*arguments)[:2] == (code, out), f"{name} {number} is another one if it is read form by form"
    print(f"{name}: {codes.total():,} inputs, by exit code {dict(sorted(codes.items()))}")
    assert codes.total() == count
    assert codes[2] > 0
