"""`neverlost check`: explore a profile within bounds, and decide its properties."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

import click
from rich.text import Text

from neverlost.explorer import stores
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.no_return import with_no_return_shown
from neverlost.explorer.process.watch import Watch
from neverlost.explorer.result_json import result_values
from neverlost.explorer.search import ENGINES, UNTIL, Limits, decided_properties, explore
from neverlost.explorer.traces.commands import model_options
from neverlost.explorer.traces.trace import replay
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, UnknownNameError
from neverlost.reports.check.as_text import Check, brief, report, summary
from neverlost.reports.check.thorough import further_values, thorough_text
from neverlost.spec.families import family_of
from neverlost.studies.thorough import Further, go_further, larger_models, thorough_exit_code

from ..bounds import USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names, property_names
from ..counts import WORKERS, WholeNumber, processors
from ..limits import limits_of
from ..options import OptionsError, json_option
from ..output import Output
from ..progress import SearchStatus, announce_compilation, interruptible
from ..spark_engine import SPARK

ALL_ENGINES = (*ENGINES, SPARK.name)
TRACE_OUT = "--trace-out"


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """The options of `neverlost check`, without profile and bounds."""

    properties: Sequence[str]
    until: str
    symmetry: bool
    symmetric: Sequence[str]
    engine: str
    workers: int | None
    max_states: int | None
    max_depth: int | None
    memory: str | None
    time_limit: str | None
    store: str | None
    thorough: bool
    all_traces: bool
    own: Mapping[str, Any]
    """The values of options that only one engine has."""

    @property
    def on_spark(self) -> bool:
        """Whether the search runs on Spark."""
        return self.engine == SPARK.name

    @property
    def threads(self) -> int:
        """How many threads search."""
        return self.workers or (processors() if self.engine == "compiled" else 1)

    def refuse_wrong(self, model: Model) -> None:
        """Refuse now what the search would refuse later, and options that exclude each other."""
        if self.engine not in ALL_ENGINES:
            raise UnknownNameError("engine", self.engine, ALL_ENGINES)
        if self.until not in UNTIL:
            raise UnknownNameError("way to end a search", self.until, UNTIL)
        if self.engine == "interpreted" and (self.workers or 1) > 1:
            raise OptionsError(
                f"the interpreted engine has one worker; leave out --workers {self.workers}, or use --engine compiled"
            )
        if self.engine == "interpreted" and self.store is not None:
            raise OptionsError("the interpreted engine keeps no search; leave out --store, or use --engine compiled")
        self._refuse_options_of_another_engine()
        for name in self.properties:
            model.profile.property_named(name)

    def _refuse_options_of_another_engine(self) -> None:
        if self.on_spark:
            if (self.workers or 1) > 1:
                raise OptionsError(f"the {SPARK.name} engine has its own workers; leave out --workers {self.workers}")
            SPARK.refuse_wrong(self.store, self.own)
            return
        given = [option.opts[0] for option in SPARK.options if self.own[option.name or ""] != option.default]
        if given:
            raise OptionsError(f"{given[0]} is an option of --engine {SPARK.name}, not of {self.engine}")

    def command(self, model: Model) -> list[str]:
        """The words of the command that runs this check again; an option and its value are one word."""
        words = ["neverlost check", model.profile.name, *model_options(model)]
        words += [f"--property {name}" for name in self.properties]
        words += ["--all-traces"] if self.all_traces else []
        words += ["--symmetry"] if self.symmetry else [f"--symmetric {name}" for name in self.symmetric]
        values: dict[str, object] = {
            "--until": None if self.until == "first" else self.until,
            "--engine": None if self.engine == "compiled" else self.engine,
            "--workers": self.workers,
            "--max-states": self.max_states,
            "--max-depth": self.max_depth,
            "--memory": self.memory,
            "--time-limit": self.time_limit,
            "--store": self.store,
        }
        for option in SPARK.options if self.on_spark else ():
            value = self.own[option.name or ""]
            values[option.opts[0]] = None if value == option.default else "" if option.is_flag else value
        return words + [
            f"{option} {quote(str(value)) if value else ''}".rstrip()
            for option, value in values.items()
            if value is not None
        ]

    @property
    def ends(self) -> str:
        """When the search ends: with --all-traces, not before each property is decided."""
        return "each" if self.all_traces and self.until == "first" else self.until

    @property
    def wanted_symmetry(self) -> bool | list[str]:
        """The symmetric domains to use, or whether to use all of them."""
        return self.symmetry or list(self.symmetric)

    def limits(self) -> Limits:
        """When the search ends undecided; without --memory, before the machine's memory is used up."""
        return limits_of(states=self.max_states, depth=self.max_depth, memory=self.memory, time_limit=self.time_limit)


