"""`neverlost check --thorough`: the same question about larger models, one dimension at a time, and how much larger each is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result import Result
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.symmetry import symmetric_domains
from neverlost.model.core import Model, NeverlostError
from neverlost.spec.families import family_of

SECONDS = 120.0
"""How long each larger model is searched if no time limit is given."""


class NothingFurther(NeverlostError):
    """The profile has no larger models."""


def larger_models(model: Model) -> Mapping[str, Model]:
    """The larger models of the profile's family. Raises NothingFurther if it has none."""
    models = family_of(model.profile).larger(model)
    if not models:
        raise NothingFurther(
            f"{model.profile.name} has no larger models that a thorough check knows; give larger bounds instead"
        )
    return models


@dataclass(frozen=True, kw_only=True)
class Further:
    """One larger model, and the result of its search."""

    label: str
    result: Result


def go_further(
    models: Mapping[str, Model],
    properties: Sequence[str],
    limits: Limits,
    workers: int,
    interrupted: Callable[[], bool],
    without_harmless: bool = False,
) -> Iterator[Further]:
    """Search each larger model, with every symmetry and some threads, within the limits."""
    within = replace(limits, seconds=limits.seconds or SECONDS)
    for label, model in models.items():
        result = explore(
            model,
            workers=workers,
            properties=list(properties) or None,
            without_harmless=without_harmless,
            symmetry=bool(symmetric_domains(model)),
            limits=within,
            watch=Watch(interrupted=interrupted),
        )
        yield Further(label=label, result=result)


def thorough_exit_code(base: int, found: Sequence[Further]) -> int:
    """The exit code of the check, unless a larger model is violated (1) or, if none is, undecided (3)."""
    codes = [base, *(further.result.exit_code for further in found)]
    return 1 if 1 in codes else max(codes)
