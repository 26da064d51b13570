"""`check --store`, on Spark and without, `resume` and `graph`, as a user types them. Small models: no Java is started."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Run
from written_traces import COUNTER

from neverlost.explorer.stores.manifest import MANIFEST, write_manifest
from neverlost.spark_explore.manifest import read_manifest

BOUNDS = ("--replicas", "2", "--log-size", "1", "--records", "1", "--leader-epochs", "2")
HOLDING = ("published/kip-320", *BOUNDS)
LOSING = ("published/truncate-to-high-watermark", *BOUNDS)
NO_MATTER = ("engine", "workers", "seconds", "compile_seconds", "peak_memory_bytes")


@pytest.fixture
def store(run: Run, tmp_path: Path) -> str:
    run("check", *LOSING, "--engine", "spark", "--store", str(tmp_path / "store"), "--until", "all", "--quiet")
    return str(tmp_path / "store")


def values(text: str) -> dict[str, object]:
    return {name: value for name, value in json.loads(text).items() if name not in NO_MATTER}


@pytest.mark.parametrize("engine", ["spark", "compiled"])
@pytest.mark.parametrize("model", [HOLDING, LOSING], ids=["holds", "violated"])
def test_the_json_of_check_and_of_resume_is_that_without_a_store(
    model: tuple[str, ...], engine: str, run: Run, tmp_path: Path
) -> None:
    store = str(tmp_path / "store")
    code, compiled, _ = run("check", *model, "--json", "-")
    again = run("check", *model, "--engine", engine, "--store", store, "--json", "-")
    resumed = run("resume", store, "--json", "-")
    assert (again[0], resumed[0]) == (code, code)
    assert values(again[1]) == values(compiled)
    assert values(resumed[1]) == values(compiled)
    assert json.loads(resumed[1])["engine"] == engine


@pytest.mark.parametrize("engine", ["spark", "compiled"])
def test_a_search_that_was_cut_short_says_how_to_go_on(engine: str, run: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    kept = ("--engine", engine, "--store", store)
    code, out, _ = run("check", *HOLDING, *kept, "--max-depth", "4")
    assert code == 3
    assert f"To resume where it stopped\n  neverlost resume {store}" in out
    code, out, _ = run("check", *HOLDING, *kept, "--max-depth", "5", "--quiet")
    assert f"  To resume where it stopped: neverlost resume {store}" in out
    code, out, _ = run("resume", store, "--quiet")
    assert code == 0
    assert "every property holds" in out
    assert "neverlost resume" not in out


def test_another_question_is_asked_without_the_store_of_the_first(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("check", *LOSING, "--store", str(tmp_path / "store"), "--until", "all")
    again, others = out.split("To run this again")[1].split("To see the trace of another finding")
    assert f"--store {tmp_path / 'store'}" in " ".join(again.split())
    assert "--store" not in others


def test_the_tables_of_a_store_of_the_compiled_engine_are_refused(run: Run, tmp_path: Path) -> None:
    run("check", *HOLDING, "--store", str(tmp_path / "store"), "--quiet")
    code, _, err = run("graph", str(tmp_path / "store"), "levels")
    assert code == 2
    assert "holds a search of the compiled engine, not of spark" in err


def test_each_level_is_reported_on_standard_error_unless_quiet(run: Run, tmp_path: Path) -> None:
    _, _, err = run("check", *HOLDING, "--engine", "spark", "--store", str(tmp_path / "a"))
    lines = [line for line in err.splitlines() if line.startswith("level ")]
    assert lines[0].startswith("level 2 (driver): frontier 1, candidates 4, new 4 | ")
    assert lines[0].endswith(" on disk")
    _, _, err = run("check", *HOLDING, "--engine", "spark", "--store", str(tmp_path / "b"), "--quiet")
    assert "level" not in err


def test_the_settings_and_the_property_asked_for_are_those_of_the_store(run: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    model = ("kafka-purgatory", "--no-second-try", "--property", "exactly_one_response", "--symmetry")
    asked = (*model, "--max-depth", "3", "--quiet")
    assert run("check", *asked, "--engine", "spark", "--store", store)[0] == 3
    code, resumed, _ = run("resume", store, "--max-depth", "4", "--json", "-")
    _, compiled, _ = run("check", *asked, "--max-depth", "4", "--json", "-")
    assert code == 3
    assert values(resumed) == values(compiled)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", *HOLDING, "--engine", "spark"), "give one with --store DIR"),
        (("check", *HOLDING, "--engine", "interpreted", "--store", "x"), "the interpreted engine keeps no search"),
        (("check", *HOLDING, "--shards", "3"), "--shards is an option of --engine spark"),
        (("check", *HOLDING, "--engine", "spark", "--store", "x", "--workers", "2"), "leave out --workers 2"),
        (("check", *HOLDING, "--engine", "spark", "--store", "x", "--master", "moon"), "--master moon is not a Spark"),
        (("check", *HOLDING, "--engine", "sprak"), "spark"),
        (("resume", "nowhere"), "nowhere is not a store: it has no manifest.json"),
        (("graph", "nowhere", "levels"), "nowhere is not a store"),
        (("graph", "nowhere", "edges"), "levels"),
        (("graph", "nowhere", "witness"), "witness takes the name of a property"),
        (("graph", "nowhere", "levels", "3"), "levels takes no argument"),
    ],
)
def test_what_is_wrong_is_said_in_one_message(
    arguments: tuple[str, ...], said: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_keeping_transitions_under_symmetry_is_refused(run: Run, tmp_path: Path) -> None:
    code, _, err = run(
        "check", *HOLDING, "--engine", "spark", "--store", str(tmp_path / "s"), "--symmetry", "--keep-transitions"
    )
    assert code == 2
    assert "leave out --symmetry or --keep-transitions" in err
    assert not (tmp_path / "s").exists()


def test_a_store_without_a_level_says_how_to_go_on(run: Run, store: str) -> None:
    manifest = read_manifest(Path(store))
    write_manifest(Path(store), replace(manifest, levels=(), tables=(), result=None))
    for what in ("actions", "dead", "sample", "levels"):
        code, _, err = run("graph", store, what)
        assert code == 2
        assert f"has no level yet; neverlost resume {store}" in err


def test_a_store_of_another_model_is_refused_with_what_differs(run: Run, store: str) -> None:
    code, _, err = run("check", *HOLDING, "--engine", "spark", "--store", store, "--until", "all")
    assert code == 2
    assert "holds another search" in err
    assert "profile: published/truncate-to-high-watermark, not published/kip-320" in err


def test_an_edited_manifest_is_refused_by_name(run: Run, store: str) -> None:
    path = Path(store) / MANIFEST
    path.write_text(path.read_text(encoding="utf-8").replace('"new": 1,', '"new": 2,', 1), encoding="utf-8")
    for arguments in (("resume", store), ("graph", store, "levels")):
        code, _, err = run(*arguments)
        assert code == 2
        assert f"{path} is damaged or was edited" in err


def test_a_profile_in_a_file_is_run_only_when_the_user_names_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    reference, store = f"{tmp_path}/counter.py:COUNTER", str(tmp_path / "store")
    code, compiled, _ = run("check", reference, "--json", "-")
    assert run("check", reference, "--engine", "spark", "--store", store, "--quiet")[0] == code
    refused, _, err = run("resume", store)
    assert refused == 2
    assert f"add --profile {reference} to run that file" in err
    assert values(run("resume", store, "--profile", reference, "--json", "-")[1]) == values(compiled)


def test_graph_shows_levels_actions_and_dead_actions(run: Run, store: str) -> None:
    result = json.loads(run("check", *LOSING, "--until", "all", "--json", "-")[1])
    _, out, _ = run("graph", store, "levels")
    rows = [line.replace(",", "").split() for line in out.splitlines()]
    assert rows[0][:3] == ["level", "states", "candidates"]
    assert [int(row[1]) for row in rows[1:]] == [*result["levels"], 0]
    _, out, _ = run("graph", store, "actions")
    counted = {line.split()[0]: int(line.split()[1].replace(",", "")) for line in out.splitlines()[1:]}
    assert counted == {name: shown["generated"] for name, shown in result["actions"].items()}
    _, out, _ = run("graph", store, "dead")
    assert out.splitlines()[1:] == ([f"  {name}" for name in result["dead_actions"]] or ["  none"])


def test_graph_tells_the_trace_that_decides_a_property(run: Run, store: str) -> None:
    _, out, _ = run("graph", store, "witness", "weak_isr")
    _, shown, _ = run("check", *LOSING, "--property", "weak_isr")
    assert out.strip()
    assert "  Start: There is no leader" in out
    assert out.split("\n\n")[1] in shown
    assert run("graph", store, "witness", "type_ok")[1] == "type_ok has no trace in this store: holds.\n"
    code, _, err = run("graph", store, "witness", "nonsense")
    assert code == 2
    assert "weak_isr" in err


def test_a_sample_is_traces_that_replay_and_the_same_for_the_same_seed(run: Run, store: str) -> None:
    _, out, _ = run("graph", store, "sample", "--count", "4", "--seed", "7")
    assert out.count("trace ") == 4
    assert run("graph", store, "sample", "--count", "4", "--seed", "7")[1] == out
    assert run("graph", store, "sample", "--count", "4", "--seed", "8")[1] != out
