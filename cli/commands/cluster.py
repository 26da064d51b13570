"""`neverlost cluster`: real brokers on this machine, held, killed and watched by hand."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.process.watch import Watch
from neverlost.model.core import NeverlostError, UnknownNameError

from ..counts import WholeNumber, short
from ..options import OptionsError, json_option
from ..output import Output
from ..progress import StatusLine, interruptible
from ..quantities import time_seconds

if TYPE_CHECKING:
    from neverlost.conformance.cluster.operating import Operator
    from neverlost.conformance.cluster.serving import RunningCluster
    from neverlost.conformance.cluster.wire import Wire

ACKNOWLEDGED, REFUSED, UNKNOWN = 0, 1, 3
ACKS = {"0": 0, "1": 1, "all": -1}
MOST_BROKERS, MOST_CONTROLLERS = 9, 5
TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,200}")
LOOK_SECONDS = 0.5


def broker_number(text: str) -> int:
    """The number of a broker, written `1` or `r1`."""
    number = text.removeprefix("r")
    if not number.isdecimal() or len(number) > 2:
        raise click.BadParameter(f"{short(text)} is no broker; write 1, or r1")
    return int(number)


def node_number(text: str) -> int:
    """The number of a broker, written `1` or `r1`, or the node of a controller, written `c1`."""
    from neverlost.conformance.cluster.quorum.control import node_of

    number = text.removeprefix("c")
    if number != text and number.isdecimal() and len(number) <= 2:
        return node_of(int(number))
    return broker_number(text)


in_folder = click.option(
    "--folder", metavar="DIR", help="The folder of the cluster; if not given, the only one that runs."
)
as_json = json_option("what is shown")
of_kind = click.option(
    "--kind",
    metavar="KIND",
    help="fetch, epoch-end, control, alter-isr, metadata-log, heartbeat or shutdown. If not given: fetch between brokers, alter-isr "
    "to the controller, control from it.",
)


class InOrder(click.Group):
    """A group that lists its commands in the order in which one uses them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group("cluster", cls=InOrder)
def cluster_command() -> None:
    """Start a cluster of real brokers on this machine, on 127.0.0.1 only, and see what becomes of records.

    `up` stays in the foreground; the other commands are for another terminal. Java 17 and Maven must be there; Maven downloads each
    release once.
    """


