"""The Python API: its names, the examples of its docstrings, and the page that is made from them."""

from __future__ import annotations

import doctest
import importlib
import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import neverlost as nl
from neverlost.conformance.suite.files import SCHEMA, SUITE, SUITE_KEYS

ROOT = Path(__file__).parents[2]
API = (
    "models",
    "traces",
    "results",
    "checking",
    "proving",
    "auditing",
    "matrices",
    "comparing",
    "conforming",
    "histories",
)
MODULES = (*(f"api.{name}" for name in API), "reports.schemas")


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_docstrings_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    loaded = importlib.import_module(f"neverlost.{module}")
    ran = doctest.testmod(loaded, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert ran.failed == 0
    assert ran.attempted > 0


def test_every_public_name_has_a_home_and_documentation() -> None:
    assert set(dir(nl)) == set(nl.__all__)
    for name in nl.__all__:
        assert getattr(nl, name).__doc__, name


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = nl.chekc  # type: ignore[attr-defined]


def test_the_page_is_made_from_the_docstrings() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "python_reference.py"))["page"]()
    assert made == (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8"), (
        "run python tools/python_reference.py"
    )


def test_importing_neverlost_loads_nothing_heavy() -> None:
    heavy = {"numpy", "llvmlite", "z3", "pyspark", "click", "rich", "networkx"}
    code = "import sys, neverlost; print(*sorted(set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert set(ran.stdout.split()) & heavy == set()


def test_python_m_neverlost_is_the_command_line() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "neverlost", "--version"], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert (ran.returncode, ran.stdout) == (0, f"neverlost, version {nl.__version__}\n")


def test_the_package_model_can_be_called_and_imported_from() -> None:
    from neverlost.model.core import Model

    assert isinstance(nl.profile("kafka-4.1").model(acks=1), Model)


def test_words_are_checked() -> None:
    with pytest.raises(nl.NeverlostError, match="Did you mean 'min_isr'"):
        nl.profile("kafka-4.1").model(min_irs=2)
    with pytest.raises(nl.NeverlostError, match=r"settings\.acks is 'some'; it must be one of '0', '1', 'all'"):
        nl.profile("kafka-4.1").model(acks="some")
    with pytest.raises(nl.NeverlostError, match=r"bounds\.log_size is 'two', not a whole number"):
        nl.profile("kafka-4.1").model(log_size="two")
    with pytest.raises(nl.NeverlostError, match=r"Did you mean 'kafka-4\.1'"):
        nl.profile("kafka-41").model()


def test_what_is_undecided_is_no_pass() -> None:
    result = nl.check(nl.profile("kafka-4.1").model(crashes=1), ["acked_never_lost"], limits=nl.Limits(states=10))
    assert (result.verdict, result.holds) == ("undecided", False)
    assert "UNDECIDED: stopped by the limit of distinct states after" in " ".join(result.text().split())
    with pytest.raises(nl.PropertyNotHeldError, match="acked_never_lost is undecided"):
        result.assert_holds()


def test_engines_answer_alike(tmp_path: Path) -> None:
    model = nl.profile("kafka-2.1").model(replicas=2, log_size=1, values=1, leader_epochs=2, acks="1", leader_moves=1)
    engines = (nl.Compiled(workers=2), nl.Interpreted(), nl.Spark(store=tmp_path / "store", shards=2))
    found = [nl.check(model, engine=engine, until="all") for engine in engines]
    assert len({(r.verdict, r.distinct, r.found.digest) for r in found}) == 1
    kept = nl.Compiled(store=tmp_path / "levels")
    cut = nl.check(model, engine=kept, until="all", limits=nl.Limits(depth=3))
    assert (cut.stopped_by, (tmp_path / "levels").is_dir()) == ("depth", True)
    for again in (nl.resume(tmp_path / "store"), nl.resume(tmp_path / "levels", workers=2)):
        assert (again.verdict, again.distinct, again.found.digest) == (
            found[0].verdict,
            found[0].distinct,
            found[0].found.digest,
        )


def test_a_model_can_be_asked_from_two_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    model = nl.profile("kafka-2.1").model(replicas=2, log_size=1, values=1, leader_epochs=3, crashes=1)
    first = model.initial_states()[0]

    def walked(_: int) -> set[tuple[int, ...]]:
        seen, waiting = {first}, [first]
        while waiting and len(seen) < 2_000:
            for _number, after in model.successors(waiting.pop()):
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
        return seen

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(walked, range(4)))
    assert all(seen == found[0] for seen in found)


OWN = """
from pathlib import Path
from neverlost.spec import profiles
Path(__file__).with_suffix(".ran").touch()
OWN = profiles()["kafka-2.1"].switched("{name}", "A profile of somebody else.")
"""


def saved_by_another(folder: Path) -> tuple[Path, str]:
    """A trace whose profile lies in a file, which leaves a mark when it is run; and the reference of the profile."""
    file = folder / "own.py"
    reference = f"{file}:OWN"
    model = nl.profile("kafka-2.1").model(acks="1", leader_moves=1)
    found = nl.check(model, ["acked_never_lost"])["acked_never_lost"].trace
    assert found is not None
    found.save(folder / "trace.json")
    text = (folder / "trace.json").read_text(encoding="utf-8").replace('"kafka-2.1"', f'"{reference}"')
    (folder / "trace.json").write_text(text, encoding="utf-8")
    file.write_text(OWN.format(name=reference), encoding="utf-8")
    return folder / "trace.json", reference


def test_a_trace_or_a_suite_runs_no_file_that_nobody_named(tmp_path: Path) -> None:
    trace, reference = saved_by_another(tmp_path)
    with pytest.raises(nl.NeverlostError, match=r"is a trace of .*; add profile_reference="):
        nl.load_trace(trace)
    (tmp_path / "suite").mkdir()
    about = {"neverlost": "suite", "schema": SCHEMA, "profile": reference, "bounds": {}, "settings": {}, "cases": 0}
    about |= {key: kind() for key, kind in SUITE_KEYS.items() if key not in about}
    (tmp_path / "suite" / SUITE).write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(nl.NeverlostError, match=r"is a suite of .*; add profile_reference="):
        nl.conform(tmp_path / "suite", "inprocess")
    assert not (tmp_path / "own.ran").exists()
    assert len(nl.load_trace(trace, reference)) > 0
    assert (tmp_path / "own.ran").exists()
