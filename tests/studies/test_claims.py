"""How a claim is judged: by what searches answer, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from neverlost.explorer.answers.questions import Answer, Answers, Question
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model
from neverlost.spec.claims import Assumption, Claim, cases
from neverlost.spec.kafka.replication.claims.profiles import since
from neverlost.spec.kafka.replication.versions import VERSIONS
from neverlost.studies.claims.judging import ClaimVerdict, judge
from neverlost.studies.study import Study

Decide = Callable[[Model, str], Verdict]
MIN_ISR = Assumption(words="min ISR 2", chosen={"min_isr": 2})
FLUSH = Assumption(words="flush", chosen={"flush": 1})
ELR = Assumption(words="elr", chosen={"elr": 1})


class MadeUp(Answers):
    """Answers that a test makes up."""

    def __init__(self, verdict: Decide) -> None:
        super().__init__(None)
        self.verdict = verdict

    def ask_all(
        self,
        questions: Sequence[Question],
        *,
        limits: Limits | None = None,
        workers: int = 2,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[Question, Answer]]:
        for question in questions:
            verdict = self.verdict(question.model, question.property)
            yield question, Answer(verdict=verdict, distinct=1, depth=1, complete=True, hidden=None, trace=None)


def claim(*assumptions: Assumption, witness: str | None = None, speaks_for: str = Verdict.HOLDS) -> Claim:
    return Claim(
        id="C-00",
        sentence="All is well.",
        short="all is well",
        articles=("000",),
        refuted_by="something that is not well",
        cases=cases(VERSIONS, "acked_never_lost", speaks_for),
        witness=witness,
        assumptions=assumptions,
    )


@pytest.fixture(autouse=True)
def _cheap_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(question: Question) -> str:
        return repr((question.model.profile.name, question.model.settings, question.property))

    monkeypatch.setattr(Question, "key", property(key))


def judged(asked: Claim, verdict: Decide) -> tuple[str, str | None]:
    judgement = judge(asked, Study(MadeUp(verdict), Limits(), workers=2))
    return judgement.verdict, judgement.condition


def test_a_claim_is_confirmed_when_every_case_speaks_for_it() -> None:
    assert judged(claim(), lambda *_: Verdict.HOLDS) == (ClaimVerdict.CONFIRMED, None)
    assert judged(claim(speaks_for=Verdict.VIOLATED), lambda *_: Verdict.VIOLATED) == (ClaimVerdict.CONFIRMED, None)


def test_a_claim_is_refuted_when_no_case_speaks_for_it_and_no_assumption_helps() -> None:
    assert judged(claim(MIN_ISR, FLUSH), lambda *_: Verdict.VIOLATED) == (ClaimVerdict.REFUTED, None)


def test_a_claim_that_one_version_speaks_for_holds_there_only() -> None:
    verdict, condition = judged(
        claim(), lambda model, _: Verdict.HOLDS if model.profile.name == "kafka-2.1" else Verdict.VIOLATED
    )
    assert (verdict, condition) == (ClaimVerdict.CONDITIONAL, "only kafka-2.1")


def test_the_smallest_set_of_assumptions_that_helps_is_the_condition() -> None:
    def verdict(model: Model, _: str) -> str:
        both = model.settings["min_isr"] == 2 and model.settings["elr"]
        return Verdict.HOLDS if both else Verdict.VIOLATED

    assert judged(claim(MIN_ISR, FLUSH, ELR), verdict)[1] == "min ISR 2 and elr"


def test_of_conditions_on_versions_the_one_that_leaves_most_is_named() -> None:
    def verdict(model: Model, _: str) -> str:
        names = [version.name for version in VERSIONS]
        later = names[names.index("kafka-3.7") :]
        return Verdict.HOLDS if model.profile.name in later else Verdict.VIOLATED

    asked = claim(since("kafka-4.1"), since("kafka-3.7"), since("kafka-2.1"))
    assert judged(asked, verdict)[1] == "kafka-3.7 or later"


def test_a_case_in_which_nothing_happens_speaks_for_nothing() -> None:
    asked = claim(witness="acknowledged")
    assert (
        judged(asked, lambda _, name: Verdict.VIOLATED if name == "acknowledged" else Verdict.HOLDS)[0]
        == ClaimVerdict.REFUTED
    )


def test_one_search_that_was_cut_short_leaves_a_claim_undecided() -> None:
    def verdict(model: Model, _: str) -> str:
        return Verdict.UNDECIDED if model.settings["flush"] else Verdict.VIOLATED

    assert judged(claim(), lambda *_: Verdict.UNDECIDED)[0] == ClaimVerdict.UNDECIDED
    assert judged(claim(FLUSH), verdict)[0] == ClaimVerdict.UNDECIDED
    asked = claim(witness="acknowledged")
    assert (
        judged(asked, lambda _, name: Verdict.UNDECIDED if name == "acknowledged" else Verdict.HOLDS)[0]
        == ClaimVerdict.UNDECIDED
    )
