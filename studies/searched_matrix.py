"""The cells of a matrix with their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neverlost.explorer.answers.questions import Answer, Question
from neverlost.explorer.verdict import Verdict
from neverlost.model.arguments import argument
from neverlost.model.core import BoundsError, Model
from neverlost.model.core.profile import show_bounds
from neverlost.spec.matrix import Cell, Matrix

from .study import Study


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchedMatrix:
    """A matrix, and of every cell that was asked the model and the answer."""

    matrix: Matrix
    found: Mapping[Cell, Answer]
    models: Mapping[Cell, Model]

    @property
    def heading(self) -> str:
        """The question, and the bounds of all cells."""
        within = show_bounds(next(iter(self.models.values())).bounds)
        return f"{self.matrix.question} ({within})" if within else self.matrix.question

    @property
    def decided(self) -> bool:
        """Whether every cell is decided."""
        return all(answer.verdict != Verdict.UNDECIDED for answer in self.found.values())


def search_matrix(matrix: Matrix, cells: Sequence[Cell], bounds: Mapping[str, int], study: Study) -> SearchedMatrix:
    """Ask the study about the cells, within bounds and with settings that all of them share.

    Raises BoundsError for a budget of faults, which every cell has itself.
    """
    for name in bounds:
        if name == matrix.beside or any(name in faults for faults in matrix.faults.values()):
            raise BoundsError(f"{argument(name)}: every cell has its own faults; leave it out")
    questions = [Question(model=cell.model(**bounds), property=matrix.asks) for cell in cells]
    return SearchedMatrix(
        matrix=matrix,
        found=dict(zip(cells, study.answer_all(questions), strict=True)),
        models={cell: question.model for cell, question in zip(cells, questions, strict=True)},
    )
