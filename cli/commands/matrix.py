"""`neverlost matrix`: is an acknowledged record ever lost? For every version, setting and small set of faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from neverlost.explorer.answers.questions import Answer, Question
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.render_text import check_words, counted, wrapped
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, Profile, UnknownNameError
from neverlost.model.core.profile import show_bounds
from neverlost.spec.kafka.matrix import ACKS, PROPERTY, Cell, cells
from neverlost.spec.kafka.versions import REPLICATING, VERSIONS
from neverlost.studies.matrix_table import markdown, table
from neverlost.studies.study import Study

from ..counts import WORKERS
from ..limits import limits_of
from ..output import Output
from ..progress import AnswersShown, interruptible
from ..reports.matrix_page import matrix_html
from ..stores import STORE_HELP, open_store


@click.command("matrix")
@click.option("--replicas", type=click.IntRange(2, 5), default=3, metavar="N", help="Replicas; 3 if not given.")
@click.option(
    "--acks", multiple=True, metavar="0|1|all", help="Only this value of acks. Repeatable; 1 and all if not given."
)
@click.option("--version", "versions", multiple=True, metavar="NAME", help="Only this version: kafka-3.5. Repeatable.")
@click.option("--workers", type=WORKERS, default=2, metavar="N", help="Searches in parallel; 2 if not given.")
@click.option("--store", metavar="DIR", help=STORE_HELP)
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the cells as JSON; with -, the text goes to standard error."
)
@click.option(
    "--markdown", "markdown_path", metavar="FILE|-", help="Write a page with the tables and a story for every loss."
)
@click.option(
    "--html", "html_path", metavar="FILE", help="Write a page to look at: a heat map whose cells open stories."
)
def matrix_command(
    replicas: int,
    acks: Sequence[str],
    versions: Sequence[str],
    workers: int,
    store: str | None,
    json_path: str | None,
    markdown_path: str | None,
    html_path: str | None,
) -> int:
    """Search every cell of versions x acks x min ISR x unclean election x faults x leader moves.

    Each cell is a complete search for an acknowledged record that a leader does not have, or the shortest trace to one.
    Answers are kept, so an interrupted run resumes where it stopped.

    Exit codes: 0 every cell is decided, 2 the input is wrong, 3 a cell is undecided.
    """
    chosen = cells(_chosen("acks", acks, list(ACKS)) or ["1", "all"], _versions(versions))
    output = Output({"--json": json_path, "--markdown": markdown_path, "--html": html_path})
    questions = [Question(model=cell.model(replicas=replicas), property=PROPERTY) for cell in chosen]
    with interruptible() as interrupted, AnswersShown() as shown:
        study = Study(open_store(store), limits_of(), workers, interrupted, shown)
        found = dict(zip(chosen, study.answer_all(questions), strict=True))
    models = {cell: question.model for cell, question in zip(chosen, questions, strict=True)}
    heading = _heading(questions[0].model)
    output.show(f"{heading}\n\n{table(found)}\n\n{_summary(found, models)}")
    output.write("--json", lambda: json_text([_values(cell, found[cell], models[cell]) for cell in chosen]))
    output.write("--markdown", lambda: markdown(heading, found, models))
    output.write("--html", lambda: matrix_html(heading, _counts(found), found, models))
    undecided = any(answer.verdict == Verdict.UNDECIDED for answer in found.values())
    return ExitCode.UNDECIDED if undecided else ExitCode.HOLDS


def _chosen(what: str, given: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in given:
        if name not in known:
            raise UnknownNameError(what, name, known)
    return list(dict.fromkeys(given))


def _versions(given: Sequence[str]) -> Sequence[Profile]:
    """The named versions; or of versions that replicate alike only the first, because no consumer or cleaner runs here."""
    names = _chosen("version", given, [v.name for v in VERSIONS])
    return [v for v in VERSIONS if v.name in names] or REPLICATING


def _heading(model: Model) -> str:
    bounds = show_bounds(model.bounds)
    return f"Is an acknowledged record ever lost? ({bounds})"


def _summary(found: Mapping[Cell, Answer], models: Mapping[Cell, Model]) -> str:
    lines = [_counts(found)]
    hidden = sum(1 for answer in found.values() if answer.hidden)
    if hidden:
        lines.append(
            f"In {counted(hidden, 'cell')} that hold (ok*), leader epochs ran out in some state without a leader: what"
            " would have happened then was not searched. neverlost check ... --leader-epochs N searches further."
        )
    lines.append(
        "With acks=0 nothing is ever acknowledged, so nothing acknowledged is lost: --acks 0 searches these cells too."
    )
    worst = next((cell for cell, answer in found.items() if answer.verdict == Verdict.VIOLATED), None)
    if worst is not None:
        lines.append(f"To see the story of a cell, here of the first loss:\n  {check_words(models[worst], PROPERTY)}")
    return "\n".join(line if line.startswith("To see the story") else wrapped(line) for line in lines)


def _counts(found: Mapping[Cell, Answer]) -> str:
    """How many cells have which verdict, and in how many states."""
    verdicts = [answer.verdict for answer in found.values()]
    states = sum({id(answer): answer.distinct for answer in found.values()}.values())
    counts = ", ".join(
        f"{verdicts.count(verdict)} {verdict}" for verdict in (Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNDECIDED)
    )
    return f"{counted(len(found), 'cell')}: {counts}; {counted(states, 'state')}."


def _values(cell: Cell, answer: Answer, model: Model) -> dict[str, Any]:
    acks, min_isr, unclean = cell.row
    return {
        "profile": cell.version.name,
        "settings": {"acks": acks, "min_isr": min_isr, "unclean": unclean},
        "faults": cell.budgets,
        "verdict": answer.verdict,
        "trace_length": answer.trace_length,
        "distinct": answer.distinct,
        "complete": answer.complete,
        "epochs_exhausted": answer.hidden,
        "command": check_words(model, PROPERTY),
    }
