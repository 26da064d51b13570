"""Which losses brokers can be made to do: the record is of all losses of the matrix, the page and the README say what it says."""

from __future__ import annotations

from random import Random

import pytest
from ledgers.losses_on_brokers import (
    PAGE,
    UNSEEN,
    losses_of_bugs,
    losses_of_the_matrix,
    losses_of_the_readme,
    page,
    readme_rows,
)
from losses_on_brokers import answered
from sampling import quick_one_in

from neverlost.model.core import Model
from neverlost.spec.kafka.replication.seen_losses import GONE, LONGER, NOT_FOUND, SAME, Asked, faults_of, record

RECORD = record()
WITH_CONTROLLER = "‡"
"""What marks in the README a loss that needs one more fault, which the record does not ask about: the end of the controller."""
COLUMNS = (
    {"leader_moves": 3},
    {"leader_moves": 1, "shutdowns": 2},
    {"crashes": 1, "leader_moves": 1},
    {"crashes": 2},
    {"power_losses": 1},
    {"power_losses": 2},
)
"""The columns of the README, but for the one with a delay."""


@pytest.fixture(scope="session")
def asked() -> dict[str, Model]:
    """What is asked, by its key: there are hundreds, so they are made only where a test needs them."""
    found = {one.key: one.model() for one in (*losses_of_the_readme(), *losses_of_the_matrix())}
    return found | {search.key: search.model() for _, search in losses_of_bugs()}


def test_the_record_has_every_loss_and_no_other(asked: dict[str, Model]) -> None:
    assert RECORD.keys() == asked.keys()


def test_the_page_says_what_the_record_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(RECORD)


def test_no_run_that_brokers_can_be_made_to_do_is_shorter_and_each_outcome_has_its_lengths() -> None:
    for key, one in RECORD.items():
        if one.narrower is None:
            assert one.outcome in (GONE, NOT_FOUND), key
        else:
            assert one.outcome == (SAME if one.narrower == one.wider else LONGER), key
            assert one.narrower >= one.wider, key
        assert bool(one.why) or one.outcome == SAME, key


def test_the_readme_marks_exactly_the_losses_whose_shortest_run_brokers_cannot_be_made_to_do() -> None:
    marked = 0
    for versions, cells in readme_rows():
        for faults, text in zip(COLUMNS, cells, strict=False):
            for version in versions:
                found = RECORD.get(Asked(version=version, min_isr=2, unclean=0, faults=faults_of(faults)).key)
                if found is None:
                    assert text in ("holds", "holds*") or text.endswith(WITH_CONTROLLER), (version, faults)
                else:
                    mark = UNSEEN if found.outcome != SAME else ""
                    assert text == f"{found.wider}{mark}", (version, faults)
                    marked += bool(mark)
    assert marked > 0


@pytest.mark.parametrize("key", quick_one_in(2, Random(1).sample(sorted(RECORD), 12)))
def test_what_a_search_finds_is_what_the_record_says(key: str, asked: dict[str, Model]) -> None:
    assert answered(key, asked[key]) == RECORD[key]
