"""A search begins with a kernel that is compiled without optimisation, and goes on with the optimised one if it lasts."""

from __future__ import annotations

import math
from itertools import count
from pathlib import Path

import pytest
from same_results import differing
from sampling import quick_one_in

from neverlost.explorer.compile import cache
from neverlost.explorer.compile.cache import BASELINE, first_text, is_cached, load_kernel, loaded_kernel
from neverlost.explorer.compile.emitter.machine import Kernel
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.engines import compiled
from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import Model
from neverlost.spec import profiles

KAFKA = profiles()["kafka-4.1"].bounded(replicas=2, values=1, log_size=1, leader_epochs=3, leader_moves=1, crashes=1)
REPLICATED_LOG = profiles()["published/replicated-log"].bounded()
KIP_320 = profiles()["published/kip-320"].bounded(replicas=3, log_size=1, records=1, leader_epochs=3)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_LOADED", {})
    monkeypatch.setattr(cache, "_FOUND", set())
    cache._SEARCHED.clear()


def searched(model: Model, workers: int = 1) -> Result:
    return explore(model, until="all", symmetry=True, workers=workers)


def text_of(model: Model) -> str:
    return kernel_source(model, symmetry_of(model, True, []))


@pytest.mark.parametrize("model", quick_one_in(2, [KIP_320, KAFKA], lambda model: model.profile.name))
def test_both_kernels_and_a_change_between_them_answer_the_same(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(model)
    monkeypatch.setattr(cache, "OPTIMISED_A_SECOND", 1e-9)
    slow = searched(model)
    assert (is_cached(BASELINE + text), is_cached(text)) == (True, False)
    monkeypatch.setattr(cache, "OPTIMISED_A_SECOND", math.inf)
    monkeypatch.setattr(compiled, "TURN_SECONDS", 1e-4)
    changed = searched(model, workers=2)
    assert is_cached(text)
    assert first_text(text) == text
    assert differing(changed, slow) == []
    assert differing(searched(model), slow) == []


def test_small_kernels_have_a_baseline_too() -> None:
    searched(REPLICATED_LOG)
    text = text_of(REPLICATED_LOG)
    assert (is_cached(BASELINE + text), is_cached(text)) == (True, False)


def test_searches_of_one_process_share_the_time_after_which_optimising_pays() -> None:
    one, other = text_of(REPLICATED_LOG), text_of(KIP_320)
    for text in (one, other):
        assert cache.optimised(text, 0.7 * len(text) / cache.OPTIMISED_A_SECOND) is None
    assert cache.optimised(one, 0.7 * len(one) / cache.OPTIMISED_A_SECOND) is not None


def test_optimising_pays_sooner_where_an_earlier_process_has_left_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(KIP_320)
    assert len(text) / cache.OPTIMISED_A_SECOND > 0.6
    loaded_kernel(BASELINE + text)
    assert cache.optimised(text, 0.5) is None
    cache._SEARCHED.clear()
    monkeypatch.setattr(cache, "_LOADED", {})
    loaded_kernel(BASELINE + text)
    assert cache.optimised(text, 0.5) is not None


def test_searches_go_on_with_the_baseline_while_another_waits_for_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    text, beside = text_of(REPLICATED_LOG), []
    load = cache.load_kernel

    def load_and_look(wanted: str) -> tuple[Kernel, float]:
        beside.append(cache.optimised(text, 1e9))
        return load(wanted)

    monkeypatch.setattr(cache, "load_kernel", load_and_look)
    assert cache.optimised(text, 1e9) is not None
    assert beside == [None]
    assert cache.optimised(text, 0.0) is not None


def test_a_search_may_take_on_workers_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "WORTH_WORKERS", 1000)
    monkeypatch.setattr(compiled, "TURN_SECONDS", 1e-4)
    asked = count(1)
    many = explore(KIP_320, until="all", symmetry=True, workers=lambda: min(4, next(asked) // 3 + 1))
    assert many.workers == 4
    assert differing(many, searched(KIP_320)) == []


def test_the_optimised_kernel_is_taken_where_it_is_in_the_cache() -> None:
    text = text_of(REPLICATED_LOG)
    assert first_text(text) == BASELINE + text
    load_kernel(text)
    assert first_text(text) == text
