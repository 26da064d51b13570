"""Options and settings of the whole test suite."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Run, running
from hypothesis import HealthCheck, settings
from published_json import write_checked
from started_commands import started_commands

from neverlost.cli.output import Output
from neverlost.explorer.files.folders import cache_folder

# Java compiles quickly rather than well: no test runs long enough to gain by more.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# The same examples on every run and every machine, and no judgement by the clock.
settings.register_profile(
    "neverlost",
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("neverlost, thorough", settings.get_profile("neverlost"), max_examples=200)
settings.load_profile("neverlost")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="run what takes longer too: larger bounds, more samples, every golden row",
    )
    parser.addoption(
        "--brokers",
        action="store_true",
        help="run what starts clusters of real brokers too, which needs Java and Maven",
    )
    parser.addoption(
        "--timer-million",
        action="store_true",
        help="hold the timing wheel against a heap with 1,000,000 tasks, not 20,000",
    )
    parser.addoption(
        "--damaged-inputs", default="40", help="how many damaged files are given to the commands that read files"
    )
    parser.addoption(
        "--soak-steps", default="100", help="how many random steps of each model are done by the in-process brokers too"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--thorough"):
        settings.load_profile("neverlost, thorough")
    # Programs that tests start import the package that is installed, not the folder neverlost of the checkout that they start in;
    # what they import from tests/support is found all the same.
    os.environ["PYTHONSAFEPATH"] = "1"
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SUPPORT), os.environ.get("PYTHONPATH")]))
    # Workers take what begins first here first, not the file with the most tests.
    if hasattr(config.option, "loadscopereorder") and not config.getoption("--thorough"):
        config.option.loadscopereorder = False
    config.addinivalue_line("markers", "rule(id): the rule of how Kafka works that the test is about")
    config.addinivalue_line("markers", "thorough: the test runs only with --thorough")
    config.addinivalue_line("markers", "brokers: the test starts real brokers, and runs only with --brokers")


SUPPORT = Path(__file__).parent / "support"

SLOW_FIRST = (
    "tests/spark_explore",
    "tests/studies/test_audit",
    "tests/docs/test_shell_blocks.py",
    "tests/pages",
    "tests/studies",
    "tests/cli",
    "tests/spec/test_claims.py",
    "tests/conformance",
    "tests/spec/kafka",
    "tests/explorer",
)
"""What takes longest begins first, so that no worker is left with it at the end."""

SPREAD = ("tests/docs/test_shell_blocks.py",)
"""Files so long that all workers take their tests. Else the tests of a file share what one worker has loaded and compiled for them,
if they are not so long as with `--thorough`."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for marker in ("thorough", "brokers"):
        if config.getoption(f"--{marker}"):
            continue
        kept, left_out = [], []
        for item in items:
            (left_out if item.get_closest_marker(marker) else kept).append(item)
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    items.sort(key=lambda item: next((n for n, name in enumerate(SLOW_FIRST) if item.nodeid.startswith(name)), 99))
    for item in [] if config.getoption("--thorough") else items:
        file = item.nodeid.partition("::")[0]
        if file not in SPREAD and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(file))


def pytest_collection_finish() -> None:
    # What was imported and collected is there until the end: no collection of garbage looks through it again. Searches make many
    # objects and few circles, so garbage is looked for less often too.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def pytest_sessionfinish() -> None:
    # pytest looks for garbage five times at the end. Once tells the same, where nothing is kept by who ends.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether what takes longer is asked for."""
    return bool(pytestconfig.getoption("--thorough"))


@pytest.fixture(scope="session")
def store() -> Path:
    """The store of answers that commands use by default: what one test has searched for, another finds there."""
    return cache_folder() / "answers"


@pytest.fixture(scope="session")
def started() -> Iterator[Path]:
    """A folder with a `neverlost` that need not import everything again for each command."""
    with started_commands() as folder:
        yield folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line within this process."""
    return running(capsys)


@pytest.fixture(scope="session", autouse=True)
def what_commands_write_as_json_is_as_published() -> Iterator[None]:
    """Every JSON that the command line writes within this process is compared with its schema."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Output, "write", write_checked)
        yield
