"""A divergence as a pytest file: the steps one after the other, without any search."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from neverlost.model.core import Model
from neverlost.spec import profiles

from ..divergence import Divergence

FILE = '''\
"""{model}: steps in which an implementation differed from the model."""

from neverlost.conformance.divergence import drive
{imports}

STEPS = """
{steps}
"""


def test_the_implementation_does_what_the_model_says() -> None:
    model = {bounded}
    steps = [model.parse_step(line) for line in STEPS.strip().splitlines()]
    divergence = drive({make}(model), model, steps{attempts})
    assert divergence is None, divergence.report()
'''


def pytest_file(divergence: Divergence, make: Callable[[Model], Any]) -> str:
    """A test that does the steps of a divergence, and tries refused steps in the same places.

    A file cannot import an object that was made inside a function: the user has to complete such a line.
    """
    model, after = divergence.trace.model, divergence.attempts_after
    made, how_to_make = _imported(make, make, "the function that makes your adapter")
    if profiles().get(model.profile.name) is model.profile:
        known, bounded = "from neverlost.spec import profiles", _bounded(model)
    else:
        known, bounded = _imported(model, make, "your model")
    return FILE.format(
        model=model.profile.name,
        imports="\n".join(sorted({made, known})),
        steps="\n".join(step.show(model.bounds) for step in divergence.trace.steps),
        bounded=bounded,
        make=how_to_make,
        attempts=f", attempts_after={after}" if after else "",
    )


def _bounded(model: Model) -> str:
    usual = model.profile.default_settings
    bounds = {name: value for name, value in model.bounds.items() if value}
    chosen = {**bounds, **{name: value for name, value in model.settings.items() if value != usual[name]}}
    written = ", ".join(f"{name}={value}" for name, value in chosen.items())
    return f'profiles()["{model.profile.name}"].bounded({written})'


def _imported(wanted: object, beside: Callable[..., Any], what: str) -> tuple[str, str]:
    """The line that imports something from the module of a function, and its name there."""
    module = getattr(beside, "__module__", "")
    names = vars(sys.modules[module]) if module in sys.modules else {}
    for name, value in names.items():
        if value is wanted:
            return f"from {module} import {name}", name
    return f"# from ... import ...: {what}", "..."
