"""The claims ledger: its page and its verdicts are what searches answer, and the answers are of the model as it is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from ledgers.claims_record import IDS, PAGE, Recorded, recorded, verdicts
from published_json import expect_published_text

from neverlost.explorer.answers.questions import Question, ask
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.model.kafka.replication.state import Partition
from neverlost.reports.claims.as_json import claims_json
from neverlost.reports.claims.as_markdown import claims_markdown
from neverlost.spec.families import known_claims
from neverlost.spec.kafka.replication.claims.headline import budgets, within
from neverlost.studies.claims.headline import Headline, budget_of
from neverlost.studies.claims.judging import ClaimVerdict, Judgement
from neverlost.studies.claims.ledger import judgements
from neverlost.studies.study import Study

pytestmark = pytest.mark.xdist_group("one reading of the record of claims")

CHEAP = 20_000
"""Answers on fewer states are searched for again."""

ONE_IN = 12
"""So many of them are, without `--thorough`."""


@pytest.fixture(scope="module")
def study() -> Study:
    return Study(Recorded(recorded()["answers"]), Limits(), workers=2)


@pytest.fixture(scope="module")
def judged(study: Study) -> Sequence[Judgement]:
    return list(judgements(IDS, study))


def test_the_ledger_has_all_claims_in_order() -> None:
    assert [claim.id for claim in known_claims()] == [f"C-{number:02}" for number in range(1, 31)]


def test_what_programs_get_of_all_claims_is_as_the_schema_says(judged: Sequence[Judgement]) -> None:
    expect_published_text("claims --json", claims_json(judged))


def test_the_page_is_what_the_recorded_answers_make(judged: Sequence[Judgement]) -> None:
    assert PAGE.read_text(encoding="utf-8") == claims_markdown(judged), "docs/claims.md is stale: run make claims"


def test_the_recorded_verdicts_follow_from_the_recorded_answers(judged: Sequence[Judgement]) -> None:
    assert verdicts(judged) == recorded()["verdicts"]
    assert Verdict.UNDECIDED not in {judgement.verdict for judgement in judged}


def test_nothing_is_recorded_that_no_claim_asks(judged: Sequence[Judgement], study: Study) -> None:
    assert len(judged) == len(known_claims())
    assert len(recorded()["answers"]) == len(study.asked)


def test_whatever_speaks_for_a_claim_by_holding_has_its_witness(judged: Sequence[Judgement]) -> None:
    for judgement in judged:
        assert all(decided.happened is not False for decided in judgement.decided)


def test_cheap_answers_are_found_again(judged: Sequence[Judgement], study: Study, pytestconfig: pytest.Config) -> None:
    cheap: list[Question] = [q for key, q in study.asked.items() if study.answers.kept[key].distinct < CHEAP]
    assert len(cheap) > 100
    for question in cheap[:: 1 if pytestconfig.getoption("--thorough") else ONE_IN]:
        said, found = study.answers.kept[question.key], ask(question, Limits())
        assert (found.verdict, found.steps, found.hidden) == (said.verdict, said.steps, said.hidden)
        assert (found.distinct, found.depth) == (said.distinct, said.depth)


def test_the_headline_has_a_budget_for_every_version_and_a_loss_for_every_switch_that_matters(
    judged: Sequence[Judgement],
) -> None:
    headline = next(judgement for judgement in judged if isinstance(judgement, Headline))
    assert headline.verdict == ClaimVerdict.CONDITIONAL
    for survival in headline.survivals:
        said = [budget_of(d) for d in (*survival.survived, *survival.fatal)]
        assert all(any(within(b, t) or within(t, b) for t in said) for b in budgets()), survival.profile.name
    lost = {
        name: (Partition.fault_words(budget_of(dropped.loss)), dropped.loss.answer.steps)
        for dropped in headline.dropped
        if dropped.loss is not None
        for name in dropped.switch.without
    }
    # Known beforehand, from searches by hand and the histories of these fixes.
    assert lost["maximal_isr"][1] == 6
    assert lost["broker_epochs"][1] == 15
    assert {"elr", "fencing", "epoch_start_guard", "acks", "min_isr", "truncation"} <= set(lost)
