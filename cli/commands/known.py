"""`neverlost known`: what is known of real brokers, played again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.reports.quantities import show_seconds

from ..output import Output
from ..progress import StatusLine, interruptible

if TYPE_CHECKING:
    from neverlost.conformance.cluster.performances import ScheduleRun
    from neverlost.conformance.cluster.scenarios import ScenarioRun

REPLICATION, TRANSACTIONS, QUORUM, GROUPS = "replication", "transactions", "quorum", "groups"
RAW = "raw"
OF = {TRANSACTIONS: "transactions", QUORUM: "the quorum", GROUPS: "groups"}


@click.command("known")
@click.argument("names", nargs=-1, metavar="[SCENARIO...]")
@click.option(
    "--family",
    type=click.Choice((REPLICATION, TRANSACTIONS, QUORUM, GROUPS)),
    default=REPLICATION,
    help="Of this family: replication if not given, transactions, quorum, or groups.",
)
@click.option("--kafka", "releases", multiple=True, metavar="VERSION", help="Only on this release: 4.1.1. Repeatable.")
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="NAME",
    help="Of transactions: whose producers: raw (if not given), java, java-3.9.1, librdkafka. Repeatable.",
)
@click.option("--times", default=1, type=click.IntRange(min=1), metavar="N", help="How many times each; 1.")
@click.option("--unpatched", is_flag=True, help="Change no request on its way: only delay and cut.")
@click.option("--list", "list_only", is_flag=True, help="Show the scenarios, and run nothing.")
@click.option("--steps", "show_steps", is_flag=True, help="Show each step of a schedule or story, and what was seen.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write what happened as JSON.")
@click.option("--markdown", "markdown_path", metavar="FILE|-", help="Write the table as Markdown.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def known_command(
    names: tuple[str, ...],
    family: str,
    releases: tuple[str, ...],
    clients: tuple[str, ...],
    times: int,
    unpatched: bool,
    list_only: bool,
    show_steps: bool,
    json_path: str | None,
    markdown_path: str | None,
    quiet: bool,
) -> int:
    """Play the losses that Kafka is known for, and what ended them, on real brokers of the releases in question.

    The model finds a run, or a schedule has its steps written down. Real brokers do it, and the outcome is compared with what is known
    of the release. Of transactions, the controllers' quorum and groups, a search of each release's version says what is to come.

    Exit codes: 0 all as known, 1 something is otherwise, 2 the input is wrong or something is missing, 3 interrupted.
    """
    from neverlost.conformance.cluster.known import NothingKnownError, known
    from neverlost.conformance.cluster.performances import play_schedules
    from neverlost.conformance.cluster.scenarios import play
    from neverlost.reports.known.as_json import scenario_values, schedule_values
    from neverlost.reports.known.as_markdown import scenarios_markdown, schedules_markdown
    from neverlost.reports.known.as_text import known_verdict, scenario_table, schedule_rows, steps_text

    output = Output({"--json": json_path, "--markdown": markdown_path}, quiet=quiet)
    if family != REPLICATION and unpatched:
        raise NothingKnownError(f"--unpatched is about fetches; of {OF[family]} no request is changed. Leave it out.")
    if clients and family != TRANSACTIONS:
        raise NothingKnownError("--client is about transactions. Add --family transactions, or leave it out.")
    if family in (QUORUM, GROUPS):
        return _play_paths(family, names, releases, times, list_only, show_steps, output)
    if family == TRANSACTIONS:
        return _play_transactions(names, releases, clients or (RAW,), times, list_only, show_steps, output)
    wanted, planned = known(names, releases)
    if list_only:
        return _show_list([*wanted, *planned], output)
    if unpatched:
        planned = []
        if not wanted:
            raise NothingKnownError(
                "--unpatched leaves out every schedule, and nothing else is asked for. Play them without it."
            )
    began = time.perf_counter()
    found: list[ScenarioRun] = []
    performed: list[ScheduleRun] = []
    complete = False
    with StatusLine(quiet) as status, interruptible() as interrupted:
        watch = Watch(progress=status.say, interrupted=interrupted)
        try:
            # What was played before an interruption is kept.
            found.extend(play(wanted, times=times, patched=not unpatched, watch=watch))
            performed.extend(play_schedules(planned, times=times, watch=watch))
            complete = True
        except KeyboardInterrupt:
            pass
    if not quiet:
        if show_steps:
            output.show("\n\n".join([*(steps_text(played, played.runs[-1]) for played in performed), ""]))
        output.show(scenario_table(found, schedule_rows(performed)))
    output.show(f"{known_verdict(found, performed, complete)} ({show_seconds(time.perf_counter() - began)})")
    output.write(
        "--json",
        lambda: json_text(
            {
                **scenario_values(found),
                "schedules": schedule_values(performed),
                "quorum": [],
                "groups": [],
                "stories": [],
            }
        ),
    )
    output.write("--markdown", lambda: scenarios_markdown(found) + schedules_markdown(performed))
    if not (all(one.as_known for one in found) and all(one.as_known for one in performed)):
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if complete else ExitCode.UNDECIDED


class _PlayedStory(Protocol):
    @property
    def as_expected(self) -> bool: ...


S = TypeVar("S", bound=_PlayedStory)


@dataclass(frozen=True)
class _Forms(Generic[S]):
    """How the stories of a family that were played are shown."""

    key: str
    """What they stand under in JSON."""
    table: Callable[[Sequence[S]], str]
    text: Callable[[S], str]
    verdict: Callable[[Sequence[S], bool], str]
    values: Callable[[Sequence[S]], list[dict[str, Any]]]
    markdown: Callable[[Sequence[S]], str]
    steps: Callable[[Sequence[S]], int]


def _play_transactions(
    names: tuple[str, ...],
    releases: tuple[str, ...],
    clients: tuple[str, ...],
    times: int,
    list_only: bool,
    show_steps: bool,
    output: Output,
) -> int:
    """Play the stories of transactions."""
    from neverlost.conformance.cluster.transactions.stories import plan, play_stories, steps_played, stories
    from neverlost.reports.known.as_json import story_values
    from neverlost.reports.known.as_markdown import stories_markdown
    from neverlost.reports.known.as_text import story_table, story_text, story_verdict

    wanted = stories(names)
    if list_only:
        return _show_list(wanted, output)
    planned = plan(wanted, releases, clients)
    forms = _Forms("stories", story_table, story_text, story_verdict, story_values, stories_markdown, steps_played)
    return _show_played(lambda watch: play_stories(planned, times=times, watch=watch), forms, show_steps, output)


def _play_paths(
    family: str,
    names: tuple[str, ...],
    releases: tuple[str, ...],
    times: int,
    list_only: bool,
    show_steps: bool,
    output: Output,
) -> int:
    """Play the stories of a family whose steps are written down."""
    from neverlost.conformance.cluster.groups import stories as of_groups
    from neverlost.conformance.cluster.quorum import stories as of_quorum
    from neverlost.conformance.cluster.story_paths import steps_played
    from neverlost.reports.known.paths import PathForms, story_text

    of: Any = of_quorum if family == QUORUM else of_groups
    shown = PathForms("quorum", "controllers") if family == QUORUM else PathForms("client", "consumers")
    wanted = of.stories(names)
    if list_only:
        return _show_list(wanted, output)
    planned = of.plan(wanted, releases)
    forms: _Forms[Any] = _Forms(
        family, shown.table, story_text, shown.verdict, shown.values, shown.markdown, steps_played
    )
    return _show_played(lambda watch: of.play_stories(planned, times=times, watch=watch), forms, show_steps, output)


def _show_list(wanted: Iterable[Any], output: Output) -> int:
    output.show("\n".join(f"{one.name}\n    {one.about}" for one in wanted))
    return ExitCode.HOLDS


def _show_played(play: Callable[[Watch[str]], Iterable[S]], forms: _Forms[S], show_steps: bool, output: Output) -> int:
    """Play stories, and show and write what came of them. What was played before an interruption is kept."""
    began = time.perf_counter()
    found: list[S] = []
    complete = False
    with StatusLine(output.quiet) as status, interruptible() as interrupted:
        try:
            found.extend(play(Watch(progress=status.say, interrupted=interrupted)))
            complete = True
        except KeyboardInterrupt:
            pass
    if not output.quiet:
        if show_steps:
            output.show("\n\n".join([*(forms.text(played) for played in found), ""]))
        output.show(forms.table(found))
    output.show(f"{forms.verdict(found, complete)} ({show_seconds(time.perf_counter() - began)})")
    values: dict[str, Any] = {"schema": 1, "steps": forms.steps(found), "scenarios": [], "schedules": []}
    values |= {"quorum": [], "groups": [], "stories": []}
    output.write("--json", lambda: json_text({**values, forms.key: forms.values(found)}))
    output.write("--markdown", lambda: forms.markdown(found))
    if not all(one.as_expected for one in found):
        return ExitCode.VIOLATED
    return ExitCode.HOLDS if complete else ExitCode.UNDECIDED
