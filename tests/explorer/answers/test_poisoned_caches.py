"""Whatever becomes of the files in a cache or in a store of answers, no answer is another, and no process ends."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import poisoned_caches
import pytest
from command_line import Run
from poison import DAMAGE, OTHER_VALUES, Poison, json_bytes, sealed, unsealed, unsealed_if_there
from sampling import quick_one_in

from neverlost.explorer.answers import questions
from neverlost.explorer.answers.questions import Answer, Answers, Question

CACHES, CACHES_BY_DEFAULT = 240, 12
STORES, STORES_BY_DEFAULT = 220, 22
ROOT = Path(__file__).parents[3]
ACKS_ONE = tuple(str(path) for path in sorted((ROOT / "examples" / "audit" / "acks-1").iterdir()))
QUESTIONS = [
    Question(model=model, property=prop.name)
    for model in poisoned_caches.MODELS
    for prop in (*model.profile.properties, *model.profile.probes)
]


def poisoned(folder: Path, count: int, *more: str) -> tuple[int, list[dict[str, object]]]:
    """The exit code, and what came of each cache."""
    command = [sys.executable, str(Path(poisoned_caches.__file__)), str(folder), "1", str(count), *more]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=1_800, check=False)
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()]


def test_no_search_answers_otherwise_with_a_poisoned_cache(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    count = CACHES if pytestconfig.getoption("--thorough") else CACHES_BY_DEFAULT
    code, shown = poisoned(tmp_path, count)
    assert (code, len(shown)) == (0, count)
    assert [cache for cache in shown if cache["wrong"]] == []


def test_a_cache_whose_digests_nobody_looks_at_is_found_out(tmp_path: Path) -> None:
    """Else the test above would say nothing."""
    code, shown = poisoned(tmp_path, CACHES_BY_DEFAULT, "--planted")
    assert code != 0 or any(cache["wrong"] for cache in shown)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Answer]]:
    """A store of answers of every kind, and these by the keys of their questions."""
    store = tmp_path_factory.mktemp("answers")
    found = {question.key: answer for question, answer in Answers(store).ask_all(QUESTIONS)}
    assert {answer.verdict for answer in found.values()} == {"holds", "violated"}
    return store, found


def recast(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change what an answer says, and write it behind the digest that it would have."""
    values = change(json.loads(unsealed(path)))
    path.write_bytes(sealed(json_bytes(values)))


def other_answer(files: Sequence[Path], chance: random.Random) -> None:
    """Some of what another answer says; or less than an answer says, or other kinds of it.

    Who writes digests too can forge that all states were searched, and nothing was found in them: there is no proof of that.
    """
    path, other = chance.choice(files), chance.choice(files)
    theirs = json.loads(unsealed(other))
    said = [name for name in theirs if name != "asked" and (name != "verdict" or theirs["trace"] is not None)]
    some = said if chance.random() < 0.5 else chance.sample(said, chance.randint(1, len(said)))
    changes: list[Callable[[dict[str, Any]], Any]] = [
        lambda values: {**values, **{name: theirs[name] for name in some}},
        lambda values: {**values, "trace": None},
        lambda values: {**values, "verdict": {"holds": "violated", "violated": "holds"}[values["verdict"]]},
        lambda values: chance.choice(OTHER_VALUES),
        lambda values: {**values, chance.choice(list(values)): chance.choice(["", [], {}, -1, 1.5, "x", {"x": 1}])},
    ]
    recast(path, chance.choice(changes))


def edited(files: Sequence[Path], chance: random.Random) -> None:
    """Another number of states, behind the digest of what was written."""
    path = chance.choice(files)
    path.write_bytes(path.read_bytes().replace(b'"distinct": ', b'"distinct": 1', 1))


def differing(kept: tuple[Path, dict[str, Answer]], poisoned: Path, poison: Poison, chance: random.Random) -> list[str]:
    """The questions that a store answers otherwise after something became of its files."""
    store, right = kept
    shutil.copytree(store, poisoned)
    poison(sorted(poisoned.rglob("*.answer")), chance)
    found = {question.key: answer for question, answer in Answers(poisoned).ask_all(QUESTIONS)}
    shutil.rmtree(poisoned)
    same = meaning if poison is other_answer else whole
    return [q.property for q in QUESTIONS if same(found[q.key]) != same(right[q.key])]


def meaning(answer: Answer) -> tuple[object, ...]:
    """What nobody can forge; who writes digests too can still make up how much was looked at."""
    return answer.verdict, None if answer.trace is None else answer.trace.property, answer.complete


def whole(answer: Answer) -> tuple[object, ...]:
    """All that an answer says."""
    trace = () if answer.trace is None else (answer.trace.states, answer.trace.steps)
    return meaning(answer), answer.distinct, answer.depth, answer.hidden, trace


@pytest.mark.parametrize("seed", quick_one_in(3, range(3)))
def test_no_poisoned_store_of_answers_answers_otherwise(
    seed: int, kept: tuple[Path, dict[str, Answer]], tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    chance = random.Random(seed)
    poisons = [*DAMAGE, edited, *[other_answer] * (len(DAMAGE) - 1)]
    for number in range(STORES if pytestconfig.getoption("--thorough") else STORES_BY_DEFAULT):
        poison = poisons[number % len(poisons)]
        assert differing(kept, tmp_path / "poisoned", poison, chance) == [], (poison.__name__, number)


@pytest.mark.parametrize(
    ("hole", "instead"),
    [
        ("read_kept", unsealed_if_there),
        ("fits", lambda answer, question: True),
    ],
)
def test_a_hole_in_the_reading_of_answers_is_found_out(
    hole: str,
    instead: Callable[..., Any],
    kept: tuple[Path, dict[str, Answer]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the test above would say nothing."""
    monkeypatch.setattr(questions, hole, instead)
    chance = random.Random(1)
    poison = edited if hole == "read_kept" else other_answer
    stores = (tmp_path / f"poisoned-{number}" for number in range(50))
    assert any(differing(kept, store, poison, chance) for store in stores)


def test_an_answer_that_is_copied_over_that_to_another_question_is_searched_for_again(
    kept: tuple[Path, dict[str, Answer]], tmp_path: Path
) -> None:
    """Under the name of the other: its digest is that of what is in it."""
    store, right = kept
    shutil.copytree(store, tmp_path / "answers")
    files = {q.key: tmp_path / "answers" / questions._name(q) for q in QUESTIONS}
    violated = next(key for key, answer in right.items() if answer.verdict == "violated")
    holding = next(key for key, answer in right.items() if answer.verdict == "holds" and answer.trace is None)
    shutil.copy(files[holding], files[violated])
    again = Answers(tmp_path / "answers")
    asked = {q.key: q for q in QUESTIONS}
    assert again.known(asked[violated]) is None
    assert again.known(asked[holding]) == right[holding]


def test_an_audit_fails_as_before_when_an_answer_that_holds_is_copied_over_one_that_does_not(
    tmp_path: Path, run: Run
) -> None:
    command = ("audit", *ACKS_ONE, "--store", str(tmp_path), "--tolerate", "1 crash", "--quiet", "--search")
    code, out, _ = run(*command)
    assert code == 1
    verdicts = {p: json.loads(unsealed(p))["verdict"] for p in tmp_path.rglob("*.answer")}
    holding = next(path for path, verdict in verdicts.items() if verdict == "holds")
    for path, verdict in verdicts.items():
        if verdict == "violated":
            shutil.copy(holding, path)
    assert run(*command)[:2] == (1, out)
