"""`neverlost audit`: what can happen to the records of a deployment, and which settings prevent it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click

from neverlost.explorer.search import Limits
from neverlost.spec.configuration import NAMEABLE, RefusedTopics, read_deployments, role_and_path
from neverlost.studies.asker import Asker
from neverlost.studies.audit.audit import MOST_STATES, audit_of
from neverlost.studies.audit.audit_json import audit_json
from neverlost.studies.audit.examination import tolerance_of
from neverlost.studies.cluster_reading import read_named_cluster

from ..cluster_options import cluster_options
from ..counts import WORKERS, WholeNumber
from ..limits import limits_of
from ..output import Output
from ..progress import AnswersShown, StatusLine, interruptible
from ..reports.audit_report import report
from ..stores import open_store
from ..waiting import waiting_for


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """The options of `neverlost audit`."""

    kafka_version: str | None
    client: str | None
    tolerate: str | None
    survive: str | None
    max_states: int
    time_limit: str | None
    workers: int
    store: str | None

    def limits(self) -> Limits:
        """Where a question ends undecided."""
        return limits_of(states=self.max_states, time_limit=self.time_limit)


@click.command("audit")
@click.argument("files", nargs=-1, metavar="FILE...")
@cluster_options
@click.option("--kafka-version", metavar="N.N", help="The version of Kafka, if no file names it.")
@click.option(
    "--client",
    type=click.Choice(NAMEABLE),
    help="The client that reads a producer's or consumer's file which does not tell that itself.",
)
@click.option(
    "--tolerate",
    metavar="FAULTS",
    help="Faults to survive together: '1 crash, 1 power loss'. Any single fault if not given.",
)
@click.option(
    "--survive",
    metavar="EVENTS",
    help="Events to survive, each by itself, by the names that operators use: 'rolling-restart,node-loss'.",
)
@click.option(
    "--max-states",
    type=WholeNumber(min=1),
    default=MOST_STATES,
    metavar="N",
    help=f"End a question undecided beyond this many distinct states; {MOST_STATES:,} if not given.",
)
@click.option("--time-limit", metavar="TIME", help="End a question undecided after this time: 90s, 10m.")
@click.option("--workers", type=WORKERS, default=2, metavar="N", help="Questions asked in parallel; 2 if not given.")
@click.option("--store", metavar="DIR", help="Where answers are kept for later audits; in the cache if not given.")
@click.option(
    "--json", "json_path", metavar="FILE|-", help="Write the audit as JSON; with -, the text goes to standard error."
)
@click.option("--quiet", is_flag=True, help="Only the verdict, what could change it, and the table of what can happen.")
def audit_command(
    files: Sequence[str],
    bootstrap_server: str | None,
    command_config: str | None,
    topics: Sequence[str],
    json_path: str | None,
    quiet: bool,
    **options: object,
) -> int:
    """Read Kafka's configuration FILEs and say what can happen to records: lost, duplicated, or read and then lost.

    A FILE is a .properties file of a producer, a consumer, a topic or a broker, what kafka-configs.sh, kafka-topics.sh or
    kafka-features.sh describe, YAML with Strimzi's Kafka and KafkaTopic, a compose file or variables of an image of Kafka, or what
    terraform show -json prints. Write role:FILE if the role is not clear: producer, consumer, topic or broker. Other files are
    refused.

    With --bootstrap-server a running cluster says itself what its topics and brokers have; FILEs are those of its clients.

    Exit codes: 0 the deployment survives what it should, 1 it does not, 2 the input is wrong, 3 undecided.

    What SAFE does not mean: docs/explanation/what-holds-means.md
    """
    chosen = AuditOptions(**options)  # type: ignore[arg-type]
    tolerance, limits = tolerance_of(chosen.tolerate, chosen.survive), chosen.limits()
    paths = [role_and_path(file)[1] for file in files]
    paths += [command_config] if command_config else []
    output = Output({"--json": json_path}, inputs=paths, quiet=quiet)
    with waiting_for(*paths):
        refused = list[RefusedTopics]()
        with StatusLine(output.quiet) as status:
            cluster = read_named_cluster(bootstrap_server, command_config, topics, status.say)
        deployments = read_deployments(
            files, kafka_version=chosen.kafka_version, client=chosen.client, cluster=cluster, refused=refused
        )
    with interruptible() as interrupted, AnswersShown(output.quiet) as shown:
        asker = Asker(open_store(chosen.store), limits, chosen.workers, interrupted, shown)
        found = audit_of(deployments, asker, tolerance, refused)
    output.show(*report(found, quiet=output.quiet))
    output.write("--json", lambda: audit_json(found))
    return found.exit_code
