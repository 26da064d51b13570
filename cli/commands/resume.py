"""`neverlost resume`: continue a search in a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from neverlost.explorer.loading import files_of
from neverlost.explorer.stores.identity import KeptSearch
from neverlost.explorer.stores.manifest import MANIFEST, engine_of
from neverlost.explorer.stores.search import stored_search
from neverlost.model.core import Profile

from ..bounds import named_profile
from ..counts import WORKERS, WholeNumber
from ..options import json_option
from ..output import Output
from ..spark_engine import SPARK, refuse_wrong_master
from ..waiting import waiting_for
from .check import TRACE_OUT, CheckOptions, carry_out


@click.command("resume")
@click.argument("folder", metavar="DIR")
@click.option(
    "--workers", type=WORKERS, metavar="N", help="Threads of the compiled engine; as many as processors if not given."
)
@click.option("--master", default="local[*]", metavar="URL", help="The Spark to use; one in this process if not given.")
@click.option("--max-states", type=WholeNumber(min=1), metavar="N", help="End undecided beyond this many states.")
@click.option("--max-depth", type=WholeNumber(min=1), metavar="N", help="End undecided after this many levels.")
@click.option("--memory", metavar="SIZE", help="End undecided before this process uses more memory: 4GiB.")
@click.option("--time-limit", metavar="TIME", help="End undecided after this time: 90s, 10m, 2h.")
@click.option("--profile", metavar="PROFILE", help="A profile of your own, path/to/file.py:NAME. The file is run.")
@json_option("the result")
@click.option("--trace-out", metavar="FILE", help="Write the trace that the text shows, for trace and replay.")
@click.option("--quiet", is_flag=True, help="Only the verdict, and what never happened.")
def resume_command(
    folder: str,
    workers: int | None,
    master: str,
    max_states: int | None,
    max_depth: int | None,
    memory: str | None,
    time_limit: str | None,
    profile: str | None,
    json_path: str | None,
    trace_out: str | None,
    quiet: bool,
) -> int:
    """Resume the search in the store DIR after its last complete level. The result is the same as without the interruption.

    A store of another version of neverlost or of another model is refused, and so is one with changed files.
    """
    refuse_wrong_master(master)
    with waiting_for(str(Path(folder) / MANIFEST)):
        engine = engine_of(Path(folder))
        kept, own = (_kept_on_spark if engine == SPARK.name else _kept)(
            Path(folder), lambda recorded: named_profile(recorded, profile, f"{folder} is a search")
        )
    chosen = CheckOptions(
        properties=kept.properties or [],
        until=kept.until,
        symmetry=False,
        symmetric=kept.symmetry,
        engine=engine,
        workers=workers,
        max_states=max_states,
        max_depth=max_depth,
        memory=memory,
        time_limit=time_limit,
        store=folder,
        thorough=False,
        all_traces=False,
        own={**{option.name or "": option.default for option in SPARK.options}, **own, "master": master},
    )
    chosen.refuse_wrong(kept.model)
    output = Output({"--json": json_path, TRACE_OUT: trace_out}, inputs=files_of(kept.model.profile.name), quiet=quiet)
    return carry_out(kept.model, chosen, output)


def _kept(folder: Path, profile_named: Callable[[str], Profile]) -> tuple[KeptSearch, Mapping[str, Any]]:
    """The search of the compiled engine in a folder, and the options that only its engine has."""
    return stored_search(folder, profile_named), {}


def _kept_on_spark(folder: Path, profile_named: Callable[[str], Profile]) -> tuple[KeptSearch, Mapping[str, Any]]:
    """The same for a search on Spark."""
    from neverlost.spark_explore.search import kept_on_spark

    kept = kept_on_spark(folder, profile_named)
    return kept, {"shards": kept.shards, "keep_transitions": kept.keep_transitions}
