"""The engine `spark` of `neverlost check`, with its options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from neverlost.reports.quantities import show_bytes

from .counts import WholeNumber
from .options import OptionsError

if TYPE_CHECKING:
    from neverlost.explorer import Limits, Progress, Result
    from neverlost.explorer.process.watch import Watch
    from neverlost.model.core import Model
    from neverlost.spark_explore.manifest import LevelRecord
    from neverlost.spark_explore.store import Store

MASTER = re.compile(
    r"local(\[(\d{1,3}|\*)(,\d{1,3})?\])?|local-cluster\[\d{1,3},\d{1,3},\d{1,9}\]|(spark|k8s)://\S+|yarn"
)


class SparkCheckEngine:
    """Explores on Spark, into a store."""

    name = "spark"
    options: Sequence[click.Option] = (
        click.Option(
            ["--master"], default="local[*]", metavar="URL", help="The Spark to use; one in this process if not given."
        ),
        click.Option(
            ["--shards"],
            type=WholeNumber(min=1, max=65_536),
            default=8,
            metavar="N",
            help="Parts of each level; 8 if not given.",
        ),
        click.Option(
            ["--keep-transitions"],
            is_flag=True,
            default=False,
            help="Also keep every step between two states in the store.",
        ),
    )

    def refuse_wrong(self, store: str | None, values: Mapping[str, Any]) -> None:
        if store is None:
            raise OptionsError("--engine spark keeps the search in a folder; give one with --store DIR")
        refuse_wrong_master(values["master"])

    def explore(
        self,
        model: Model,
        store: Path,
        values: Mapping[str, Any],
        *,
        quiet: bool,
        properties: Sequence[str] | None,
        until: str,
        symmetry: bool | Sequence[str],
        limits: Limits,
        watch: Watch[Progress],
    ) -> Result:
        from neverlost.spark_explore.engine import SparkOptions
        from neverlost.spark_explore.search import explore

        options = SparkOptions(
            store=store,
            master=values["master"],
            alone=True,
            committed=(lambda level, store: None) if quiet else show_level,
        )
        return explore(
            model,
            options,
            shards=values["shards"],
            keep_transitions=values["keep_transitions"],
            properties=properties,
            until=until,
            symmetry=symmetry,
            limits=limits,
            watch=watch,
        )

    def showing(self, store: str) -> str:
        return f"neverlost graph {quote(store)} witness NAME"


SPARK = SparkCheckEngine()


def refuse_wrong_master(master: str) -> None:
    """Refuse a wrong master before Java is started. Raises OptionsError."""
    if MASTER.fullmatch(master) is None:
        raise OptionsError(
            f"--master {master} is not a Spark: write local[*], local[N], spark://HOST:PORT, yarn or k8s://HOST:PORT"
        )


def show_level(level: LevelRecord, store: Store) -> None:
    """One line on standard error for each level that is complete."""
    rate = f"{level.frontier / level.seconds:,.0f} states/s" if level.seconds else ""
    shuffled = f", {show_bytes(level.shuffled_bytes)} through Spark's shuffle" if level.shuffled_bytes else ""
    click.echo(
        f"level {level.level + 1} ({level.ran}): frontier {level.frontier:,}, candidates {level.candidates:,},"
        f" new {level.new:,} | {rate}{shuffled} | {show_bytes(store.manifest.bytes)} on disk",
        err=True,
    )
