"""A divergence as a pytest file: the steps one after the other, without any search."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from neverlost.explorer.trace import Trace
from neverlost.model.core import Model, Step
from neverlost.spec import profiles

FILE = '''\
"""{model}: steps that an implementation did otherwise than the model."""

from neverlost.conformance.divergence import drive
{imports}

STEPS = """
{steps}
"""{attempted}


def test_the_implementation_does_what_the_model_says() -> None:
    model = {bounded}
    steps = [model.parse_step(line) for line in STEPS.strip().splitlines()]
    divergence = drive({make}(model), model, steps{attempt})
    assert divergence is None, divergence.report()
'''


def pytest_file(trace: Trace, make: Callable[[Model], Any], attempted: Step | None = None) -> str:
    """A test that does the steps of a trace, and then tries what the model refuses, if something was tried.

    What was made within a function has no name that a file could import it by: such a line is left to be completed.
    """
    model = trace.model
    made, how_to_make = _imported(make, make, "the function that makes your adapter")
    if profiles().get(model.profile.name) is model.profile:
        known, bounded = "from neverlost.spec import profiles", _bounded(model)
    else:
        known, bounded = _imported(model, make, "your model")
    return FILE.format(
        model=model.profile.name,
        imports="\n".join(sorted({made, known})),
        steps="\n".join(step.show(model.bounds) for step in trace.steps),
        attempted="" if attempted is None else f'\nREFUSED = "{attempted.show(model.bounds)}"',
        bounded=bounded,
        make=how_to_make,
        attempt="" if attempted is None else ", attempted=model.parse_step(REFUSED)",
    )


def _bounded(model: Model) -> str:
    usual = model.profile.default_settings
    chosen = {**model.bounds, **{name: value for name, value in model.settings.items() if value != usual[name]}}
    written = ", ".join(f"{name}={value}" for name, value in chosen.items())
    return f'profiles()["{model.profile.name}"].bounded({written})'


def _imported(wanted: object, beside: Callable[..., Any], what: str) -> tuple[str, str]:
    """The line that imports something from the module of a function, and its name there."""
    module = getattr(beside, "__module__", "")
    names = vars(sys.modules[module]) if module in sys.modules else {}
    for name, value in names.items():
        if value is wanted:
            return f"from {module} import {name}", name
    return f"from ... import ...  # {what}", "..."
