"""`neverlost record` without brokers: options that do not go together are refused before anything starts."""

from __future__ import annotations

import pytest
from command_line import Run

from neverlost.cli.commands.record import numbered


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--faults", "crash,earthquake"], "'earthquake' is no fault; there are crash, pause, hold, move"),
        (["--client", "java", "--out", "run.ndjson"], "--out needs --client raw"),
        (["--client-setting", "linger.ms=0"], "--client-setting is for --client java and librdkafka"),
        (["--client", "java", "--client-setting", "linger.ms"], "write KEY=VALUE"),
        (["--kafka", "0.9.0.1"], "its followers fetch any number of records at once"),
        (["--kafka", "0.10.2.2", "--client", "java"], "record it with the raw client"),
        ([], "name a file for the event logs with --out, or for the history with --history"),
    ],
)
def test_what_does_not_go_together_is_refused(run: Run, options: list[str], why: str) -> None:
    code, out, err = run("record", "--kafka", "4.1.1", *options)
    assert (code, out) == (2, "")
    assert why in " ".join(err.split())


def test_each_run_has_a_file_of_its_own() -> None:
    assert [str(numbered("logs/run.ndjson", number)) for number in (1, 12)] == [
        "logs/run-001.ndjson",
        "logs/run-012.ndjson",
    ]