@cluster_command.command("up", short_help="Start a cluster, and serve the other commands.")
@click.argument("version", metavar="VERSION")
@click.option("--mode", metavar="zookeeper|kraft", help="For a release that has both; kraft if not given.")
@click.option(
    "--brokers",
    type=WholeNumber(min=1, max=MOST_BROKERS),
    default=3,
    metavar="N",
    help="How many brokers there are besides node 100; 3 if not given.",
)
@click.option(
    "--controllers",
    type=WholeNumber(min=1, max=MOST_CONTROLLERS),
    metavar="N",
    help="Controllers of their own, c1, c2, ..., in a static quorum; if not given, node 100 is controller and broker.",
)
@click.option(
    "--lag",
    default="60s",
    metavar="TIME",
    help="After this time a leader drops a follower that is behind; 60s if not given.",
)
@click.option(
    "--topic", default="events", metavar="NAME", help="The topic to create, with one partition; events if not given."
)
@click.option(
    "--replicas", metavar="B,B,...", help="The brokers of the topic, the preferred leader first; all if not given."
)
@click.option(
    "--min-isr",
    type=WholeNumber(min=1, max=MOST_BROKERS),
    metavar="N",
    help="min.insync.replicas; 2 if not given, or 1 for a single replica.",
)
@click.option("--folder", metavar="DIR", help="Where data and logs go, and stay; a temporary folder if not given.")
@click.option("--keep", is_flag=True, help="Keep the data and logs of a temporary folder too.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def up_command(
    version: str,
    mode: str | None,
    brokers: int,
    controllers: int | None,
    lag: str,
    topic: str,
    replicas: str | None,
    min_isr: int | None,
    folder: str | None,
    keep: bool,
    quiet: bool,
) -> int:
    """Start Kafka VERSION with a topic, and serve the other commands until Ctrl-C or `neverlost cluster down`.

    Node 100 is the controller, or with --controllers a broker that is asked; it has no replicas. Nothing happens that you did not ask
    for: a follower that is behind stays in the ISR for the time --lag, and a dead broker keeps its session until `fence` ends it.

    Exit codes: 0 it was ended, 2 the input is wrong, something is missing or the cluster does not start.
    """
    from neverlost.conformance.cluster.cluster import Cluster
    from neverlost.conformance.cluster.control import CONTROLLING, topic_settings
    from neverlost.conformance.cluster.operating import Operator
    from neverlost.conformance.cluster.quorum.control import Quorum
    from neverlost.conformance.cluster.releases import release_named
    from neverlost.conformance.cluster.serving import RunningCluster, Served
    from neverlost.reports.cluster.as_text import up_text

    release = release_named(version, mode)
    order, least = _topic(topic, replicas, brokers, min_isr)
    output = Output({})
    cluster, runs = None, False
    try:
        with ExitStack() as stack:
            interrupted = stack.enter_context(_ended_by_signals())
            with UpStatus(quiet) as status:
                cluster = Cluster(
                    release,
                    brokers=brokers,
                    lag_ms=int(time_seconds(lag) * 1000),
                    folder=None if folder is None else Path(folder),
                    quorum=None if controllers is None else Quorum(controllers=controllers),
                    keep=keep,
                    watch=Watch(progress=status.say, interrupted=interrupted),
                )
                stack.enter_context(cluster)
                operator = Operator(cluster, topic, order, topic_settings(least))
                operator.topic.create()
                about = RunningCluster(
                    version=release.version,
                    mode=release.mode,
                    topic=topic,
                    replicas=order,
                    controlling=CONTROLLING,
                    client_ports={str(node): port for node, port in cluster.client_port.items()},
                    folder=str(cluster.folder),
                )
                served = stack.enter_context(Served(about))
            runs = True
            output.show(up_text(about, least))
            sys.stdout.flush()
            with UpStatus(quiet or not sys.stderr.isatty()) as status:
                while not interrupted() and not operator.is_down:
                    status.show_state(operator)
                    served.answer_next(operator.answer, LOOK_SECONDS)
    except KeyboardInterrupt:
        if cluster is None:
            raise
    kept = cluster.folder.exists()
    output.show(
        f"The cluster has ended; its data and logs are in {cluster.folder}"
        if kept
        else "The cluster has ended; its data and logs are removed, unless up is given --keep"
    )
    return ExitCode.HOLDS if runs else ExitCode.INTERRUPTED


@contextmanager
def _ended_by_signals() -> Iterator[Callable[[], bool]]:
    """A flag that Ctrl-C sets, or a signal to end."""
    asked = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with interruptible() as interrupted:
            yield lambda: asked or interrupted()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class UpStatus(StatusLine):
    """Shows how the cluster starts, and then who leads."""

    def show_state(self, operator: Operator) -> None:
        """Show who leads."""
        self.show(self.seconds, lambda: _state_line(operator))


def _topic(name: str, replicas: str | None, brokers: int, min_isr: int | None) -> tuple[tuple[int, ...], int]:
    """The replicas of the topic and its min.insync.replicas. Raises OptionsError, also for a wrong name."""
    order = _replicas(replicas, brokers)
    least = min(2, len(order)) if min_isr is None else min_isr
    if least > len(order):
        raise OptionsError(f"--min-isr {least} is more than the topic's {len(order)} replicas")
    if TOPIC.fullmatch(name) is None:
        raise OptionsError(f"--topic {short(name)} is no name of a topic; use letters, digits, '.', '_' and '-'")
    return order, least


def _replicas(text: str | None, brokers: int) -> tuple[int, ...]:
    """The replicas that --replicas names."""
    known = range(1, brokers + 1)
    if text is None:
        return tuple(known)
    parts = [part.strip().removeprefix("r") for part in text.split(",")]
    numbers = tuple(int(part) for part in parts if part.isdecimal() and len(part) <= 2)
    if len(set(numbers)) != len(parts) or not set(numbers) <= set(known):
        raise OptionsError(f"--replicas {short(text)} are not different brokers of 1 to {brokers}; write them like 1,2")
    return numbers