@click.command(
    "check",
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
    help="Assert just this property. Repeatable.",
)
@click.option(
    "--until",
    default="first",
    metavar="|".join(UNTIL),
    help="Stop at the first violation, when each property is decided, or after all states, the harmless ones too.",
)
@click.option(
    "--symmetry",
    is_flag=True,
    help="Explore one state of each class of states that differ only by renaming, in every symmetric domain.",
)
@click.option("--symmetric", multiple=True, metavar="DOMAIN", help="The same, in this domain. Repeatable.")
@click.option(
    "--engine",
    default="compiled",
    metavar="|".join(ALL_ENGINES),
    help="What runs the model; compiled if not given.",
)
@click.option(
    "--workers", type=WORKERS, metavar="N", help="Threads of the compiled engine; as many as processors if not given."
)
@click.option(
    "--max-states", type=WholeNumber(min=1), metavar="N", help="End undecided beyond this many distinct states."
)
@click.option("--max-depth", type=WholeNumber(min=1), metavar="N", help="End undecided after this many levels.")
@click.option(
    "--memory",
    metavar="SIZE",
    help="End undecided before using more memory: 4GiB. Three quarters of the free memory if not given.",
)
@click.option("--time-limit", metavar="TIME", help="End undecided after this time: 90s, 10m, 2h.")
@click.option(
    "--store", metavar="DIR", help="Keep the search in this folder, to resume it later; the spark engine needs one."
)
@json_option("the result")
@click.option(
    "--html", "html_path", metavar="FILE", help="Write a page to look at: the verdict, the story, the search."
)
@click.option("--trace-out", metavar="FILE", help="Write the trace that the text shows, for trace and replay.")
@click.option(
    "--thorough",
    is_flag=True,
    help="If the check holds, also explore larger models: longer logs, more faults, more replicas.",
)
@click.option(
    "--all-traces", is_flag=True, help="Decide each property, and show the trace of every one that is violated."
)
@click.option("--brief", "is_brief", is_flag=True, help="Only the verdicts and the trace, without what its words mean.")
@click.option("--quiet", is_flag=True, help="Only the verdict, and what never happened.")
@click.pass_context
def check_command(
    context: click.Context,
    /,
    profile: str,
    json_path: str | None,
    html_path: str | None,
    trace_out: str | None,
    is_brief: bool,
    quiet: bool,
    **options: object,
) -> int:
    """Explore every state of PROFILE within bounds, and decide its properties.

    PROFILE is a name that `neverlost list` shows, or path/to/file.py:NAME. Every bound of the profile is an option:
    --replicas 3 --log-size 2. `neverlost describe PROFILE` shows its bounds and their defaults.

    Exit codes: 0 every property holds, 1 one is violated, 2 the input is wrong, 3 undecided.

    What "holds" does not mean: docs/explanation/what-holds-means.md
    """
    own = {option.name or "": options.pop(option.name or "") for option in SPARK.options}
    chosen = CheckOptions(**options, own=own)  # type: ignore[arg-type]
    model = bounded_model(context, known_profile(profile))
    chosen.refuse_wrong(model)
    output = Output(
        {"--json": json_path, "--html": html_path, TRACE_OUT: trace_out}, inputs=files_of(profile), quiet=quiet
    )
    return carry_out(model, chosen, output, brief if is_brief else report)


check_command.params += SPARK.options


def carry_out(
    model: Model, chosen: CheckOptions, output: Output, shown: Callable[[Check], Iterable[Text]] = report
) -> int:
    """Run a check and report what it found. Returns the exit code."""
    larger = larger_models(model) if chosen.thorough else {}
    ran = _run(model, chosen, output)
    trace = None if ran.decisive is None else ran.decisive.trace
    if trace is not None:
        replay(trace)
    output.show(*(summary(ran) if output.quiet else shown(ran)))
    found: list[Further] = []
    if larger and ran.result.verdict == Verdict.HOLDS:
        alike = ran.result.left_out is not None
        with interruptible() as interrupted:
            found = list(go_further(larger, chosen.properties, chosen.limits(), chosen.threads, interrupted, alike))
        output.show("\n" + thorough_text(ran.result, found))
    more = {"thorough": [further_values(further) for further in found]} if chosen.thorough else {}
    output.write("--json", lambda: json_text({**result_values(ran.result), **more}))
    output.write("--html", lambda: _page(ran))
    if trace is not None:
        output.write(TRACE_OUT, lambda: trace_json(trace))
    return thorough_exit_code(ran.result.exit_code, found)


def _run(model: Model, chosen: CheckOptions, output: Output) -> Check:
    limits = chosen.limits()
    if chosen.engine != "interpreted" and not output.quiet:
        _, decided = decided_properties(model.profile, chosen.properties or None)
        announce_compilation(model, decided, chosen.wanted_symmetry)
    with interruptible() as interrupted, SearchStatus(quiet=output.quiet) as status:
        asked: dict[str, Any] = {
            "properties": list(chosen.properties) or None,
            "until": chosen.ends,
            "symmetry": chosen.wanted_symmetry,
            "limits": limits,
            "watch": Watch(progress=status.search, interrupted=interrupted),
        }
        if chosen.on_spark:
            result = SPARK.explore(model, Path(chosen.store or ""), chosen.own, quiet=output.quiet, **asked)
        elif chosen.store is not None:
            result = stores.explore(model, Path(chosen.store), workers=chosen.threads, **asked)
        else:
            result = explore(model, engine=chosen.engine, workers=chosen.threads, without_harmless=True, **asked)
        if not output.quiet or output.paths:
            result = with_no_return_shown(result, chosen.all_traces, interrupted)
    return Check(
        result=result,
        limits=limits,
        memory=chosen.memory,
        command=chosen.command(model),
        trace_file=output.paths.get(TRACE_OUT),
        resume_command=f"neverlost resume {quote(chosen.store)}" if chosen.store and result.stopped_by else None,
        showing=SPARK.showing(chosen.store) if chosen.on_spark and chosen.store else None,
        all_traces=chosen.all_traces,
        drawn="--html" in output.paths,
        goes_further=not chosen.thorough and chosen.store is None and bool(family_of(model.profile).larger(model)),
    )


def _page(ran: Check) -> str:
    # What draws pages is imported only for one.
    from neverlost.reports.check.page import check_html

    return check_html(ran)
