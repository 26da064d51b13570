"""`neverlost prove`: prove a property for any number of steps."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from neverlost.explorer.exit_code import ExitCode
from neverlost.explorer.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.memory import sensible_memory
from neverlost.explorer.render_text import counted, off_option, option_name
from neverlost.explorer.search import Limits
from neverlost.explorer.trace_json import trace_json
from neverlost.model.core import Lemma, Model, Profile, Unbounded, UnknownNameError

from ..bounds import GIVEN, USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names, property_names
from ..counts import MOST_WORKERS, WORKERS, Count
from ..options import OptionsError
from ..output import STANDARD_OUTPUT, ensure_outputs, write
from ..progress import StatusLine, Watch, interruptible
from ..quantities import show_seconds, time_seconds
from ..reports.certified import certificate_text, certified_model
from ..terminal import TextConsole, titled

if TYPE_CHECKING:
    from rich.text import Text

    from neverlost.explorer.symbolic.bounded import Depth
    from neverlost.explorer.symbolic.certificate import Certificate
    from neverlost.explorer.symbolic.induction import Effort, Query
    from neverlost.explorer.symbolic.proof import Proof


UNTIL = ("first", "all")
CUT_SHORT = "The second check (--certify) was interrupted, so it has no result."
BOUNDED_ONLY = ("depth", "k", "for_all_settings", "certify", "bits", "max_states", "trace_out")
"""The parameters that have no meaning without bounds."""


@dataclass(frozen=True, kw_only=True)
class ProveOptions:
    """The options of `neverlost prove`, without profile and bounds."""

    name: str
    any_bounds: bool
    depth: int | None
    k: int
    without: Sequence[str]
    for_all_settings: bool
    until: str | None
    bits: int | None
    query_time: str
    workers: int
    max_states: int
    certify: bool
    json_path: str | None
    trace_out: str | None
    quiet: bool

    def refuse_wrong(self, model: Model) -> None:
        """Refuse now what the proof would refuse later: options that exclude each other, and outputs that cannot be written."""
        if self.until is not None and self.until not in UNTIL:
            raise UnknownNameError("way to end a proof", self.until, UNTIL)
        if self.depth is not None and (self.k > 1 or self.without):
            raise OptionsError("--depth looks for violations without lemmas; leave out -k and --without")
        if self.for_all_settings and (self.depth is not None or self.k > 1 or self.trace_out is not None):
            raise OptionsError("--for-all-settings does not work with --depth, -k or --trace-out; leave one out")
        if self.for_all_settings and self.until is not None:
            raise OptionsError("--for-all-settings always asks all queries; leave out --until")
        if self.certify and (self.for_all_settings or self.depth is not None):
            raise OptionsError("--certify checks a proof by induction again; leave out --depth or --for-all-settings")
        self.lemmas(model.profile)
        ensure_outputs({"--json": self.json_path, "--trace-out": self.trace_out}, inputs=files_of(model.profile.name))

    def refuse_wrong_for_any_bounds(self, context: click.Context) -> None:
        """Refuse options that --any-bounds excludes: those about given bounds, or about states within them."""
        given = [option for option, _ in context.meta[GIVEN]]
        given += [_option(context, name) for name in BOUNDED_ONLY if is_given(context, name)]
        if given:
            raise OptionsError(
                f"--any-bounds proves for all bounds at once, by induction over one step; leave out {', '.join(given)}"
            )
        if self.until is not None and self.until not in UNTIL:
            raise UnknownNameError("way to end a proof", self.until, UNTIL)
        ensure_outputs({"--json": self.json_path}, inputs=files_of(context.params["profile"]))

    def lemmas(self, profile: Profile) -> list[Lemma]:
        """The lemmas of the profile, without those to leave out. Raises UnknownNameError for one that it does not have."""
        known = [lemma.name for lemma in profile.lemmas]
        for name in self.without:
            if name not in known:
                raise UnknownNameError(f"lemma of {profile.name}", name, known)
        return [lemma for lemma in profile.lemmas if lemma.name not in self.without]

    def effort(self) -> Effort:
        """How Z3 is asked."""
        from neverlost.explorer.symbolic.induction import Effort

        return Effort(bits=self.bits, rounds=rounds(time_seconds(self.query_time)), workers=self.workers)

    def limits(self) -> Limits:
        """The limits of the search for a violation."""
        return Limits(states=self.max_states, memory_bytes=sensible_memory())


@click.command(
    "prove",
    cls=BoundedCommand,
    options_metavar=USAGE,
)
@click.argument("profile", shell_complete=profile_names)
@click.option(
    "--property", "name", required=True, metavar="NAME", shell_complete=property_names, help="The property to prove."
)
@click.option(
    "--any-bounds",
    is_flag=True,
    help="Prove it for any number of replicas, records and epochs and any log size; for two profiles.",
)
@click.option("--depth", type=Count(min=0), metavar="N", help="Look for a violation within N steps instead.")
@click.option(
    "-k", "k", type=Count(min=1), default=1, metavar="N", help="Induction over N states in a row; 1 if not given."
)
@click.option("--without", multiple=True, metavar="LEMMA", help="Leave out a lemma of the profile. Repeatable.")
@click.option(
    "--for-all-settings",
    is_flag=True,
    help="Leave acks, min ISR and unclean election open, and report for which of their values it is proven.",
)
@click.option("--until", metavar="|".join(UNTIL), help="Stop at the first query that fails, or ask all.")
@click.option(
    "--bits", type=Count(min=2, max=64), metavar="N", help="Bits of a number; the fewest that fit if not given."
)
@click.option(
    "--query-time",
    default="30s",
    metavar="TIME",
    help="A query that is not answered by then is unknown; 30s if not given.",
)
@click.option(
    "--workers",
    type=WORKERS,
    default=min(os.cpu_count() or 1, MOST_WORKERS),
    metavar="N",
    help="Processes; one per core if not given.",
)
@click.option(
    "--max-states",
    type=Count(min=1),
    default=2_000_000,
    metavar="N",
    help="If induction fails, search N states for a violation; 2000000 if not given.",
)
@click.option(
    "--certify",
    is_flag=True,
    help="Check a proof again: lemmas on all reached states, and terms against the interpreter on random states.",
)
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the proof as JSON; with -, the text goes to standard error."
)
@click.option("--trace-out", metavar="FILE", help="Write the trace of a violation, for trace and replay.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
@click.pass_context
def prove_command(context: click.Context, /, profile: str, **options: object) -> int:
    """Prove that a property of PROFILE holds after any number of steps, by induction from the lemmas of PROFILE.

    If a step can break a lemma, the states within the bounds are searched for a violation, and for the state before that
    step. Every bound and setting of the profile is an option: --replicas 3 --acks all.

    Exit codes: 0 proven, 1 violated, 2 the input is wrong, 3 undecided.
    """
    chosen = ProveOptions(**options)  # type: ignore[arg-type]
    if chosen.any_bounds:
        chosen.refuse_wrong_for_any_bounds(context)
        return _prove_for_any_bounds(unbounded_profile(known_profile(profile)), chosen)
    model = bounded_model(context, known_profile(profile))
    chosen.refuse_wrong(model)
    with interruptible() as interrupted:
        if chosen.for_all_settings:
            return _prove_for_all(model, chosen, {option for option, _ in context.meta[GIVEN]}, interrupted)
        return _prove(model, chosen, interrupted)


def is_given(context: click.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _option(context: click.Context, name: str) -> str:
    """An option as people write it."""
    return next(p.opts[0] for p in context.command.params if p.name == name)


def _prove(model: Model, chosen: ProveOptions, interrupted: Callable[[], bool]) -> int:
    from rich.text import Text

    from neverlost.explorer.symbolic.certificate import certificate_values
    from neverlost.explorer.symbolic.proof import PROVEN, prove, prove_within
    from neverlost.explorer.symbolic.proof_json import proof_values

    from ..reports.prove_report import headline, proof_report

    with ProofWatch(chosen.quiet) as watch:
        if chosen.depth is not None:
            proof = prove_within(
                model, chosen.name, chosen.depth, effort=chosen.effort(), progress=watch.depth, interrupted=interrupted
            )
        else:
            proof = prove(
                model,
                chosen.name,
                lemmas=chosen.lemmas(model.profile),
                k=chosen.k,
                effort=chosen.effort(),
                until=chosen.until or "first",
                limits=chosen.limits(),
                progress=watch.query,
                interrupted=interrupted,
            )
    wanted = chosen.certify and proof.verdict == PROVEN
    again = _certificate(proof, chosen, interrupted) if wanted else None
    report = [headline(proof)] if chosen.quiet else proof_report(proof)
    cut_short = wanted and again is None
    certified = [] if again is None or chosen.quiet else [titled("\n" + certificate_text(again))]
    if cut_short:
        certified = [Text(f"\n{CUT_SHORT}", style="yellow")]
    values = {"certified": None if again is None else certificate_values(again)} if chosen.certify else {}
    _tell(chosen, [*report, *certified], lambda: {**proof_values(proof), **values})
    if chosen.trace_out is not None and proof.trace is not None:
        write(chosen.trace_out, trace_json(proof.trace))
    return ExitCode.UNDECIDED if cut_short else proof.exit_code


def _certificate(proof: Proof, chosen: ProveOptions, interrupted: Callable[[], bool]) -> Certificate | None:
    from neverlost.explorer.symbolic.certificate import certify

    with Watch(chosen.quiet) as watch:
        return certify(
            proof, certified_model(proof.model), limits=chosen.limits(), progress=watch, interrupted=interrupted
        )


def _prove_for_all(model: Model, chosen: ProveOptions, given: Set[str], interrupted: Callable[[], bool]) -> int:
    from neverlost.explorer.symbolic.conditions import prove_for_all
    from neverlost.explorer.symbolic.proof_json import conditional_values
    from neverlost.spec.kafka.matrix import CONFIGURED

    from ..reports.prove_report import conditional_headline, conditional_report

    missing = [name for name in CONFIGURED if name not in model.settings]
    if missing:
        raise OptionsError(
            f"{model.profile.name} has no setting {' or '.join(missing)}; --for-all-settings is for versions of Kafka"
        )
    for declared in model.profile.state.settings:
        chosen_too = given & {option_name(declared.name), off_option(declared)}
        if declared.name in CONFIGURED and chosen_too:
            raise OptionsError(
                f"--for-all-settings leaves {declared.name} open; leave out {', '.join(chosen_too)}, or choose it and prove that"
            )
    with ProofWatch(chosen.quiet) as watch:
        proof = prove_for_all(
            model,
            chosen.name,
            CONFIGURED,
            lemmas=chosen.lemmas(model.profile),
            effort=chosen.effort(),
            limits=chosen.limits(),
            progress=watch.query,
            interrupted=interrupted,
        )
    report = conditional_headline(proof) if chosen.quiet else conditional_report(proof)
    _tell(chosen, report, lambda: conditional_values(proof))
    return proof.exit_code


def unbounded_profile(profile: Profile) -> Unbounded:
    """What a proof for any bounds needs of a profile. Raises OptionsError if there is none for it."""
    from neverlost.spec.published.any_bounds import ANY_BOUNDS

    found = ANY_BOUNDS.get(profile.name)
    if found is None or found.profile is not profile:
        raise OptionsError(
            f"--any-bounds is not available for {profile.name}, only for {', '.join(ANY_BOUNDS)};"
            " leave it out, and give bounds, to prove within these"
        )
    return found


def _prove_for_any_bounds(unbounded: Unbounded, chosen: ProveOptions) -> int:
    lemmas = chosen.lemmas(unbounded.traced)
    with interruptible() as interrupted:
        from neverlost.explorer.symbolic.any_bounds.proof import prove_for_any_bounds
        from neverlost.explorer.symbolic.proof_json import any_bounds_values

        from ..reports.any_bounds_report import any_bounds_report

        with ProofWatch(chosen.quiet) as watch:
            proof = prove_for_any_bounds(
                unbounded,
                chosen.name,
                lemmas=lemmas,
                effort=chosen.effort(),
                until=chosen.until or "first",
                progress=watch.query,
                interrupted=interrupted,
            )
    _tell(chosen, any_bounds_report(proof, chosen.quiet), lambda: any_bounds_values(proof))
    return proof.exit_code


def _tell(chosen: ProveOptions, report: Iterable[Text], values: Callable[[], dict[str, Any]]) -> None:
    """Print the report, and write the values if JSON is asked for."""
    out = TextConsole(to_error=chosen.json_path == STANDARD_OUTPUT)
    for part in report:
        out.print(part)
    if chosen.json_path is not None:
        write(chosen.json_path, json_text(values()))


def rounds(last: float) -> list[float]:
    """The time limit of each round: short ones first, because which solver is slow for a query is a matter of luck."""
    from neverlost.explorer.symbolic.solving import ROUNDS

    return [*(seconds for seconds in ROUNDS[:-1] if seconds < last), last]


class ProofWatch(StatusLine):
    """Shows the progress of a proof."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self.began, self.asked = time.perf_counter(), 0

    def query(self, query: Query) -> None:
        """One more query has an answer."""
        self.asked += 1
        seconds = time.perf_counter() - self.began
        self.show(seconds, lambda: f"{self.asked:,} queries | {show_seconds(seconds)} | {query.text}: {query.result}")

    def depth(self, depth: Depth) -> None:
        """One more number of steps is decided."""
        seconds = time.perf_counter() - self.began
        self.show(seconds, lambda: f"{counted(depth.steps, 'step')}: {depth.result} | {show_seconds(seconds)}")
