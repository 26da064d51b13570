"""Answers that ship with neverlost: one is used for its very question, if its trace replays, and if nothing became of the file."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import poisoned_caches
import pytest
from hypothesis import given
from hypothesis import strategies as st
from poison import DAMAGE, Poison

from neverlost.explorer.answers import questions
from neverlost.explorer.answers.questions import Answer, Answers, Question, ask
from neverlost.explorer.answers.shipped import ShippedAnswers, ShippedError, can_ship, read_shipped, shipped_text
from neverlost.explorer.search import Limits
from neverlost.model.core import Profile

QUESTIONS = [
    Question(model=model, property=prop.name)
    for model in poisoned_caches.MODELS
    for prop in (*model.profile.properties, *model.profile.probes)
    if not prop.over_runs
]
PROFILES = {model.profile.name: model.profile for model in poisoned_caches.MODELS}
Answered = list[tuple[Question, Answer]]


def named(name: str) -> Profile:
    return PROFILES[name]


@pytest.fixture(scope="module")
def answered() -> Answered:
    """Answers of every kind."""
    found = list(Answers(None).ask_all(QUESTIONS))
    assert {(answer.verdict, answer.trace is None) for _, answer in found} == {
        ("holds", True), ("holds", False), ("violated", False)
    }  # fmt: skip
    return found


def read(text: str, folder: Path) -> ShippedAnswers:
    path = folder / "shipped.ndjson"
    path.write_text(text, encoding="utf-8")
    return read_shipped(path)


def whole(answer: Answer | None) -> tuple[object, ...]:
    """All that an answer says, but the model."""
    assert answer is not None
    trace = None if answer.trace is None else (answer.trace.states, answer.trace.steps, answer.trace.symmetry)
    return answer.verdict, answer.distinct, answer.depth, answer.complete, answer.hidden, trace


def test_what_is_written_is_read_again_and_says_where_it_comes_from(answered: Answered, tmp_path: Path) -> None:
    shipped = read(shipped_text(answered), tmp_path)
    for question, answer in answered:
        found = shipped.answer(question)
        assert whole(found) == whole(answer)
        assert (answer.origin, found and found.origin) == ("search", "shipped")


def test_a_file_names_its_questions(answered: Answered, tmp_path: Path) -> None:
    shipped = read(shipped_text(answered), tmp_path)
    found = list(shipped.questions(named))
    assert {question.key for question, _ in found} == {question.key for question in QUESTIONS}
    assert all(question.key.startswith(written["key"]) for question, written in found)


@given(st.randoms(use_true_random=False))
def test_the_text_does_not_depend_on_the_order_of_the_answers(answered: Answered, chance: random.Random) -> None:
    others = list(answered)
    chance.shuffle(others)
    assert shipped_text(others) == shipped_text(answered)


def test_a_shipped_answer_goes_before_a_search_and_is_not_searched_for(
    answered: Answered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    shipped = read(shipped_text(answered), tmp_path)
    monkeypatch.delattr(questions, "explore")
    found = dict(Answers(None, shipped.answer).ask_all(QUESTIONS))
    assert {answer.origin for answer in found.values()} == {"shipped"}
    assert len(found) == len(QUESTIONS)


def test_an_answer_says_whether_it_came_from_a_search_or_from_a_store(tmp_path: Path) -> None:
    for origin in ("search", "store"):
        assert {answer.origin for _, answer in Answers(tmp_path).ask_all(QUESTIONS)} == {origin}


def test_an_answer_about_another_model_or_property_is_not_used(answered: Answered, tmp_path: Path) -> None:
    question, answer = next(pair for pair in answered if pair[1].trace is not None)
    shipped, model = read(shipped_text([(question, answer)]), tmp_path), question.model
    profile = model.profile
    changed = profile.replacing(profile.name, profile.statement, **{profile.actions[-1].name: None})
    others = [
        replace(question, model=changed.bounded(**model.bounds)),
        replace(question, model=profile.bounded(**{**model.bounds, next(iter(model.bounds)): 3})),
        *(q for q in QUESTIONS if q.key != question.key),
    ]
    assert shipped.answer(question) is not None
    assert [shipped.answer(other) for other in others] == [None] * len(others)


def test_a_name_of_a_profile_does_not_matter(answered: Answered, tmp_path: Path) -> None:
    question, answer = next(pair for pair in answered if pair[1].trace is not None)
    renamed = replace(question.model.profile, name="other", statement="Other words.")
    same = replace(question, model=renamed.bounded(**question.model.bounds))
    found = read(shipped_text([(question, answer)]), tmp_path).answer(same)
    assert found is not None
    assert found.trace is not None
    assert found.trace.model is same.model


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_refused_as_a_whole(damage: Poison, answered: Answered, tmp_path: Path) -> None:
    text, chance = shipped_text(answered), random.Random(1)
    for number in range(20):
        paths = [tmp_path / f"{number}-{name}.ndjson" for name in ("one", "other")]
        paths[0].write_text(text, encoding="utf-8")
        paths[1].write_text(text.partition("\n")[2], encoding="utf-8")
        damage(paths, chance)
        for path in paths:
            if not (path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text):
                with pytest.raises(ShippedError, match=path.name):
                    read_shipped(path)


def resealed(text: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """The text with every line changed, behind the digest that it would have."""
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines[1:]:
        change(line)
    rest = "".join(f"{json.dumps(line)}\n" for line in lines[1:])
    return f"{json.dumps({**lines[0], 'sha256': hashlib.sha256(rest.encode()).hexdigest()})}\n{rest}"


def other_steps(line: dict[str, Any]) -> None:
    if "steps" in line:
        line["steps"] = [*line["steps"][1:], "no_step(x=1)"]


def shorter(line: dict[str, Any]) -> None:
    if "steps" in line:
        line["steps"] = line["steps"][:-1]


def without_a_trace(line: dict[str, Any]) -> None:
    for found in line.get("answers", {}).values():
        if "trace" in found:
            del found["trace"]
            found |= {"depth": 1, "hidden": None}


def other_verdict(line: dict[str, Any]) -> None:
    for found in line.get("answers", {}).values():
        found["verdict"] = {"holds": "violated", "violated": "holds"}[found["verdict"]]


@pytest.mark.parametrize("change", [other_steps, shorter, without_a_trace, other_verdict])
def test_an_answer_that_a_search_cannot_give_is_not_used(
    change: Callable[[dict[str, Any]], Any], answered: Answered, tmp_path: Path
) -> None:
    shipped = read(resealed(shipped_text(answered), change), tmp_path)
    said = [q for q, answer in answered if change is other_verdict or (answer.trace is not None and answer.steps)]
    assert said
    assert [shipped.answer(question) for question in said] == [None] * len(said)


def test_undecided_answers_are_not_shipped(answered: Answered) -> None:
    undecided = ask(QUESTIONS[0], Limits(states=2))
    assert undecided.verdict == "undecided"
    assert not can_ship(undecided)
    assert all(can_ship(answer) for _, answer in answered)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ShippedError, match=r"none\.ndjson is not there"):
        read_shipped(tmp_path / "none.ndjson")
