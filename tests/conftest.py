"""Options and settings of the whole test suite."""

from __future__ import annotations

import pytest
from command_line import Run, running
from hypothesis import HealthCheck, settings

# The same examples on every run and every machine, and no judgement by the clock.
settings.register_profile(
    "neverlost",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.load_profile("neverlost")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="run every golden row on the compiled engine, and those below 200,000 states on the interpreted one",
    )
    parser.addoption(
        "--timer-million",
        action="store_true",
        help="hold the timing wheel against a heap with 1,000,000 tasks, not 20,000",
    )
    parser.addoption(
        "--soak-steps", default="300", help="how many random steps of each model are done by the in-process brokers too"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(id): the rule of how Kafka works that the test is about")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line within this process."""
    return running(capsys)
