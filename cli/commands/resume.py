"""`neverlost resume`: continue a search in a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..counts import Count
from ..spark_engine import SPARK, refuse_wrong_master
from ..waiting import waiting_for
from .check import CheckOptions, carry_out

if TYPE_CHECKING:
    pass


@click.command("resume")
@click.argument("folder", metavar="DIR")
@click.option("--master", default="local[*]", metavar="URL", help="The Spark to use; one in this process if not given.")
@click.option("--max-states", type=Count(min=1), metavar="N", help="End undecided beyond this many states.")
@click.option("--max-depth", type=Count(min=1), metavar="N", help="End undecided after this many levels.")
@click.option("--memory", metavar="SIZE", help="End undecided before the driver uses more memory: 4GiB.")
@click.option("--time-limit", metavar="TIME", help="End undecided after this time: 90s, 10m, 2h.")
@click.option("--profile", metavar="PROFILE", help="A profile of your own, path/to/file.py:NAME. The file is run.")
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the result as JSON; with -, the text goes to standard error."
)
@click.option("--trace-out", metavar="FILE", help="Write the trace that the text shows, for trace and replay.")
@click.option("--quiet", is_flag=True, help="Only the verdict, and what never happened.")
def resume_command(
    folder: str,
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
    from neverlost.spark_explore.manifest import MANIFEST, read_manifest
    from neverlost.spark_explore.model_of import model_of
    from neverlost.spark_explore.search import asked_properties

    refuse_wrong_master(master)
    with waiting_for(str(Path(folder) / MANIFEST)):
        identity = read_manifest(Path(folder)).identity
    model = model_of(identity, folder, profile)
    chosen = CheckOptions(
        properties=asked_properties(identity, model) or [],
        until=identity.until,
        symmetry=False,
        symmetric=identity.symmetry,
        engine=SPARK.name,
        workers=1,
        max_states=max_states,
        max_depth=max_depth,
        memory=memory,
        time_limit=time_limit,
        json_path=json_path,
        trace_out=trace_out,
        thorough=False,
        quiet=quiet,
        own={
            "store": folder,
            "master": master,
            "shards": identity.shards,
            "keep_transitions": identity.keep_transitions,
        },
    )
    chosen.refuse_wrong(model)
    return carry_out(model, chosen)
