"""`neverlost lemmas`: search for lemmas that hold in every reached state and are inductive together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Progress
from neverlost.model.core import Model, Property
from neverlost.reports.quantities import show_seconds

from ..bounds import USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names, property_names
from ..counts import WholeNumber
from ..limits import limits_of
from ..options import json_option
from ..output import Output
from ..progress import StatusLine, interruptible, progress_line
from ..quantities import time_seconds

if TYPE_CHECKING:
    pass

NOTHING_FOUND = 3


@dataclass(frozen=True, kw_only=True)
class LemmasOptions:
    """The options of `neverlost lemmas`, without profile and bounds."""

    properties: Sequence[str]
    with_lemmas: bool
    literals: int | None
    candidates: int
    query_time: str
    time_limit: str
    max_states: int


@click.command(
    "lemmas",
    cls=BoundedCommand,
    options_metavar=USAGE,
)
@click.argument("profile", shell_complete=profile_names)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    shell_complete=property_names,
    help="Try to prove this property. Repeatable.",
)
@click.option("--with-lemmas", is_flag=True, help="Start from the lemmas of the profile, and search for more.")
@click.option("--literals", type=click.IntRange(1, 4), metavar="N", help="The most comparisons in a lemma.")
@click.option(
    "--candidates",
    type=WholeNumber(min=1),
    default=1_500,
    metavar="N",
    help="Candidates of each length that Z3 is asked about; 1500 if not given.",
)
@click.option(
    "--query-time", default="2s", metavar="TIME", help="Drop a candidate that is not settled by then; 2s if not given."
)
@click.option(
    "--time-limit", default="3m", metavar="TIME", help="Start no longer lemmas after this time; 3m if not given."
)
@click.option(
    "--max-states",
    type=WholeNumber(min=1),
    default=2_000_000,
    metavar="N",
    help="States to search; 2000000 if not given.",
)
@click.option("--out", metavar="FILE", help="Write what was found as a module.")
@json_option("the result")
@click.option("--quiet", is_flag=True, help="Only what was found.")
@click.pass_context
def lemmas_command(
    context: click.Context, /, profile: str, out: str | None, json_path: str | None, quiet: bool, **options: object
) -> int:
    """Search for lemmas of PROFILE: clauses of comparisons that are true in all reached states and inductive together.

    Reports which properties these lemmas prove; without --property, it tries all properties of the kind `always`.

    Exit codes: 0 lemmas were found, 1 a property asked for is violated, 2 the input is wrong, 3 no lemma was found, or a
    property asked for is undecided.
    """
    chosen = LemmasOptions(**options)  # type: ignore[arg-type]
    model = bounded_model(context, known_profile(profile))
    output = Output({"--json": json_path, "--out": out}, inputs=files_of(profile), quiet=quiet)
    with interruptible() as interrupted:
        from neverlost.explorer.symbolic.discovery import Ambition, discover
        from neverlost.explorer.symbolic.induction import Effort
        from neverlost.explorer.verdict import Verdict
        from neverlost.reports.lemmas.as_json import discovery_values
        from neverlost.reports.lemmas.as_text import discovery_text

        with DiscoveryStatus(output.quiet) as status:
            discovery = discover(
                model,
                given=model.profile.lemmas if chosen.with_lemmas else (),
                properties=_properties(model, chosen),
                ambition=Ambition(
                    candidates=chosen.candidates,
                    literals=chosen.literals,
                    seconds=time_seconds(chosen.query_time),
                    total=time_seconds(chosen.time_limit),
                ),
                limits=limits_of(states=chosen.max_states),
                effort=Effort(rounds=(1.0, 5.0)),
                watch=Watch(progress=status.discovery, interrupted=interrupted),
            )
    output.show(discovery_text(discovery, output.quiet))
    if discovery.found:
        output.write("--out", lambda: discovery.module)
    output.write("--json", lambda: json_text(discovery_values(discovery)))
    verdicts = [proof.verdict for proof in discovery.proofs if proof.claim.name in chosen.properties]
    if Verdict.VIOLATED in verdicts:
        return ExitCode.VIOLATED
    return NOTHING_FOUND if Verdict.UNDECIDED in verdicts or not discovery.found else 0


def _properties(model: Model, chosen: LemmasOptions) -> list[Property]:
    from neverlost.explorer.symbolic.proof import provable

    if chosen.properties:
        return [provable(model.profile, name) for name in dict.fromkeys(chosen.properties)]
    return [p for p in model.profile.properties if p.kind == "always"]


class DiscoveryStatus(StatusLine):
    """Shows the progress of a search for lemmas."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self.began = time.perf_counter()

    def discovery(self, seen: Progress | str) -> None:
        """The progress of the search for states, or the stage after it."""
        seconds = time.perf_counter() - self.began
        self.show(
            seconds, lambda: f"{seen} | {show_seconds(seconds)}" if isinstance(seen, str) else progress_line(seen, 0.0)
        )
