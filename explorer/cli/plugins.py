"""The engines that other packages add to `check`, found by their entry points.

So the command line offers what it does not import: a package that builds on the explorer is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol

import click

from neverlost.model.core.errors import NeverlostError

if TYPE_CHECKING:
    from neverlost.model.core import Model

    from ..result import Result
    from ..search import Limits, Progress

ENGINES = "neverlost.engines"


class OptionsError(NeverlostError):
    """Options that are right one by one, but do not go together."""


class EnginePlugin(Protocol):
    """An engine that `check --engine NAME` takes, with the options that only it has."""

    name: str
    options: Sequence[click.Option]

    def refuse_wrong(self, values: Mapping[str, Any]) -> None:
        """Raises OptionsError now if the values of its options are wrong."""

    def explore(
        self,
        model: Model,
        values: Mapping[str, Any],
        *,
        quiet: bool,
        properties: Sequence[str] | None,
        until: str,
        symmetry: bool | Sequence[str],
        limits: Limits,
        progress: Callable[[Progress], None],
        interrupted: Callable[[], bool],
    ) -> Result:
        """Explore the model."""

    def going_on(self, values: Mapping[str, Any]) -> str:
        """The command that goes on with a search that was cut short."""

    def showing(self, values: Mapping[str, Any]) -> str:
        """The command that shows the trace of a property NAME which was found on the way."""


@cache
def engine_plugins() -> dict[str, EnginePlugin]:
    """The engines of other packages, by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=ENGINES), key=lambda point: point.name)}


def plugin_options() -> list[click.Option]:
    """The options that the engines of other packages add to `check`."""
    return [option for plugin in engine_plugins().values() for option in plugin.options]
