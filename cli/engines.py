"""What `check --engine NAME` takes beside the engines of the explorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import click

from neverlost.model.core.errors import NeverlostError

if TYPE_CHECKING:
    from neverlost.explorer.result import Result
    from neverlost.explorer.search import Limits, Progress
    from neverlost.model.core import Model


class OptionsError(NeverlostError):
    """Options that are right one by one, but do not go together."""


class OtherEngine(Protocol):
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

    def resume_command(self, values: Mapping[str, Any]) -> str:
        """The command that goes on with a search that was cut short."""

    def showing(self, values: Mapping[str, Any]) -> str:
        """The command that shows the trace of a property NAME which was found on the way."""
