"""A search begins with a kernel that is compiled without optimisation, and goes on with the optimised one if it lasts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from same_results import differing
from sampling import quick_one_in

from neverlost.explorer.compile import cache
from neverlost.explorer.compile.cache import BASELINE, first_text, is_cached, load_kernel
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.engines import compiled
from neverlost.explorer.result import Result
from neverlost.explorer.search import explore
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import Model
from neverlost.spec import profiles

KAFKA = profiles()["kafka-4.1"].bounded(replicas=2, values=1, log_size=1, leader_epochs=3, leader_moves=1, crashes=1)
KIP_320 = profiles()["published/kip-320"].bounded(replicas=3, log_size=1, records=1, leader_epochs=3)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEVERLOST_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_LOADED", {})
    cache._SEARCHED.clear()


def searched(model: Model, workers: int = 1) -> Result:
    return explore(model, until="all", symmetry=True, workers=workers)


def text_of(model: Model) -> str:
    return kernel_source(model, symmetry_of(model, True, []))


@pytest.mark.parametrize("model", quick_one_in(2, [KIP_320, KAFKA], lambda model: model.profile.name))
def test_both_kernels_and_a_change_between_them_answer_the_same(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(model)
    monkeypatch.setattr(cache, "BASELINE_SECONDS", math.inf)
    slow = searched(model)
    assert (is_cached(BASELINE + text), is_cached(text)) == (True, False)
    monkeypatch.setattr(cache, "BASELINE_SECONDS", 0.0)
    monkeypatch.setattr(compiled, "TURN_SECONDS", 1e-4)
    changed = searched(model, workers=2)
    assert is_cached(text)
    assert first_text(text) == text
    assert differing(changed, slow) == []
    assert differing(searched(model), slow) == []


def test_a_kernel_that_is_compiled_soon_has_no_baseline() -> None:
    text = text_of(profiles()["published/replicated-log"].bounded())
    assert len(text) < cache.LARGE
    assert first_text(text) == text


def test_searches_of_one_process_share_the_time_after_which_optimising_pays() -> None:
    assert not cache.optimising_pays("a", 0.3)
    assert not cache.optimising_pays("b", 0.3)
    assert cache.optimising_pays("a", 0.3)


def test_the_optimised_kernel_is_taken_where_it_is_in_the_cache() -> None:
    text = text_of(KIP_320)
    assert first_text(text) == BASELINE + text
    load_kernel(text)
    assert first_text(text) == text
