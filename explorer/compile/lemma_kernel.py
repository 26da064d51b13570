"""The kernel that decides lemmas on many states, for all values of their parameters."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Lemma, Model

from .generate import ModelKernel
from .translate import DECLARED, OUTSIDE


class LemmaKernel(ModelKernel):
    """The functions that check lemmas on the states of a search."""

    def __init__(self, model: Model, lemmas: Sequence[Lemma]) -> None:
        self.lemmas = lemmas
        super().__init__(model, [lemma.function for lemma in lemmas])

    def text(self) -> str:
        """The text of the kernel."""
        return self.assembled(*(self._holds(number, lemma) for number, lemma in enumerate(self.lemmas)), self._judge())

    def _holds(self, number: int, lemma: Lemma) -> str:
        """A function of its own for each lemma."""
        lines = [f"def holds_{number}({self.words}, {DECLARED}):"]
        names = [f"p_{name}" for name, _ in lemma.parameters]
        for depth, (name, (_, index)) in enumerate(zip(names, lemma.parameters, strict=True), start=1):
            lines.append(f"{'    ' * depth}for {name} in range({index.size(self.model.bounds)}):")
        pad = "    " * (len(names) + 1)
        call = f"{self.translator.names[lemma.function]}({', '.join([self.words, *names])}, {OUTSIDE})"
        lines += [f"{pad}if not {call} or flaw[0] != 0:", f"{pad}    return False", "    return True"]
        return "\n".join(lines)

    def _judge(self) -> str:
        tests = "".join(
            f"        flaw[0] = 0\n        if not holds_{number}({self.words}, {OUTSIDE}):\n"
            f"            tally(states, row, {number}, counts, least)\n"
            for number in range(len(self.lemmas))
        )
        return (
            "@entry\n"
            f"def judge(states: rows, begin, end, counts: vector, least: rows, {DECLARED}):\n"
            '    """Tally the states in states[begin:end] in which each lemma is false, or leaves a domain."""\n'
            "    for row in range(begin, end):\n"
            f"{self.load('s', 'states', 'row', ' ' * 8)}{tests or '        pass'}"
        )
