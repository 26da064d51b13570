"""`neverlost prove`: prove a property for any number of steps."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.search import Limits
from neverlost.explorer.traces.commands import off_option, option_name
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.explorer.words import counted
from neverlost.model.core import Lemma, Model, Profile, Unbounded, UnknownNameError
from neverlost.reports.prove.certificate import certificate_text, certificate_values
from neverlost.reports.quantities import show_seconds
from neverlost.spec.families import family_of, unbounded_of

from ..bounds import GIVEN, USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names, property_names
from ..counts import MOST_WORKERS, WORKERS, WholeNumber
from ..limits import limits_of
from ..options import OptionsError, is_given, json_option
from ..output import Output
from ..progress import SearchStatus, StatusLine, interruptible
from ..quantities import time_seconds

if TYPE_CHECKING:
    from rich.text import Text

    from neverlost.explorer.symbolic.bounded import Depth
    from neverlost.explorer.symbolic.certificate import Certificate
    from neverlost.explorer.symbolic.induction import Effort, Query
    from neverlost.explorer.symbolic.proof import Proof


UNTIL = ("first", "all")
TRACE_OUT = "--trace-out"
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

    def refuse_wrong(self, model: Model, output: Output) -> None:
        """Refuse now what the proof would refuse later, and options that exclude each other."""
        if self.until is not None and self.until not in UNTIL:
            raise UnknownNameError("way to end a proof", self.until, UNTIL)
        if self.depth is not None and (self.k > 1 or self.without):
            raise OptionsError("--depth looks for violations without lemmas; leave out -k and --without")
        if self.for_all_settings and (self.depth is not None or self.k > 1 or TRACE_OUT in output.paths):
            raise OptionsError("--for-all-settings does not work with --depth, -k or --trace-out; leave one out")
        if self.for_all_settings and self.until is not None:
            raise OptionsError("--for-all-settings always asks all queries; leave out --until")
        if self.certify and (self.for_all_settings or self.depth is not None):
            raise OptionsError("--certify checks a proof by induction again; leave out --depth or --for-all-settings")
        if self.certify and model.profile.property_named(self.name).over_steps:
            raise OptionsError(
                f"--certify checks predicates over one state, but {self.name} is over a step; leave it out"
            )
        self.lemmas(model.profile)

    def refuse_wrong_for_any_bounds(self, context: click.Context, profile: Profile) -> None:
        """Refuse options that --any-bounds excludes: those about given bounds, or about states within them."""
        bounds = {option_name(name) for name in profile.bound_names}
        given = [option for option, _ in context.meta[GIVEN] if option in bounds]
        given += [_option(context, name) for name in BOUNDED_ONLY if is_given(context, name)]
        if given:
            raise OptionsError(
                f"--any-bounds proves for all bounds at once, by induction over one step; leave out {', '.join(given)}"
            )
        if self.until is not None and self.until not in UNTIL:
            raise UnknownNameError("way to end a proof", self.until, UNTIL)

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
        return limits_of(states=self.max_states)


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
    help="Prove it for all bounds at once: any number of replicas, of records, any log size.",
)
@click.option("--depth", type=WholeNumber(min=0), metavar="N", help="Look for a violation within N steps instead.")
@click.option(
    "-k", "k", type=WholeNumber(min=1), default=1, metavar="N", help="Induction over N states in a row; 1 if not given."
)
@click.option("--without", multiple=True, metavar="LEMMA", help="Leave out a lemma of the profile. Repeatable.")
@click.option(
    "--for-all-settings",
    is_flag=True,
    help="Leave acks, min ISR and unclean election open, and report for which of their values it is proven.",
)
@click.option(
    "--until",
    metavar="|".join(UNTIL),
    help="Stop at the first query that fails, or ask all; all if not given, first with --any-bounds.",
)
@click.option(
    "--bits", type=WholeNumber(min=2, max=64), metavar="N", help="Bits of a number; the fewest that fit if not given."
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
    type=WholeNumber(min=1),
    default=2_000_000,
    metavar="N",
    help="If induction fails, search N states for a violation; 2000000 if not given.",
)
@click.option(
    "--certify",
    is_flag=True,
    help="Check a proof again: lemmas on all reached states, and terms against the interpreter on random states.",
)
@json_option("the proof")
@click.option("--trace-out", metavar="FILE", help="Write the trace of a violation, for trace and replay.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
@click.pass_context
def prove_command(
    context: click.Context,
    /,
    profile: str,
    json_path: str | None,
    trace_out: str | None,
    quiet: bool,
    **options: object,
) -> int:
    """Prove that a property of PROFILE holds after any number of steps, by induction from the lemmas of PROFILE.

    A `step_always` property is proven of every step from a state in which the lemmas hold.

    If a step can break a lemma, the states within the bounds are searched for a violation, and for the state before that
    step. If no search reaches it, facts that exclude it are suggested as lemmas. Every bound and setting of the profile is an
    option: --replicas 3 --acks all.

    Exit codes: 0 proven, 1 violated, 2 the input is wrong, 3 undecided.
    """
    chosen = ProveOptions(**options)  # type: ignore[arg-type]
    output = Output({"--json": json_path, TRACE_OUT: trace_out}, inputs=files_of(profile), quiet=quiet)
    if chosen.any_bounds:
        unbounded = unbounded_of(known_profile(profile))
        chosen.refuse_wrong_for_any_bounds(context, unbounded.profile)
        return _prove_for_any_bounds(unbounded, bounded_model(context, unbounded.profile).settings, chosen, output)
    model = bounded_model(context, known_profile(profile))
    chosen.refuse_wrong(model, output)
    with interruptible() as interrupted:
        if chosen.for_all_settings:
            given = {option for option, _ in context.meta[GIVEN]}
            return _prove_for_all(model, chosen, given, output, interrupted)
        return _prove(model, chosen, output, interrupted)


def _option(context: click.Context, name: str) -> str:
    """An option as people write it."""
    return next(p.opts[0] for p in context.command.params if p.name == name)


def _prove(model: Model, chosen: ProveOptions, output: Output, interrupted: Callable[[], bool]) -> int:
    from rich.text import Text

    from neverlost.explorer.symbolic.proof import prove, prove_within
    from neverlost.explorer.symbolic.suggesting import suggestions
    from neverlost.explorer.verdict import Verdict
    from neverlost.reports.prove.as_json import proof_values
    from neverlost.reports.prove.as_text import headline, proof_report

    suggested = None
    with ProofStatus(output.quiet) as status:
        if chosen.depth is not None:
            watch_depths = Watch(progress=status.depth, interrupted=interrupted)
            proof = prove_within(model, chosen.name, chosen.depth, effort=chosen.effort(), watch=watch_depths)
        else:
            proof = prove(
                model,
                chosen.name,
                lemmas=chosen.lemmas(model.profile),
                k=chosen.k,
                effort=chosen.effort(),
                until=chosen.until or "all",
                limits=chosen.limits(),
                watch=Watch(progress=status.query, interrupted=interrupted),
            )
        if not output.quiet or "--json" in output.paths:
            status.say("looking for facts that exclude the counterexample")
            suggested = suggestions(proof, Watch(interrupted=interrupted))
    wanted = chosen.certify and proof.verdict == Verdict.PROVEN
    again = _certificate(proof, chosen, output, interrupted) if wanted else None
    report = [headline(proof)] if output.quiet else proof_report(proof, suggested)
    cut_short = wanted and again is None
    certified: list[Text | str] = [] if again is None or output.quiet else ["\n" + certificate_text(again)]
    if cut_short:
        certified = [Text(f"\n{CUT_SHORT}", style="yellow")]
    values = {"certified": None if again is None else certificate_values(again)} if chosen.certify else {}
    output.show(*report, *certified)
    output.write("--json", lambda: json_text({**proof_values(proof, suggested), **values}))
    trace = proof.trace
    if trace is not None:
        output.write(TRACE_OUT, lambda: trace_json(trace))
    return ExitCode.UNDECIDED if cut_short else proof.exit_code


def _certificate(
    proof: Proof, chosen: ProveOptions, output: Output, interrupted: Callable[[], bool]
) -> Certificate | None:
    from neverlost.explorer.symbolic.certificate import certify

    with SearchStatus(output.quiet) as status:
        watch = Watch(progress=status.search, interrupted=interrupted)
        return certify(proof, _certified_model(proof.model), limits=chosen.limits(), watch=watch)


def _certified_model(model: Model) -> Model:
    """The model whose reached states the lemmas are evaluated on: within the largest golden bounds, if the profile has any."""
    from neverlost.spec.golden import golden_rows

    rows = [row for row in golden_rows() if row.profile == model.profile.name and not row.symmetry]
    if not rows:
        return model
    largest = max(rows, key=lambda row: row.distinct)
    return model.profile.bounded(**largest.bounds, **model.settings)


def _prove_for_all(
    model: Model, chosen: ProveOptions, given: Set[str], output: Output, interrupted: Callable[[], bool]
) -> int:
    from neverlost.explorer.symbolic.conditions import prove_for_all
    from neverlost.reports.prove.as_json import conditional_values
    from neverlost.reports.prove.as_text import conditional_headline, conditional_report

    configured = family_of(model.profile).configured()
    if not configured:
        raise OptionsError(
            f"--for-all-settings does not know which settings users of {model.profile.name} choose; it is for versions of Kafka"
        )
    for declared in model.profile.state.settings:
        chosen_too = given & {option_name(declared.name), off_option(declared)}
        if declared.name in configured and chosen_too:
            raise OptionsError(
                f"--for-all-settings leaves {declared.name} open; leave out {', '.join(chosen_too)}, or choose it and prove that"
            )
    with ProofStatus(output.quiet) as status:
        proof = prove_for_all(
            model,
            chosen.name,
            configured,
            lemmas=chosen.lemmas(model.profile),
            effort=chosen.effort(),
            limits=chosen.limits(),
            watch=Watch(progress=status.query, interrupted=interrupted),
        )
    report = conditional_headline(proof) if output.quiet else conditional_report(proof)
    output.show(*report)
    output.write("--json", lambda: json_text(conditional_values(proof)))
    return proof.exit_code


def _prove_for_any_bounds(
    unbounded: Unbounded, settings: Mapping[str, int], chosen: ProveOptions, output: Output
) -> int:
    lemmas = chosen.lemmas(unbounded.traced)
    with interruptible() as interrupted:
        from neverlost.explorer.symbolic.any_bounds.proof import prove_for_any_bounds
        from neverlost.explorer.symbolic.terms import UntranslatableError
        from neverlost.reports.prove.any_bounds import any_bounds_report
        from neverlost.reports.prove.as_json import any_bounds_values

        try:
            with ProofStatus(output.quiet) as status:
                proof = prove_for_any_bounds(
                    unbounded,
                    chosen.name,
                    settings=settings,
                    lemmas=lemmas,
                    effort=chosen.effort(),
                    until=chosen.until or "first",
                    watch=Watch(progress=status.query, interrupted=interrupted),
                )
        except UntranslatableError as error:
            raise OptionsError(f"{error}; leave out --any-bounds, and give bounds, to prove within these") from error
    output.show(*any_bounds_report(proof, output.quiet))
    output.write("--json", lambda: json_text(any_bounds_values(proof)))
    return proof.exit_code


def rounds(last: float) -> list[float]:
    """The time limit of each round: short ones first, because which solver is slow for a query is a matter of luck."""
    from neverlost.explorer.symbolic.solving import ROUNDS

    return [*(seconds for seconds in ROUNDS[:-1] if seconds < last), last]


class ProofStatus(StatusLine):
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
