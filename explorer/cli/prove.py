"""`neverlost prove`: a property for any number of steps."""

from __future__ import annotations

import os
from dataclasses import dataclass

import click

from neverlost.model.core import UnknownNameError

from ..json_text import json_text
from ..search import Limits
from .bounds import USAGE, BoundedCommand, bounded_model, known_profile
from .output import STANDARD_OUTPUT, ensure_writable, write
from .progress import interruptible
from .quantities import sensible_memory, time_seconds
from .terminal import TextConsole


@dataclass(frozen=True, kw_only=True)
class ProveOptions:
    """What `neverlost prove` was asked for, beside profile and bounds."""

    name: str
    until: str
    bits: int | None
    query_time: str
    workers: int
    max_states: int
    json_path: str | None


@click.command(
    "prove",
    short_help="Prove a property for any number of steps.",
    cls=BoundedCommand,
    options_metavar=USAGE,
)
@click.argument("profile")
@click.option("--property", "name", required=True, metavar="NAME", help="What to prove.")
@click.option("--until", default="first", metavar="first|all", help="Stop at the first query that fails, or ask all.")
@click.option("--bits", type=click.IntRange(min=2, max=64), metavar="N", help="Bits of a number; as few as fit.")
@click.option(
    "--query-time", default="30s", metavar="TIME", help="Give up on a query after this time; 30s if not given."
)
@click.option(
    "--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1, metavar="N", help="Processes; one a core."
)
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=2_000_000,
    metavar="N",
    help="Where induction fails, search this many states for a violation; 2,000,000 if not given.",
)
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the proof as JSON; with -, the text goes to standard error."
)
@click.pass_context
def prove_command(context: click.Context, /, profile: str, **options: object) -> int:
    """Prove that a property of PROFILE holds after any number of steps, by induction from the profile's lemmas.

    Exit codes: 0 proven, 1 violated, 2 the input is wrong, 3 undecided.
    """
    from ..symbolic.induction import Effort
    from ..symbolic.proof import prove
    from ..symbolic.proof_json import proof_values
    from .prove_report import proof_report

    chosen = ProveOptions(**options)  # type: ignore[arg-type]
    if chosen.until not in ("first", "all"):
        raise UnknownNameError("way to end a proof", chosen.until, ("first", "all"))
    if chosen.json_path is not None:
        ensure_writable(chosen.json_path, "--json")
    model = bounded_model(context, known_profile(profile))
    with interruptible() as interrupted:
        proof = prove(
            model,
            chosen.name,
            effort=Effort(bits=chosen.bits, rounds=(5.0, time_seconds(chosen.query_time)), workers=chosen.workers),
            until=chosen.until,
            limits=Limits(states=chosen.max_states, memory_bytes=sensible_memory()),
            interrupted=interrupted,
        )
    out = TextConsole(to_error=chosen.json_path == STANDARD_OUTPUT)
    for part in proof_report(proof):
        out.print(part)
    if chosen.json_path is not None:
        write(chosen.json_path, json_text(proof_values(proof)))
    return proof.exit_code
