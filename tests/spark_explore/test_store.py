"""What a store holds is complete and intact, or refused by name; what a search left there, the next one goes on with."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from fair_models import FAIR_PROFILES, OFFICE
from same_results import differing
from spark_searches import IN_THE_DRIVER, MASTER, kip_320, searched
from unsound_models import LEAKING, PEEKING

from neverlost.explorer import Limits, Result, explore
from neverlost.explorer.compile.cache import kernel_key, loaded_kernel
from neverlost.explorer.compile.generate import candidates_source, kernel_source
from neverlost.explorer.engines.hashing import state_hash
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.stores import StoreError
from neverlost.explorer.stores.folder import alone_in
from neverlost.explorer.stores.manifest import MANIFEST
from neverlost.explorer.symmetry import Symmetry
from neverlost.model.core import ModelError, Profile
from neverlost.spark_explore import SparkOptions
from neverlost.spark_explore import explore as explore_on_spark
from neverlost.spark_explore.candidates import _kernel
from neverlost.spark_explore.engine import SparkEngine
from neverlost.spark_explore.manifest import read_manifest
from neverlost.spark_explore.store import Store

SMALL = kip_320(replicas=2)


@pytest.fixture(scope="module")
def reference() -> Result:
    return explore(SMALL, until="all")


@pytest.mark.parametrize("profile", FAIR_PROFILES, ids=lambda p: p.name.split("/")[1])
@pytest.mark.parametrize("shards", [1, 5])
def test_every_kind_of_property_is_answered_as_by_the_compiled_engine(
    profile: Profile, shards: int, tmp_path: Path
) -> None:
    model = profile.bounded()
    for until in ("first", "all"):
        result = searched(model, tmp_path / until, shards=shards, until=until)
        assert differing(result, explore(model, until=until)) == []


@pytest.mark.parametrize("profile", [LEAKING, PEEKING], ids=lambda p: p.name)
def test_a_mistake_of_the_model_is_reported_as_by_the_compiled_engine(profile: Profile, tmp_path: Path) -> None:
    model = profile.bounded()
    with pytest.raises(ModelError) as expected:
        explore(model, until="all")
    with pytest.raises(ModelError, match=re.escape(str(expected.value))):
        searched(model, tmp_path / "store", until="all")


def test_a_search_goes_on_after_whichever_level_it_was_cut_short(reference: Result, tmp_path: Path) -> None:
    for depth in range(1, reference.depth + 1):
        cut = searched(SMALL, tmp_path / "store", until="all", shards=3, limits=Limits(depth=depth))
        assert (cut.complete, cut.stopped_by, cut.depth) == (False, "depth", depth)
    assert differing(searched(SMALL, tmp_path / "store", until="all", shards=3), reference) == []
    again = searched(SMALL, tmp_path / "store", until="all", shards=3)
    assert differing(again, reference) == []


@pytest.mark.parametrize(
    "limits", [Limits(states=200), Limits(depth=5), Limits(states=1)], ids=["states", "depth", "one state"]
)
def test_a_search_that_is_cut_short_reports_what_the_compiled_engine_does(limits: Limits, tmp_path: Path) -> None:
    options = {"until": "all", "limits": limits}
    assert differing(searched(SMALL, tmp_path / "store", **options), explore(SMALL, **options)) == []


def test_an_interrupt_leaves_a_store_to_go_on_with(reference: Result, tmp_path: Path) -> None:
    looks = iter(range(10_000))
    cut = searched(SMALL, tmp_path / "store", until="all", watch=Watch(interrupted=lambda: next(looks) > 20))
    assert cut.stopped_by == "interrupt"
    assert 1 < cut.depth < reference.depth
    assert differing(searched(SMALL, tmp_path / "store", until="all"), reference) == []


def test_a_store_that_another_process_works_in_is_refused(reference: Result, tmp_path: Path) -> None:
    with alone_in(tmp_path / "store"), pytest.raises(StoreError, match="another process works in"):
        searched(SMALL, tmp_path / "store", until="all")
    assert differing(searched(SMALL, tmp_path / "store", until="all"), reference) == []


@pytest.mark.parametrize("shards", [1, 64])
def test_the_bloom_filter_is_as_full_whichever_shard_candidates_are_of(shards: int) -> None:
    states = np.random.default_rng(1).integers(0, 1 << 62, (200_000, 2))
    kernel, _ = loaded_kernel(candidates_source(2))
    owned = np.array([tuple(row) for row in states.tolist() if (state_hash(row) >> 32) * shards >> 32 == 0])
    pairs, bloom_filter = np.repeat(owned, 2, axis=1), np.empty(1 << 12, np.uint64)
    kernel.fill_bloom_filter(pairs, len(pairs), bloom_filter)
    full = sum(int(word).bit_count() for word in bloom_filter) / (64 * len(bloom_filter))
    assert full == pytest.approx(1 - np.exp(-len(pairs) / (64 * len(bloom_filter))), rel=0.05)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    searched(SMALL, tmp_path / "store", until="all", shards=2, limits=Limits(depth=6))
    return tmp_path / "store"


def test_what_an_unfinished_level_left_is_removed(store: Path, reference: Result) -> None:
    unnamed = store / f"states/level=6/shard=0/{'0123456789abcdef' * 2}.parquet"
    left = [unnamed, store / "exchange/level=6/left", store / ".manifest.draft"]
    others = [store / "notes.md", store / "states/mine.parquet"]
    for path in (*left, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half of it")
    assert differing(searched(SMALL, store, until="all", shards=2), reference) == []
    assert [path for path in (*left, *others) if path.exists()] == others
    named = {file.path for file in read_manifest(store).files}
    assert {p.relative_to(store).as_posix() for p in store.rglob("*.parquet")} - named == {"states/mine.parquet"}


def a_file(store: Path) -> Path:
    return store / read_manifest(store).levels[3].files[0].path


def test_a_truncated_file_is_refused_by_name(store: Path) -> None:
    path = a_file(store)
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(StoreError, match=f"{re.escape(str(path))} is damaged: it has .* bytes, but was written with"):
        searched(SMALL, store, until="all", shards=2)


def test_a_file_that_was_changed_without_changing_its_size_is_refused_by_name(store: Path) -> None:
    path = a_file(store)
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError, match=f"{re.escape(str(path))} is damaged or was edited"):
        searched(SMALL, store, until="all", shards=2)


def test_a_file_that_is_gone_is_refused_by_name(store: Path) -> None:
    path = a_file(store)
    path.unlink()
    with pytest.raises(StoreError, match=f"{re.escape(str(path))} is missing"):
        searched(SMALL, store, until="all", shards=2)


def test_an_edited_manifest_is_refused_by_name(store: Path) -> None:
    path = store / MANIFEST
    deep = f'"format": {"[" * 3_000}{"]" * 3_000}'
    edits = (('"new": ', '"new": 1'), ("published/kip-320", "published/kip-101"), ("}", ""), ('"format": 2', deep))
    for old, new in edits:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(StoreError, match=f"{re.escape(str(path))} is damaged or was edited"):
            searched(SMALL, store, until="all", shards=2)
        path.write_text(text, encoding="utf-8")


def test_a_store_of_another_search_is_refused_and_what_differs_is_named(store: Path) -> None:
    cases = [
        (kip_320(replicas=2, records=2), {}, "bounds: records is 1, not 2"),
        (SMALL, {"shards": 3}, "shards: 2, not 3"),
        (SMALL, {"until": "first"}, "until: all, not first"),
        (SMALL, {"symmetry": True}, "symmetry: none, not replica"),
        (SMALL, {"keep_transitions": True}, "keep transitions: False, not True"),
        (SMALL, {"properties": ["weak_isr"]}, "asserted properties: .*, not weak_isr"),
        (OFFICE.bounded(), {}, "profile: published/kip-320, not test/office"),
    ]
    for model, options, said in cases:
        with pytest.raises(StoreError, match=said):
            searched(model, store, **{"until": "all", "shards": 2, **options})


def test_a_store_of_another_version_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neverlost.explorer.stores.identity.version", lambda _: "99.0")
    with pytest.raises(StoreError, match=r"version of neverlost: .*, not 99\.0"):
        searched(SMALL, store, until="all", shards=2)


def test_a_store_of_a_profile_that_has_changed_since_is_refused(store: Path) -> None:
    changed = replace(SMALL.profile, actions=SMALL.profile.actions[:-1])
    with pytest.raises(
        StoreError, match="source: the actions or properties of the profile, or their compiler, have changed"
    ):
        searched(changed.bounded(**SMALL.bounds), store, until="all", shards=2)


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="is not a store, and not empty"):
        searched(SMALL, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_the_states_lie_in_parquet_with_level_shard_and_predecessor(store: Path) -> None:
    table = pq.read_table(store / "states")
    assert table.column_names == ["word_0", "parent_0", "level", "shard"]
    words = {tuple(row) for row in zip(*(table.column(name).to_pylist() for name in ("level", "word_0")), strict=True)}
    rows = zip(*(table.column(name).to_pylist() for name in ("level", "parent_0")), strict=True)
    for level, parent in rows:
        assert (parent == -1) if level == 0 else ((level - 1, parent) in words)


def test_kept_transitions_are_all_steps_that_change_something(reference: Result, tmp_path: Path) -> None:
    searched(SMALL, tmp_path / "store", until="all", keep_transitions=True)
    table = pq.read_table(tmp_path / "store" / "transitions").to_pylist()
    found = {((row["source_0"],), row["step"], (row["target_0"],)) for row in table}
    states = {(row["word_0"],) for row in pq.read_table(tmp_path / "store" / "states").to_pylist()}
    expected = {(state, step, after) for state in states for step, after in SMALL.successors(state) if after != state}
    assert found == expected
    assert len(table) == len(expected)
    assert len(states) == reference.distinct


def test_the_manifest_tells_all_that_the_run_was(store: Path, reference: Result) -> None:
    values = json.loads((store / MANIFEST).read_text(encoding="utf-8"))
    identity = values["identity"]
    assert (identity["profile"], identity["bounds"]) == (SMALL.profile.name, dict(SMALL.bounds))
    assert [level["new"] for level in values["levels"]] == list(reference.levels[:6])
    assert values["result"]["verdict"] == "undecided"


def test_each_level_is_reported_with_what_it_cost(tmp_path: Path) -> None:
    shown = []
    options = SparkOptions(store=tmp_path / "store", master=MASTER, committed=lambda level, store: shown.append(level))
    result = explore_on_spark(SMALL, options, until="all")
    assert [level.new for level in shown] == [*result.levels[1:], 0]
    assert [level.frontier for level in shown] == list(result.levels)
    assert all(level.candidates >= level.new for level in shown)


@pytest.mark.parametrize("master", ["local", "local[2]", "local-cluster[1,1,2048]", "spark://host:7077", "yarn"])
def test_no_kernel_is_taken_from_a_store_and_none_is_put_there(master: str, store: Path, tmp_path: Path) -> None:
    """Object code that somebody left in a store would be run, whatever it does."""
    options = SparkOptions(store=store, master=master, local_work=IN_THE_DRIVER)
    planted = store / "kernels"
    planted.mkdir()
    for text in (kernel_source(SMALL, Symmetry(SMALL)), candidates_source(SMALL.layout.words)):
        (planted / f"{kernel_key(text)}.kernel").write_bytes(b"object code of somebody else's")
    before = sorted(planted.iterdir())
    explore_on_spark(SMALL, options, until="all", shards=2)
    engine = SparkEngine(SMALL, [], Symmetry(SMALL), Store.opened(store), options)
    assert str(store) not in str({name: value for name, value in vars(engine.work(0)).items() if name != "store"})
    assert sorted(planted.iterdir()) == before


def test_a_text_that_is_not_the_one_it_is_named_by_is_not_compiled(store: Path) -> None:
    engine = SparkEngine(SMALL, [], Symmetry(SMALL), Store.opened(store), SparkOptions(store=store, master=MASTER))
    work = engine.work(0)
    path = store / work.kernel_text
    path.write_text(path.read_text(encoding="utf-8").replace("return", "return 0 *", 1), encoding="utf-8")
    _kernel.cache_clear()
    with pytest.raises(StoreError, match="was edited while the search ran"):
        assert work.kernel
