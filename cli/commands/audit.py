"""`neverlost audit`: what can happen to the records of a deployment, and which settings prevent it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import click

from neverlost.explorer.answers.questions import nothing_known
from neverlost.explorer.search import Limits
from neverlost.model.core import NeverlostError
from neverlost.reports.audit.as_json import audit_json
from neverlost.reports.audit.as_text import report
from neverlost.reports.audit.formats import FORMATS
from neverlost.reports.audit.remarks import problems_of
from neverlost.reports.printable import printable
from neverlost.spec.configuration import (
    EVENTS,
    ConfigurationError,
    Notice,
    RefusedTopics,
    parse_tolerances,
    read_all,
    role_and_path,
)
from neverlost.spec.configuration.readings import ALTERNATIVES, words_of
from neverlost.studies.audit.audit import MOST_STATES, AuditResult, Baseline, audit_of, read_of
from neverlost.studies.audit.examination import tolerance_of
from neverlost.studies.audit.shipped import shipped_answers
from neverlost.studies.cluster_reading import read_named_cluster
from neverlost.studies.study import Study, all_within

from ..cluster_options import cluster_options
from ..completion import assumptions, event_names, some_of
from ..counts import WORKERS, WholeNumber
from ..limits import limits_of
from ..options import json_option
from ..output import STANDARD_OUTPUT, Output
from ..progress import AnswersShown, StatusLine, interruptible
from ..stores import open_store
from ..waiting import STANDARD_INPUT, waiting_for

TEXT = "text"


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """The options of `neverlost audit`."""

    bootstrap_server: str | None
    command_config: str | None
    topics: tuple[str, ...]
    kafka_version: str | None
    assume: str | None
    tolerate: str | None
    survive: str | None
    max_states: int
    time_limit: str | None
    workers: int
    store: str | None
    format: str
    baseline: tuple[str, ...]
    search: bool

    def limits(self) -> Limits:
        """Where a question ends undecided."""
        return limits_of(states=self.max_states, time_limit=self.time_limit)


def _assumptions() -> str:
    return ", ".join(f"{name}={'|'.join(words_of(name))}" for name in ALTERNATIVES)


@click.command("audit")
@click.argument("files", nargs=-1, metavar="FILE...")
@cluster_options
@click.option(
    "--kafka-version", metavar="N.N", help="The version of Kafka, if no file names it. Else each that fits is audited."
)
@click.option(
    "--assume",
    shell_complete=some_of(assumptions),
    metavar="NAME=VALUE,...",
    help=f'What the files leave open: {_assumptions()}; and what a report says below "To narrow this", such as commit=sync.'
    " Else all are audited.",
)
@click.option(
    "--tolerate",
    metavar="FAULTS",
    help="Faults to survive together: '1 crash, 1 power loss'. Any single fault of brokers or network if not given.",
)
@click.option(
    "--survive",
    shell_complete=some_of(event_names),
    metavar="EVENTS",
    help=f"Events to survive, each by itself, with commas between: {', '.join(event.name for event in EVENTS)}.",
)
@click.option(
    "--max-states",
    type=WholeNumber(min=1),
    default=MOST_STATES,
    metavar="N",
    help=f"End a question undecided beyond this many distinct states; {MOST_STATES:,} if not given.",
)
@click.option(
    "--time-limit", metavar="TIME", help="End the audit after this time: 90s, 10m. What is open then is undecided."
)
@click.option("--workers", type=WORKERS, default=2, metavar="N", help="Questions asked in parallel; 2 if not given.")
@click.option("--store", metavar="DIR", help="Where answers are kept for later audits; in the cache if not given.")
@click.option("--search", is_flag=True, help="Use no answer that ships with neverlost: search for it.")
@click.option(
    "--baseline",
    metavar="OLD",
    multiple=True,
    help="A file or folder of an older state: the exit code then says whether anything got worse. Repeatable.",
)
@click.option(
    "--format",
    type=click.Choice([TEXT, *FORMATS]),
    default=TEXT,
    help="Write the audit to standard output in this format; text if not given. The text then goes to standard error.",
)
@click.option("--out", metavar="FILE", help="Write the format to this file, and the text to standard output.")
@json_option("the audit")
@click.option("--html", "html_path", metavar="FILE", help="Write a page to send: what may happen, stories, fixes.")
@click.option("--quiet", is_flag=True, help="Only the verdict, what could change it, and the table of what can happen.")
def audit_command(
    files: Sequence[str],
    json_path: str | None,
    html_path: str | None,
    out: str | None,
    quiet: bool,
    **options: object,
) -> int:
    """Read Kafka's configuration FILEs and say what can happen to records: lost, duplicated, or read and then lost.

    A FILE is a .properties file of a producer, a consumer, a topic or a broker, what Kafka's tools describe, or a form of others:
    Strimzi's resources, StatefulSets, values of Helm charts, Spring Boot's application.yml, Kafka Connect's workers and connectors,
    MirrorMaker 2, Kafka Streams, librdkafka's files, the values that Java clients log, a compose file or variables of an image of
    Kafka, what terraform show -json prints. Write role:FILE if the role is not clear: producer, consumer, topic or broker. Other
    files are refused. The FILE - is standard input.

    With --bootstrap-server a running cluster says itself what its topics and brokers have; FILEs are those of its clients.

    Exit codes: 0 the deployment survives what it should, 1 it does not, 2 the input is wrong, 3 undecided. With --baseline: 0 nothing
    got worse, 1 something did.

    What SAFE does not mean: docs/explanation/what-holds-means.md
    """
    chosen = AuditOptions(**options)  # type: ignore[arg-type]
    target = "--format" if out is None else "--out"
    written = STANDARD_OUTPUT if out is None and chosen.format != TEXT else out
    paths = [role_and_path(file)[1] for file in (*files, *chosen.baseline)]
    paths += [chosen.command_config] if chosen.command_config else []
    output = Output({"--json": json_path, "--html": html_path, target: written}, inputs=paths, quiet=quiet)
    try:
        found = _audited(files, paths, chosen, quiet=output.quiet)
    except NeverlostError as error:
        if chosen.format != TEXT:
            problems = problems_of(error)
            output.write(target, lambda: FORMATS[chosen.format].problems(problems))
        raise
    output.show(*report(found, quiet=output.quiet))
    output.write("--json", lambda: audit_json(found))
    output.write("--html", lambda: _page(found))
    output.write(target, lambda: _written(found, chosen.format, quiet=output.quiet))
    return found.exit_code


def _audited(files: Sequence[str], paths: Sequence[str], chosen: AuditOptions, *, quiet: bool) -> AuditResult:
    """The audit of the files, beside the baseline. Raises NeverlostError for input that cannot be audited."""
    _ensure_read_once((*dict.fromkeys(files), *dict.fromkeys(chosen.baseline)))
    given = parse_tolerances(chosen.tolerate)
    tolerance, limits = tolerance_of(given.of_topics, chosen.survive), chosen.limits()
    with waiting_for(*paths):
        refused = list[RefusedTopics]()
        with StatusLine(quiet) as status:
            cluster = read_named_cluster(chosen.bootstrap_server, chosen.command_config, chosen.topics, status.say)
        found = read_all(
            files, kafka_version=chosen.kafka_version, assume=chosen.assume, cluster=cluster, refused=refused
        )
        baseline = _baseline(chosen, given.of_families)
    shipped = nothing_known if chosen.search else shipped_answers(_warn)
    with interruptible() as interrupted, AnswersShown(quiet) as shown:
        limits, ended = all_within(limits, interrupted)
        study = Study(open_store(chosen.store, shipped), limits, chosen.workers, ended, shown)
        return audit_of(found.deployments, study, tolerance, refused, baseline, read_of(found, given.of_families))


def _ensure_read_once(arguments: Sequence[str]) -> None:
    """Refuse standard input that is named again: there is nothing left to read then."""
    if [role_and_path(argument)[1] for argument in arguments].count(STANDARD_INPUT) > 1:
        what, advice = "standard input is named more than once.", "Write what it has into a file."
        raise ConfigurationError([Notice(what=what, why="It can be read once.", advice=advice)])


def _baseline(chosen: AuditOptions, tolerances: Mapping[str, Mapping[str, int]]) -> Baseline | None:
    """The older state, if it is named. It is read with the same options."""
    if not chosen.baseline:
        return None
    refused = list[RefusedTopics]()
    try:
        found = read_all(chosen.baseline, kafka_version=chosen.kafka_version, assume=chosen.assume, refused=refused)
    except ConfigurationError as error:
        # A file says by its name that it is of the baseline.
        named = [one if one.file else replace(one, what=f"of --baseline: {one.what}") for one in error.problems]
        raise ConfigurationError(named) from None
    return Baseline(deployments=found.deployments, refused=refused, read=read_of(found, tolerances))


def _written(found: AuditResult, form: str, *, quiet: bool) -> str:
    """The audit in a format; as text, as it is shown."""
    if form != TEXT:
        return FORMATS[form].audit(found)
    return "".join(f"{printable(part.plain)}\n" for part in report(found, quiet=quiet))


def _warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)


def _page(found: AuditResult) -> str:
    # What draws pages is imported only for one.
    from neverlost.reports.audit.page import audit_html

    return audit_html(found)
