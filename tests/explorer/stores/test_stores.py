"""A search in a folder ends as one without: however often it was stopped, killed or out of room. What is not its own is refused."""

from __future__ import annotations

import errno
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import stored_search
from fair_models import OFFICE, PETERSON
from same_results import differing
from sampling import quick_one_in, spread

from neverlost.explorer import Limits, Result
from neverlost.explorer import explore as explore_at_once
from neverlost.explorer.engines import blocks, visited_set
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.stores import StoreError, explore, resume
from neverlost.explorer.stores import manifest as manifests
from neverlost.explorer.stores.folder import alone_in
from neverlost.explorer.stores.levels import STATES, LevelsManifest, LevelStore
from neverlost.explorer.stores.manifest import MANIFEST, read_manifest
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.model.core import Model
from neverlost.spec import profiles
from neverlost.spec.golden import GoldenRow, golden_rows
from neverlost.spec.published.profiles import KIP_320, TRUNCATE_TO_HIGH_WATERMARK

SMALL = TRUNCATE_TO_HIGH_WATERMARK.bounded(replicas=3, log_size=1, records=1, leader_epochs=3)
KILLS, KILLS_BY_DEFAULT = 20, 2
LARGEST = 20_000
ROWS = [row for row in golden_rows() if row.distinct < LARGEST]
ROWS_BY_DEFAULT = 6


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "row" in metafunc.fixturenames:
        rows = ROWS if metafunc.config.getoption("--thorough") else spread(ROWS, ROWS_BY_DEFAULT)
        metafunc.parametrize("row", rows, ids=lambda row: row.label)


@pytest.fixture(scope="module")
def reference() -> Result:
    return explore_at_once(SMALL, until="all")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A search of six levels, cut short."""
    explore(SMALL, tmp_path / "store", until="all", limits=Limits(depth=6))
    return tmp_path / "store"


def shown(result: Result) -> list[str]:
    """The findings, as JSON: a resumed search has a model of its own."""
    return [f.verdict if f.trace is None else trace_json(f.trace) for f in result.findings.values()]


def levels_in(folder: Path) -> int:
    return len(read_manifest(folder, LevelsManifest, "compiled").levels)


def test_a_search_in_two_parts_ends_as_one_at_once(
    row: GoldenRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second part has a table of 16 lines at first, and two threads."""
    model = profiles()[row.profile].bounded(**row.bounds)
    options: dict[str, Any] = {"until": "all", "symmetry": row.symmetry}
    whole = explore_at_once(model, **options)
    cut = Limits(depth=1 + random.Random(row.label).randrange(whole.depth))
    first = explore(model, tmp_path, limits=cut, **options)
    assert differing(first, explore_at_once(model, limits=cut, **options)) == []
    monkeypatch.setattr(visited_set, "FIRST_SPAN", 16)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 300)
    assert differing(explore(model, tmp_path, workers=2, **options), whole) == []
    assert differing(explore(model, tmp_path, **options), whole) == []


@pytest.mark.parametrize("until", quick_one_in(2, ["first", "each", "all"]))
@pytest.mark.parametrize("model", [SMALL, OFFICE.bounded(), PETERSON.bounded()], ids=["loses", "office", "peterson"])
def test_a_search_level_by_level_ends_as_one_at_once(model: Model, until: str, tmp_path: Path) -> None:
    whole = explore_at_once(model, until=until)
    for depth in range(1, whole.depth + 2, 3):
        cut = explore(model, tmp_path, until=until, limits=Limits(depth=depth))
        assert differing(cut, explore_at_once(model, until=until, limits=Limits(depth=depth))) == []
    assert differing(explore(model, tmp_path, until=until), whole) == []
    again = resume(tmp_path, lambda _: model.profile)
    assert differing(replace(again, findings=whole.findings), whole) == []
    assert shown(again) == shown(whole)


