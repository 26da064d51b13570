"""Whatever becomes of the files of a store, `resume` and `graph` say what they said before, or refuse it: they say nothing else."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from command_line import Run
from poison import DAMAGE, Poison, other_structure

from neverlost.explorer.stores import manifest as manifests
from neverlost.explorer.stores.engine import StoredEngine
from neverlost.explorer.stores.manifest import MANIFEST
from neverlost.spark_explore.manifest import read_manifest

STORES, STORES_BY_DEFAULT = 220, 22
BOUNDS = ("--replicas", "2", "--log-size", "1", "--records", "1", "--leader-epochs", "2")
LOSING = ("published/truncate-to-high-watermark", *BOUNDS)
NO_MATTER = ("engine", "workers", "seconds", "compile_seconds", "peak_memory_bytes")
Said = tuple[int, str]


def resumed(run: Run, store: Path) -> Said:
    code, out, _ = run("resume", str(store), "--json", "-", "--quiet")
    values = json.loads(out) if out else {}
    return code, json.dumps({name: value for name, value in values.items() if name not in NO_MATTER})


def shown(*arguments: str) -> Callable[[Run, Path], Said]:
    return lambda run, store: run("graph", str(store), *arguments)[:2]


LOOKS: Mapping[str, Sequence[Callable[[Run, Path], Said]]] = {
    "spark": (
        resumed,
        shown("levels"),
        shown("actions"),
        shown("dead"),
        shown("witness", "weak_isr"),
        shown("sample", "--count", "2"),
    ),
    "compiled": (resumed,),
}
"""What shows a store of an engine, and needs no Java."""


@pytest.fixture(scope="module", params=LOOKS)
def clean(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores") / str(request.param)


ON_SPARK = pytest.mark.parametrize("clean", ["spark"], indirect=True)


@pytest.fixture
def right(clean: Path, run: Run) -> list[Said]:
    """What a whole store is said to hold."""
    if not clean.exists():
        shards = ("--shards", "2") if clean.name == "spark" else ()
        run("check", *LOSING, "--engine", clean.name, "--store", str(clean), "--until", "all", "--quiet", *shards)
    return said_of(clean, clean.name, run)


def said_of(store: Path, engine: str, run: Run) -> list[Said]:
    """What is said of a store of an engine."""
    return [look(run, store) for look in LOOKS[engine]]


def poisoned(clean: Path, folder: Path, poison: Poison, chance: random.Random) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(clean, folder)
    poison(sorted(path for path in folder.rglob("*") if path.is_file() and "sources" not in path.parts), chance)
    return folder


def wrong(right: Sequence[Said], store: Path, engine: str, run: Run) -> list[tuple[int, Said]]:
    """What is said of a store that is neither what was said before nor a refusal."""
    found = list(enumerate(said_of(store, engine, run)))
    return [(number, said) for number, said in found if said != right[number] and said not in ((2, ""), (2, "{}"))]


def test_nothing_wrong_is_said_of_a_store_that_something_became_of(
    clean: Path, right: list[Said], run: Run, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    assert [code for code, _ in right] == [1, 0, 0, 0, 0, 0][: len(right)]
    chance = random.Random(1)
    for number in range(STORES if pytestconfig.getoption("--thorough") else STORES_BY_DEFAULT):
        poison = DAMAGE[number % len(DAMAGE)]
        store = poisoned(clean, tmp_path / "store", poison, chance)
        assert wrong(right, store, clean.name, run) == [], (poison.__name__, number)


@pytest.mark.xdist_group("spark")
@ON_SPARK
def test_two_levels_that_are_swapped_are_refused_by_name(
    clean: Path, right: list[Said], run: Run, tmp_path: Path
) -> None:
    """Their states summed as before, each on the level of another."""
    shutil.copytree(clean, tmp_path / "store")
    found = read_manifest(clean)
    one, other = (tmp_path / "store" / found.levels[level].files[0].path for level in (2, 4))
    content = one.read_bytes()
    shutil.copy(other, one)
    other.write_bytes(content)
    for what in (("levels",), ("sample",), ("sql", "SELECT sum(level) FROM states")):
        code, out, err = run("graph", str(tmp_path / "store"), *what)
        assert (code, out) == (2, "")
        assert f"{one} is damaged" in err or f"{other} is damaged" in err


def recast(path: Path, chance: random.Random) -> None:
    """Another structure, with the checksum that it would be written with."""
    values = json.loads(path.read_text(encoding="utf-8"))
    del values["checksum"]
    values = other_structure(values, chance)
    if isinstance(values, dict):
        values["checksum"] = manifests._checksum(values)
    path.write_text(json.dumps(values), encoding="utf-8")


def test_a_manifest_of_another_structure_behind_a_valid_checksum_is_an_error_of_the_input(
    clean: Path, right: list[Said], run: Run, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    chance = random.Random(2)
    shutil.copytree(clean, tmp_path / "store")
    for number in range(STORES if pytestconfig.getoption("--thorough") else STORES_BY_DEFAULT):
        shutil.copy(clean / MANIFEST, tmp_path / "store" / MANIFEST)
        recast(tmp_path / "store" / MANIFEST, chance)
        content = (tmp_path / "store" / MANIFEST).read_text(encoding="utf-8")
        codes = [code for code, _ in said_of(tmp_path / "store", clean.name, run)]
        assert set(codes) <= {0, 1, 2, 3}, (number, codes, content)


def test_a_loop_of_links_in_place_of_a_store_or_of_a_file_is_refused(
    clean: Path, right: list[Said], run: Run, tmp_path: Path
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for arguments in (
        ("resume", str(tmp_path / "loop")),
        ("graph", str(tmp_path / "loop"), "levels"),
        ("check", *LOSING, "--engine", clean.name, "--store", str(tmp_path / "loop")),
        ("check", *LOSING, "--json", str(tmp_path / "loop"), "--trace-out", str(tmp_path / "other")),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert str(tmp_path / "loop") in err


def test_a_reader_of_stores_that_checks_no_file_is_found_out(
    clean: Path, right: list[Said], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the tests above would say nothing."""
    monkeypatch.setattr("neverlost.spark_explore.store._ensure_intact", lambda folder, file: None)
    monkeypatch.setattr("neverlost.explorer.stores.engine.StoredEngine._adopt", careless)
    chance = random.Random(1)
    stores = (poisoned(clean, tmp_path / "store", DAMAGE[number % len(DAMAGE)], chance) for number in range(99))
    assert any(wrong(right, store, clean.name, run) for store in stores)


def careless(engine: StoredEngine, level: int, tick: Callable[[], None]) -> None:
    """Takes the states of a level as they are."""
    engine.engine.adopt(engine.store.levels[level].new, tick)