def _state_line(operator: Operator) -> str:
    from neverlost.reports.cluster.as_text import state_line

    try:
        return state_line(operator.answer({"do": "status"}))
    except (NeverlostError, OSError, LookupError) as error:
        return f"the controller does not answer: {error}; Ctrl-C ends the cluster"


@cluster_command.command("status", short_help="Show the brokers, and what is held.")
@in_folder
@as_json
def status_command(folder: str | None, json_path: str | None) -> int:
    """Show every broker, what the controller knows, and which requests are held.

    For a dead broker, the log end and the high watermark are read from its disk.
    """
    from neverlost.reports.cluster.as_text import status_text

    output = Output({"--json": json_path})
    found = _cluster(folder).ask(do="status")
    output.show(status_text(found))
    output.write("--json", lambda: json_text(found))
    return ExitCode.HOLDS


def _cluster(folder: str | None) -> RunningCluster:
    from neverlost.conformance.cluster.serving import running_cluster

    return running_cluster(folder)


@cluster_command.command("produce")
@click.argument("value", metavar="VALUE")
@click.option(
    "--to",
    "broker",
    type=broker_number,
    metavar="B",
    help="Send the record to this broker; to the leader if not given.",
)
@click.option("--acks", default="all", metavar="0|1|all", help="Which acknowledgement to wait for; all if not given.")
@click.option("--wait", default="5s", metavar="TIME", help="How long to wait for it; 5s if not given.")
@in_folder
def produce_command(value: str, broker: int | None, acks: str, wait: str, folder: str | None) -> int:
    """Send a record with VALUE.

    Exit codes: 0 acknowledged (with --acks 0: sent), 1 refused, 2 the input is wrong, 3 nobody knows: no answer in time.
    """
    if acks not in ACKS:
        raise UnknownNameError("way to acknowledge", acks, ACKS)
    seconds = time_seconds(wait)
    about, wire = _reachable(folder)
    to = _chosen(about, wire, broker)
    try:
        error = wire.produce(
            about.port(to), about.topic, value.encode(), ACKS[acks], wait_ms=int(seconds * 1000), timeout=seconds + 1
        )
    except ConnectionRefusedError:
        click.echo(f"r{to}: REFUSED, it does not run")
        return REFUSED
    except OSError as problem:
        click.echo(f"r{to}: UNKNOWN, {problem}")
        return UNKNOWN
    said, code = outcome_of(error)
    click.echo(f"r{to}: {said}")
    return code


def outcome_of(error: int | None) -> tuple[str, int]:
    """What an error code of a produce request means for the record, and the exit code; None is the answer to acks=0."""
    from kafka.errors import for_code

    if error is None:
        return "sent, without an answer", ACKNOWLEDGED
    if error == 0:
        return "acknowledged", ACKNOWLEDGED
    name = f"error {error}, {for_code(error).__name__.removesuffix('Error')}"
    if error in (7, 20):
        return f"UNKNOWN, {name}: the record may be in the log", UNKNOWN
    return f"REFUSED, {name}", REFUSED


@cluster_command.command("consume", short_help="Show what a consumer reads.")
@click.option(
    "--from", "broker", type=broker_number, metavar="B", help="Read from this broker; from the leader if not given."
)
@in_folder
@as_json
def consume_command(broker: int | None, folder: str | None, json_path: str | None) -> int:
    """Show the records below the high watermark, as a consumer reads them.

    From 2.7 on, followers answer consumers; an older follower is asked for all that it has.
    """
    from neverlost.conformance.cluster.wire import CONSUMER, DEBUGGING_CONSUMER, FIRST_FETCH_FROM_FOLLOWERS
    from neverlost.reports.cluster.as_json import consumed_values
    from neverlost.reports.cluster.as_text import consumed_text

    output = Output({"--json": json_path})
    about, wire = _reachable(folder)
    source = _chosen(about, wire, broker)
    plain = broker is None or wire.release.fetch >= FIRST_FETCH_FROM_FOLLOWERS
    records: list[Any] = []
    while True:
        start = records[-1].offset + 1 if records else 0
        try:
            found = wire.fetch(
                about.port(source), about.topic, start, replica=CONSUMER if plain else DEBUGGING_CONSUMER
            )
        except OSError as problem:
            raise OptionsError(f"r{source} does not answer: {problem}") from None
        if found.error:
            raise OptionsError(f"r{source} does not answer consumers: {outcome_of(found.error)[0]}")
        new = [record for record in found.records if record.offset >= start]
        if not new:
            break
        records += new
    output.show(consumed_text(source, records))
    output.write("--json", lambda: json_text(consumed_values(source, records)))
    return ExitCode.HOLDS


