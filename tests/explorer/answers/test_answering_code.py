"""Kept answers become stale when code changes that can change an answer, and only then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import neverlost.explorer as explorer_package
from neverlost.explorer.answers.questions import ANSWERING, answering_files
from neverlost.model import core

EXPLORER, CORE = Path(explorer_package.__file__).parent, Path(core.__file__).parent
EXAMPLES = Path(__file__).parents[3] / "examples"

ASKS = """
import sys
sys.path.append(sys.argv[1])
from fair_models import OFFICE
from water_jugs import WATER_JUGS
from neverlost.explorer.answers.questions import Answers, Question, ask
from neverlost.explorer.search import Limits, explore
from neverlost.spec import profiles

for profile in (WATER_JUGS, OFFICE, profiles()["published/kip-320"], profiles()["kafka-4.1"]):
    model = profile.bounded()
    for prop in profile.all_properties:
        question = Question(model=model, property=prop.name)
        Answers(None).known(question)
        if prop.kind != "eventually" or not question.symmetric:
            ask(question, Limits(states=500))
    explore(model, engine="interpreted", limits=Limits(states=10))
for module in list(sys.modules.values()):
    if module.__name__.startswith(("neverlost.explorer", "neverlost.model.core")):
        print(module.__file__)
"""

HARMLESS = {
    "loading.py": "which profile a name means; a question holds the profile itself",
    "files": "what is written is read again as it was, or not at all",
    "process": "how a run is watched and ended, and how much memory it has",
    "traces": "a trace is replayed by trace.py; the rest is how it is shown and kept",
    "words.py": "numbers with their nouns",
    "__init__.py": "names",
}
"""What a search loads though it cannot change an answer, and why it cannot."""


def loaded() -> set[Path]:
    command = [sys.executable, "-c", ASKS, str(EXAMPLES)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return {Path(line).resolve() for line in run.stdout.splitlines()}


def test_all_code_that_a_question_runs_is_part_of_the_digest_or_is_harmless() -> None:
    answering = {file.resolve() for file in answering_files()}
    others = {file.relative_to(EXPLORER.resolve()).parts[0] for file in loaded() - answering}
    assert others == set(HARMLESS)


def test_code_that_only_shows_is_not_part_of_the_digest() -> None:
    answering = {file.relative_to(EXPLORER).as_posix() for file in answering_files() if file.is_relative_to(EXPLORER)}
    assert {
        "search.py",
        "engines/compiled.py",
        "compile/texts/visited.py",
        "liveness/deciding.py",
        "traces/trace.py",
    } <= answering
    assert not {name for name in answering if name.startswith(("traces/sentence", "traces/trace_json", "lemmas/"))}


def test_every_answering_name_is_there_and_the_language_counts_as_a_whole() -> None:
    assert [name for name in ANSWERING if not (EXPLORER / name).exists()] == []
    assert {file for file in answering_files() if file.is_relative_to(CORE)} == set(CORE.rglob("*.py"))