def test_a_complete_search_is_answered_again_without_a_visited_set(
    reference: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    explore(SMALL, tmp_path, until="all")

    def forbidden(*_: object) -> None:
        raise AssertionError("a state is inserted")

    monkeypatch.setattr(visited_set.VisitedSet, "insert", forbidden)
    assert differing(explore(SMALL, tmp_path, until="all"), reference) == []


def killed_at(folder: Path, workers: int, moment: float) -> None:
    """Search in a process of its own, and kill it some time after it began to write levels."""
    process = subprocess.Popen(
        [sys.executable, stored_search.__file__, str(folder), str(workers)], stderr=subprocess.DEVNULL
    )
    before = written(folder)
    while process.poll() is None and written(folder) == before:
        time.sleep(0.001)
    time.sleep(moment)
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()


def written(folder: Path) -> float:
    """When the manifest was last written; nothing before there is one."""
    try:
        return (folder / MANIFEST).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_killed_at_random_moments_ends_in_the_same_result(
    workers: int, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    moments, seen = random.Random(workers), [0]
    for _ in range(KILLS if pytestconfig.getoption("--thorough") else KILLS_BY_DEFAULT):
        killed_at(tmp_path / "store", workers, moments.uniform(0, 0.06))
        seen.append(levels_in(tmp_path / "store"))
    assert seen == sorted(seen)
    whole = explore_at_once(stored_search.MODEL, until="all")
    assert differing(explore(stored_search.MODEL, tmp_path / "store", until="all"), whole) == []


@pytest.mark.parametrize("looks", [0, 3, 10, 17, 30])
def test_an_interrupt_leaves_a_store_to_continue_with(looks: int, reference: Result, folder: Path) -> None:
    """Also while the levels of the store are read, or their states are inserted."""
    left = iter(range(10_000))
    cut = explore(SMALL, folder, until="all", watch=Watch(interrupted=lambda: next(left) >= looks))
    assert cut.stopped_by == "interrupt"
    assert cut.depth < reference.depth
    assert levels_in(folder) >= 6
    assert differing(explore(SMALL, folder, until="all"), reference) == []


def failing_after(count: int, real: Callable[..., Any], number: int) -> Callable[..., Any]:
    """A function of the system that has an error after so many calls."""
    calls = iter(range(count))

    def function(*arguments: Any, **options: Any) -> Any:
        if next(calls, None) is None:
            raise OSError(number, os.strerror(number))
        return real(*arguments, **options)

    return function


@pytest.mark.parametrize("function", ["pwrite", "fsync"])
def test_a_full_disk_leaves_a_store_to_continue_with(
    function: str, reference: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While states are written, and while a level becomes a part of the store."""
    with monkeypatch.context() as full:
        full.setattr(os, function, failing_after(15, getattr(os, function), errno.ENOSPC))
        cut = explore(SMALL, tmp_path, until="all")
    assert (cut.complete, cut.stopped_by) == (False, "disk")
    assert 1 < cut.depth < reference.depth
    assert cut.levels == reference.levels[: cut.depth]
    assert levels_in(tmp_path) == cut.depth
    assert differing(explore(SMALL, tmp_path, until="all"), reference) == []


def test_a_disk_that_is_full_at_the_start_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "write_whole", failing_after(1, manifests.write_whole, errno.ENOSPC))
    with pytest.raises(StoreError, match="cannot be made a store: no room on the disk"):
        explore(SMALL, tmp_path, until="all")


def test_a_disk_with_an_error_says_how_far_the_search_got(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pwrite", failing_after(4, os.pwrite, errno.EIO))
    with pytest.raises(StoreError, match=r"Input/output error; \d complete levels are kept"):
        explore(SMALL, tmp_path, until="all")


def test_what_an_unfinished_level_left_is_removed(reference: Result, folder: Path) -> None:
    with (folder / STATES).open("ab") as file:
        file.write(b"half of a level")
    (folder / ".0123.draft").write_text("half of a manifest", encoding="utf-8")
    (folder / "notes.md").write_text("mine", encoding="utf-8")
    assert differing(explore(SMALL, folder, until="all"), reference) == []
    assert sorted(path.name for path in folder.iterdir()) == [MANIFEST, "notes.md", STATES]
    assert (folder / STATES).stat().st_size == reference.distinct * SMALL.layout.words * 8


@pytest.mark.parametrize("place", [0, 100, -1])
def test_states_with_a_changed_bit_are_refused_by_name(place: int, folder: Path) -> None:
    content = bytearray((folder / STATES).read_bytes())
    content[place] ^= 1
    (folder / STATES).write_bytes(content)
    with pytest.raises(StoreError, match=f"{re.escape(str(folder / STATES))} is damaged: the states of level"):
        explore(SMALL, folder, until="all")


def test_states_that_are_missing_are_refused_by_name(folder: Path) -> None:
    content = (folder / STATES).read_bytes()
    (folder / STATES).write_bytes(content[:-1])
    with pytest.raises(StoreError, match=r"is damaged: it has [\d,]+ bytes, and its levels have"):
        explore(SMALL, folder, until="all")
    (folder / STATES).unlink()
    with pytest.raises(StoreError, match="is damaged: it has 0 bytes, and its levels have"):
        explore(SMALL, folder, until="all")


def test_a_state_that_is_there_twice_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even a store in which the sum of the hashes is right may have a state twice."""
    content = (folder / STATES).read_bytes()
    width = SMALL.layout.words * 8
    (folder / STATES).write_bytes(content[:-width] + content[:width])
    monkeypatch.setattr("neverlost.explorer.engines.compiled.CompiledEngine.adopt", trusting(LevelStore.opened(folder)))
    with pytest.raises(StoreError, match="is damaged: it has a state twice"):
        explore(SMALL, folder, until="all")


def trusting(store: LevelStore) -> Callable[..., int]:
    """An `adopt` that finds the digest that the manifest names."""
    digests = iter([level.digest for level in store.levels])

    def adopt(engine: Any, count: int, tick: object) -> int:
        engine.levels.append(engine.blocks.found(count))
        return next(digests)

    return adopt


def test_an_edited_manifest_is_refused_by_name(folder: Path) -> None:
    path = folder / MANIFEST
    text = path.read_text(encoding="utf-8")
    for old, new in (('"new": ', '"new": 1'), ("high-watermark", "kip-101"), ("}", ""), ('"whole": ', '"whole": 1')):
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(StoreError, match=f"{re.escape(str(path))} is damaged or was edited"):
            explore(SMALL, folder, until="all")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"level": 7}, "contradicts itself"),
        ({"new": -1}, "contradicts itself"),
        ({"new": "many"}, r"levels\[0\].new is 'many'"),
        ({"generated": (1,)}, "counts the steps of other actions"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(changes: dict[str, Any], said: str, folder: Path) -> None:
    manifest = read_manifest(folder, LevelsManifest, "compiled")
    levels = (replace(manifest.levels[0], **changes), *manifest.levels[1:])
    manifests.write_manifest(folder, replace(manifest, levels=levels))
    with pytest.raises(StoreError, match=said):
        explore(SMALL, folder, until="all")


def test_a_store_of_another_search_is_refused_and_what_differs_is_named(folder: Path) -> None:
    bounds = SMALL.bounds
    cases: list[tuple[Model, dict[str, Any], str]] = [
        (TRUNCATE_TO_HIGH_WATERMARK.bounded(**{**bounds, "replicas": 2}), {}, "bounds: replicas is 3, not 2"),
        (SMALL, {"until": "first"}, "until: all, not first"),
        (SMALL, {"symmetry": ["replica"]}, "symmetry: none, not replica"),
        (SMALL, {"properties": ["weak_isr"]}, "asserted properties: .*, not weak_isr"),
        (KIP_320.bounded(**bounds), {}, "profile: published/truncate-to-high-watermark, not published/kip-320"),
        (
            replace(SMALL.profile, actions=SMALL.profile.actions[:-1]).bounded(**bounds),
            {},
            "source: the actions or properties of the profile, or their compiler, have changed",
        ),
    ]
    for model, options, said in cases:
        with pytest.raises(StoreError, match=said):
            explore(model, folder, **{"until": "all", **options})
    assert levels_in(folder) == 6


def test_a_store_of_another_version_or_format_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other:
        other.setattr("neverlost.explorer.stores.identity.version", lambda _: "99.0")
        with pytest.raises(StoreError, match=r"version of neverlost: .*, not 99\.0"):
            explore(SMALL, folder, until="all")
    monkeypatch.setattr(manifests, "FORMAT", 99)
    with pytest.raises(StoreError, match="has format 2, and this neverlost reads format 99"):
        explore(SMALL, folder, until="all")


def test_a_store_of_another_engine_is_refused(tmp_path: Path) -> None:
    identity = replace(LevelStore.opened(made(tmp_path)).manifest.identity, engine="spark")
    manifests.write_manifest(tmp_path, LevelsManifest(identity=identity))
    with pytest.raises(StoreError, match="holds a search of the spark engine, not of compiled"):
        explore(SMALL, tmp_path, until="all")


def made(folder: Path) -> Path:
    explore(SMALL, folder, until="all", limits=Limits(depth=2))
    return folder


def test_a_store_that_another_process_works_in_is_refused(reference: Result, folder: Path) -> None:
    with alone_in(folder), pytest.raises(StoreError, match="another process works in"):
        explore(SMALL, folder, until="all")
    assert differing(explore(SMALL, folder, until="all"), reference) == []


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="is not a store, and not empty"):
        explore(SMALL, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_place_where_no_folder_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be made a store: "):
        explore(SMALL, tmp_path / "file" / "store")
