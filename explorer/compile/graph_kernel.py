"""The kernel that computes the graph of states again, for properties of runs: the steps, and what each state settles."""

from __future__ import annotations

from neverlost.model.core import Model, Property

from .generate import ModelKernel
from .loops import argument_names
from .steps import one_by_one
from .translate import DECLARED, OUTSIDE


def run_properties(model: Model) -> list[Property]:
    """The properties over runs, in the order of their numbers in the kernel."""
    return [p for p in model.profile.all_properties if p.over_runs]


class GraphKernel(ModelKernel):
    """The functions that decide `eventually` properties."""

    def __init__(self, model: Model) -> None:
        self.properties = run_properties(model)
        actions = [a.function for a in model.profile.actions]
        super().__init__(model, actions, [f for p in self.properties for f in p.functions])

    def text(self) -> str:
        """The text of the kernel."""
        return self.assembled(self._edges(), self._judge())

    def _edges(self) -> str:
        changed = " or ".join(f"t_{k} != s_{k}" for k in range(self.width))
        lines, first = [], 0
        for action in self.model.profile.actions:
            place = "0"
            for name, (_, index) in zip(argument_names(action), action.parameters, strict=True):
                place = f"({place}) * {index.size(self.model.bounds)} + {name}"
            notes = (f"steps[count] = {first} + {place}", "sources[count] = row")
            lines += one_by_one(self.translator, action, f"enabled and ({changed})", *notes)
            first += len(action.combinations(self.model.bounds))
        return (
            "@entry\n"
            f"def edges(states: rows, chosen: vector, begin, end, out: rows, sources: vector, steps: vector, {DECLARED}):\n"
            '    """Write the steps from the states at chosen[begin:end] that change something while there is room.\n\n'
            '    Returns the position in chosen to go on with, and how many steps there are.\n    """\n'
            "    count = 0\n"
            "    while begin < end and count + STEPS <= len(out):\n"
            "        row = chosen[begin]\n"
            f"{self.load('s', 'states', 'row', ' ' * 8)}"
            + "".join(f"        {line}\n" for line in lines)
            + "        begin += 1\n"
            "    return begin, count"
        )

    def _judge(self) -> str:
        tests = ""
        for number, prop in enumerate(self.properties):
            settled, begins = (
                "False" if f is None else f"{self.translator.names[f]}({self.words}, {OUTSIDE})"
                for f in (prop.function, prop.after)
            )
            tests += f"        if prop == {number}:\n            judged[row] = u8(0 if {settled} else 2 if {begins} else 1)\n"
        return (
            "@entry\n"
            f"def judge(states: rows, begin, end, prop, judged: octets, {DECLARED}):\n"
            '    """What one `eventually` says of states[begin:end]: 0 settled, 1 open, 2 begins to wait."""\n'
            "    for row in range(begin, end):\n"
            f"{self.load('s', 'states', 'row', ' ' * 8)}{tests}"
        )
