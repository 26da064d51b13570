"""The pages on models of one's own say what the language does: names, constructs, refusals, and parts of the examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neverlost import modelling
from neverlost.explorer.loading import load_module
from neverlost.model import core
from neverlost.model.core import LanguageError
from neverlost.model.core.language import check_function
from neverlost.model.core.lowering import lowered
from neverlost.model.core.source import defined

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs/reference/model-python.md").read_text(encoding="utf-8")
FOR_MODELS, FOR_PROGRAMS = REFERENCE.split("\n## For programs\n")
SHOWN = {
    "docs/tutorial/01-water-jugs.md": "water_jugs",
    "docs/tutorial/02-two-phase-commit.md": "two_phase_commit",
    "docs/reference/model-python.md": "job_queue, raft_election",
    "docs/how-to/from-your-code.md": "lock_service_code",
}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose first column has a heading, without its quotes."""
    table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", REFERENCE, flags=re.MULTILINE)
    assert table is not None
    return [[cell.strip().replace("\\|", "|") for cell in row.strip("|").split(" |")] for row in table[1].splitlines()]


def codes(heading: str) -> list[str]:
    return [cells[0].strip("`") for cells in rows(heading)]


@pytest.fixture(scope="module")
def queue() -> dict[str, Any]:
    return {name: getattr(modelling, name) for name in modelling.__all__} | vars(
        load_module(ROOT / "examples/job_queue.py")
    )


def written(queue: dict[str, Any], *lines: str, result: str = "None") -> Callable[..., Any]:
    """A function of the queue's model with these lines."""
    text = "\n    ".join([f"def rule(s: Queue, worker: Worker, job: Job) -> {result}:", *lines]) + "\n"
    rule = defined(text, f"{abs(hash(text))}.py", queue)["rule"]
    assert callable(rule)
    return rule


def test_a_model_has_every_name_that_it_needs_and_the_page_explains_it() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", FOR_MODELS, flags=re.MULTILINE)) | {"Profile"}
    assert sorted(modelling.__all__) == sorted(named)
    assert all(getattr(modelling, name) is getattr(core, name) for name in modelling.__all__)


def test_the_page_has_every_name_of_the_language() -> None:
    rest = {name for name in core.__all__ if name not in modelling.__all__}
    assert rest - set(re.findall(r"`(\w+)`", FOR_PROGRAMS)) == set()


@pytest.mark.parametrize("statement", codes("statement"))
def test_a_statement_of_the_page_is_model_python(statement: str, queue: dict[str, Any]) -> None:
    check_function(written(queue, statement), queue["Queue"], "effect")


@pytest.mark.parametrize("statement", codes("with messages"))
def test_what_the_page_does_with_messages_is_model_python(statement: str) -> None:
    raft = {name: getattr(modelling, name) for name in modelling.__all__}
    raft |= vars(load_module(ROOT / "examples/raft_election.py"))
    tell = "def tell(s: Cluster, vote: Vote) -> None:\n    s.granted.send(vote)\n\n"
    text = f"{tell}def rule(s: Cluster, vote: Vote) -> None:\n    {statement}\n"
    rule = defined(text, f"{abs(hash(text))}.py", raft)["rule"]
    check_function(lowered(rule), raft["Cluster"], "effect")


@pytest.mark.parametrize("expression", codes("expression"))
def test_an_expression_of_the_page_is_model_python(expression: str, queue: dict[str, Any]) -> None:
    check_function(written(queue, f"return {expression}", result="int"), queue["Queue"], "value")


@pytest.mark.parametrize(("refused", "write"), [(cells[0].strip("`"), cells[1]) for cells in rows("refused")])
def test_what_the_page_calls_refused_is_refused_with_its_advice(
    refused: str, write: str, queue: dict[str, Any]
) -> None:
    with pytest.raises(LanguageError) as error:
        check_function(written(queue, refused), queue["Queue"], "effect")
    assert str(error.value).endswith(f", which is outside Model Python; write {write.removesuffix(' |')}")


def parts(text: str) -> set[str]:
    """The statements at the top level of a file."""
    return {ast.unparse(statement) for statement in ast.parse(text).body}


@pytest.mark.parametrize(("page", "example"), SHOWN.items())
def test_the_python_of_a_page_is_that_of_its_example(page: str, example: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    files = [(ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8") for name in example.split(", ")]
    shown = set().union(*map(parts, blocks))
    assert len(shown) > 5
    assert shown - set().union(*map(parts, files)) == set()