def _reachable(folder: str | None) -> tuple[RunningCluster, Wire]:
    """The cluster, and what sends requests to its brokers."""
    from neverlost.conformance.cluster.wire import Wire

    about = _cluster(folder)
    return about, Wire(about.release)


def _chosen(about: RunningCluster, wire: Wire, broker: int | None) -> int:
    """The broker that is named, or else the leader, as node 100 has it."""
    if broker is not None:
        if str(broker) not in about.client_ports:
            raise UnknownNameError("broker", str(broker), about.client_ports)
        return broker
    try:
        leader = wire.metadata(about.port(about.controlling), about.topic).topics[0].partitions[0].leader_id
    except OSError:
        from neverlost.conformance.cluster.serving import not_running

        raise not_running(about.folder) from None
    if leader == -1:
        raise OptionsError("nobody leads the topic now; name a broker")
    return int(leader)


def _do(folder: str | None, **request: Any) -> int:
    """Have the cluster do something, and show what it says."""
    Output({}).show(_cluster(folder).ask(**request)["said"])
    return ExitCode.HOLDS


def _of_broker(name: str, help_text: str, number: Callable[[str], int] = broker_number) -> None:
    """A command that does something to one broker, or to one node."""

    @cluster_command.command(name, help=help_text, short_help=help_text.split(".", maxsplit=1)[0] + ".")
    @click.argument("broker", type=number, metavar="B")
    @in_folder
    def command(broker: int, folder: str | None) -> int:
        return _do(folder, do=name, broker=broker)


def _of_gate(name: str, short_help: str, help_text: str, of_part: str = "") -> None:
    """A command that does something to one gate; with `of_part`, to a part of what is exchanged there."""

    def command(arrow: str, kind: str | None, folder: str | None, **part: str | None) -> int:
        return _do(folder, do=name, arrow=arrow, kind=kind, **part)

    if of_part:
        command = click.option("--part", metavar="PART", help=of_part)(command)
    command = click.argument("arrow", metavar="'rA->rB'")(of_kind(in_folder(command)))
    cluster_command.command(name, help=f"{short_help} {help_text}", short_help=short_help)(command)


_of_gate(
    "hold",
    "Hold requests from now on.",
    """'r2->r1' are the fetches of follower r2 from leader r1, 'r1->controller' the ISR changes that r1 asks for, 'controller->r1' what
    a controller on ZooKeeper tells r1. Quote the arrow: > is the shell's. A part other than requests holds the answers: as they were
    sent, or unread on the broker's side, which then sends what its log has later.""",
    "requests, answers or unread; requests if not given.",
)
_of_gate(
    "open",
    "Let requests pass that are held.",
    "Later ones pass too.",
    "Only this part: requests, answers or unread; all if not given.",
)
_of_gate("cut", "Cut the connections of requests that are held.", "Their senders ask again.")
_of_broker(
    "kill",
    "Kill broker B, as kill -9 does. The controller takes it for live until `fence` ends its session. c1 is a controller.",
    node_number,
)
_of_broker("fence", "End the session of broker B. The controller takes it for dead, whether it is or not.")
_of_broker("unfence", "Let broker B have a session again. It must run.")
_of_broker("shutdown", "End broker B in good order. This is a controlled shutdown.")
_of_broker("restart", "Start broker B again. It must have ended. c1 is a controller.", node_number)
_of_broker("move", "Make broker B the leader. It becomes the preferred replica, and a preferred election is held.")


@cluster_command.command("elect")
@click.option("--unclean", is_flag=True, help="Any live replica of a partition without a leader, in sync or not.")
@in_folder
def elect_command(unclean: bool, folder: str | None) -> int:
    """Have the preferred replica elected."""
    return _do(folder, do="elect", unclean=unclean)


@cluster_command.command("down")
@in_folder
def down_command(folder: str | None) -> int:
    """End the cluster."""
    return _do(folder, do="down")
