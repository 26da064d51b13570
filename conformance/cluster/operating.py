"""What an operator does with a cluster by hand: kill a broker, hold its fetches, have another elected, and see what that did."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from neverlost.model.core import UnknownNameError

from .cluster import Cluster
from .control import CONTROLLING
from .gates import (
    ALTER_ISR,
    CONTROL,
    CONTROLLER,
    EPOCH_END,
    FETCH,
    HEARTBEAT,
    METADATA_LOG,
    SHUTDOWN,
    Node,
    Part,
    Place,
)
from .log_files import HIGH_WATERMARKS
from .quorum.control import QuorumControl
from .releases import ClusterError
from .topic import ClusterTopic
from .wire import NO_LEADER

KINDS = {
    "fetch": FETCH,
    "epoch-end": EPOCH_END,
    "control": CONTROL,
    "alter-isr": ALTER_ISR,
    "metadata-log": METADATA_LOG,
    "heartbeat": HEARTBEAT,
    "shutdown": SHUTDOWN,
}
"""The kinds of requests that can be held, by the names that an operator uses."""
PARTS = {"requests": Part.REQUEST, "answers": Part.ANSWER, "unread": Part.UNREAD_ANSWER}
"""What of an exchange can be held, by the names that an operator uses."""
HELD_PARTS = {
    Part.ANSWER: "the answers are held, as they were sent",
    Part.UNREAD_ANSWER: "the answers are left unread, as on a slow link",
}
BETWEEN_BROKERS, FROM_CONTROLLER = ("fetch", "epoch-end"), ("control",)
ARROW = re.compile(r"(?:r?(\d+)|controller)->(?:r?(\d+)|controller)")
SECONDS = 30.0
HOLD_SECONDS = 1.0
DECISION_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Replica:
    """What can be seen of a broker; None for what cannot. Of a dead one it is what its disk has, and its checkpoint."""

    broker: int
    process: str
    session: str
    log_end: int | None
    high_watermark: int | None
    leads: bool | None
    leader_epoch: int | None


class Operator:
    """Does with a cluster, and the topic that was made on it, what the commands of an operator ask for."""

    def __init__(self, cluster: Cluster, topic: str, replicas: Sequence[int], settings: Mapping[str, str]) -> None:
        self.cluster, self.control, self.gates, self.wire = cluster, cluster.control, cluster.gates, cluster.wire
        self.topic = ClusterTopic(cluster, topic, replicas, settings, prefix="r")
        self.is_down = False
        self._commands: dict[str, Callable[..., Any]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name.startswith("do_")
        }

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a request asks for; what was done, as text, or as values. Raises ClusterError, and UnknownNameError."""
        arguments = dict(request)
        said = self._ended_by_themselves()
        found = self._commands[arguments.pop("do")](**arguments)
        return found if isinstance(found, dict) else {"said": "\n".join([*said, found])}

    def _ended_by_themselves(self) -> list[str]:
        """Say which brokers have ended although nobody ended them, once for each."""
        found = []
        for broker in self.cluster.brokers:
            process = self.cluster.processes[broker]
            if process.has_ended() and broker not in self.cluster.dead:
                found.append(str(self.cluster.why_ended(f"node {broker}", process)))
                self.cluster.dead.add(broker)
        return found

    # Brokers

    def do_kill(self, broker: int) -> str:
        """Kill a broker, whose session goes on, or a controller."""
        if (controller := self._controller(broker)) is not None:
            if not controller[0].runs(controller[1]):
                raise ClusterError(f"c{controller[1]} has ended already")
            controller[0].kill_controller(controller[1])
            return f"c{controller[1]} is killed"
        self._alive(broker)
        self.cluster.kill(broker)
        return (
            f"r{broker} is killed; the controller takes it for live until its session ends: "
            f"neverlost cluster fence {broker}"
        )

    def do_shutdown(self, broker: int) -> str:
        """End a broker in good order."""
        self._alive(broker)
        self.cluster.shut_down(broker, SECONDS)
        return f"r{broker} has ended, with a controlled shutdown; {self._leadership()}"

    def do_restart(self, broker: int) -> str:
        """Start a broker or a controller that has ended; if the session of a broker lasts it is ended first."""
        if (controller := self._controller(broker)) is not None:
            if controller[0].runs(controller[1]):
                raise ClusterError(f"c{controller[1]} runs; kill it first")
            controller[0].start_controller(controller[1])
            self._wait_a_while(lambda: controller[0].answers(controller[1]))
            return f"c{controller[1]} runs again"
        if not self._process(broker).has_ended():
            raise ClusterError(f"r{broker} runs; kill it or shut it down first")
        self._not_held(broker, METADATA_LOG, CONTROLLER)
        if broker in self.control.live():
            self.control.end_session(broker)
        self.topic.restart(broker)
        self._wait_a_while(lambda: broker in self.topic.state.isr)
        return f"r{broker} runs again; {self._leadership()}"

    def do_fence(self, broker: int) -> str:
        """End the session of a broker, dead or alive."""
        self._process(broker)
        if broker not in self.control.live():
            raise ClusterError(f"the session of r{broker} has ended already")
        self.topic.end_session(broker)
        self._wait_a_while(lambda: self.topic.state.leader != broker)
        alive = broker not in self.cluster.dead
        again = f"; it runs, and has a session again after: neverlost cluster unfence {broker}" if alive else ""
        return f"the session of r{broker} has ended; {self._leadership()}{again}"

    def do_unfence(self, broker: int) -> str:
        """Let a broker that runs have a session again."""
        self._alive(broker)
        if broker in self.control.live():
            raise ClusterError(f"r{broker} has a session")
        self.topic.unfence(broker)
        return f"r{broker} has a session again; {self._leadership()}"

    def _controller(self, node: int) -> tuple[QuorumControl, int] | None:
        """The quorum and the controller that is this node; None if it is a broker. Raises UnknownNameError."""
        if node <= CONTROLLING:
            return None
        quorum = self._quorum
        controllers = () if quorum is None else quorum.controllers
        if quorum is None or node - CONTROLLING not in controllers:
            raise UnknownNameError("controller", f"c{node - CONTROLLING}", [f"c{one}" for one in controllers])
        return quorum, node - CONTROLLING

    @property
    def _quorum(self) -> QuorumControl | None:
        """The controllers that are no brokers; None if there are none of their own."""
        return self.control if isinstance(self.control, QuorumControl) else None

    def _process(self, broker: int) -> Any:
        if broker not in self.cluster.brokers:
            raise UnknownNameError("broker", str(broker), map(str, self.cluster.brokers))
        return self.cluster.processes[broker]

    def _alive(self, broker: int) -> None:
        if self._process(broker).has_ended():
            raise ClusterError(f"r{broker} has ended already")

    def _not_held(self, broker: int, kind: str, destination: Node) -> None:
        if self.gates.gate(kind, broker, destination).closed:
            name = next(name for name, known in KINDS.items() if known == kind)
            raise ClusterError(
                f"r{broker} cannot start as long as its requests to the controller are held: "
                f"neverlost cluster open 'r{broker}->controller' --kind {name}"
            )

    def _wait_a_while(self, look: Callable[[], bool]) -> None:
        """Wait for what follows soon, or does not: whether it may is the controller's to say."""
        with suppress(ClusterError):
            self.cluster.until(look, DECISION_SECONDS, "a decision")

    def _leadership(self) -> str:
        """Who leads now."""
        state = self.topic.state
        leader = "nobody leads" if state.leader == NO_LEADER else f"r{state.leader} leads"
        return f"{leader}, epoch {state.leader_epoch}, ISR {named(state.isr)}"

    # Gates

    def do_hold(self, arrow: str, kind: str | None, part: str | None = None) -> str:
        """Hold requests from now on, or answers, and wait a moment for the first."""
        name, place = self.place(arrow, kind)
        held = self._part(part or "requests")
        self.gates.shut(*place, held)
        gate = self.gates.gate(*place)
        queue = gate.requests if held is Part.REQUEST else gate.answers
        self.gates.wait_a_while(lambda: bool(queue), HOLD_SECONDS)
        if held is Part.REQUEST:
            return f"{name} {shown(place)} is held; {_counted(len(queue))} there"
        return f"{name} {shown(place)}: {HELD_PARTS[held]}; {_counted(len(queue), 'answer')} there"

    def do_open(self, arrow: str, kind: str | None, part: str | None = None) -> str:
        """Let requests pass again, and answers; or the part that is named."""
        name, place = self.place(arrow, kind)
        gate = self.gates.gate(*place)
        opened = None if part is None else self._part(part)
        requests, answers = len(gate.requests), len(gate.answers)
        if not gate.holds or (opened is not None and opened not in gate.holds):
            raise ClusterError(f"{name} {shown(place)} is not held")
        self.gates.open(*place, opened)
        waited = [_counted(requests)] if opened in (None, Part.REQUEST) else []
        waited += [_counted(answers, "answer")] if answers and opened is not Part.REQUEST else []
        return f"{name} {shown(place)} passes again; {' and '.join(waited)} there"

    def _part(self, name: str) -> Part:
        if name not in PARTS:
            raise UnknownNameError("part of an exchange", name, PARTS)
        return PARTS[name]

    def do_cut(self, arrow: str, kind: str | None) -> str:
        """Cut the connections of the requests that wait."""
        name, place = self.place(arrow, kind)
        waiting = len(self.gates.gate(*place).requests)
        if not waiting:
            raise ClusterError(f"no request waits at {name} {shown(place)}; hold it first")
        self.gates.cut_waiting(*place)
        return f"{name} {shown(place)}: the connection is cut; the sender asks again, and waits if the gate is held"

    def place(self, arrow: str, kind: str | None) -> tuple[str, tuple[str, Node, Node]]:
        """The gate that is meant, and the operator's name for its kind."""
        found = ARROW.fullmatch(arrow.replace(" ", ""))
        if found is None or found[1] == found[2]:
            raise ClusterError(f"{arrow!r} names no two nodes; write it like 'r2->r1' or 'r1->controller'")
        for broker in found.groups():
            if broker is not None:
                self._process(int(broker))
        to_controller, from_controller = found[2] is None, found[1] is None
        if kind is None:
            kind = "control" if from_controller else "alter-isr" if to_controller else "fetch"
        if kind not in KINDS:
            raise UnknownNameError("kind of request", kind, KINDS)
        if kind in self._absent():
            raise ClusterError(f"there are no {kind} requests in Kafka {self.cluster.release}")
        between = not to_controller and not from_controller
        if between != (kind in BETWEEN_BROKERS) or from_controller != (kind in FROM_CONTROLLER):
            way = (
                "'r2->r1'"
                if kind in BETWEEN_BROKERS
                else "'controller->r1'"
                if kind in FROM_CONTROLLER
                else "'r1->controller'"
            )
            raise ClusterError(f"{kind} requests go {way}, not {arrow!r}")
        source = CONTROLLING if from_controller else int(found[1])
        destination: Node = self.control.destination if to_controller else int(found[2])
        return kind, (KINDS[kind], source, destination)

    def _absent(self) -> tuple[str, ...]:
        """The kinds of requests that no broker of the release sends, in its mode."""
        asked = (*self.control.absent, *(() if self.cluster.release.asks_for_isr else (ALTER_ISR,)))
        return tuple(name for name, kind in KINDS.items() if kind in asked)

    # The controller

    def do_elect(self, unclean: bool) -> str:
        """Have the preferred replica elected, or any live one of a partition that has no leader."""
        if not unclean:
            return self._elect(self.topic.order[0])
        leader = self.topic.state.leader
        if leader != NO_LEADER:
            raise ClusterError(f"r{leader} leads; an unclean election is for a partition without a leader")
        self.topic.elect_unclean()
        self.topic.until(lambda: self.topic.state.leader != NO_LEADER, "an unclean election")
        return f"unclean election; {self._leadership()}"

    def do_move(self, broker: int) -> str:
        """Make a broker the preferred replica, and have it elected."""
        if broker not in self.topic.order:
            raise ClusterError(f"topic {self.topic.name} is on {named(sorted(self.topic.order))}, not on r{broker}")
        return self._elect(broker)

    def _elect(self, preferred: int) -> str:
        state = self.topic.state
        if preferred not in state.isr or preferred not in self.control.live():
            raise ClusterError(f"r{preferred} cannot be elected: it is not both live and in the ISR {named(state.isr)}")
        self.topic.move_leader(preferred)
        return self._leadership()

    # The whole

    def do_down(self) -> str:
        """End the cluster as soon as this is answered."""
        self.is_down = True
        return "the cluster ends"

    def do_status(self) -> dict[str, Any]:
        """Every broker, what the controller has, and what is held."""
        state, live = self.topic.state, self.control.live()
        return {
            "schema": 1,
            "release": self.cluster.release.version,
            "mode": self.cluster.release.mode,
            "topic": self.topic.name,
            "folder": str(self.cluster.folder),
            "clients": {str(broker): self.cluster.client_port[broker] for broker in self.cluster.brokers},
            "leader": state.leader,
            "leader_epoch": state.leader_epoch,
            "isr": state.isr,
            "eligible": state.eligible,
            **self._controllers(),
            "brokers": [
                asdict(self._replica(broker, broker in live, state.leader_epoch)) for broker in self.cluster.brokers
            ],
            "held": [
                {"kind": kind, "gate": gate, "waiting": waiting}
                for kind, gate, waiting in sorted((_name(p), shown(p), waiting) for p, waiting in self.gates.held())
            ],
        }

    def _controllers(self) -> dict[str, Any]:
        """Every controller that is no broker, if there are such."""
        control = self._quorum
        if control is None:
            return {}
        return {
            "controllers": [
                {
                    "controller": controller,
                    "process": "runs" if control.runs(controller) else "dead",
                    "leads": (state := control.state_of(controller)) is not None,
                    "epoch": control.on_disk(controller).get("leaderEpoch", 0) if state is None else state.epoch,
                    "log_end": control.log_end(controller),
                }
                for controller in control.controllers
            ]
        }

    def _replica(self, broker: int, live: bool, epoch: int) -> Replica:
        ended = self.cluster.processes[broker].has_ended()
        process = "dead" if ended else "ends" if broker in self.cluster.dead else "runs"
        log_end: int | None = None
        high_watermark = leads = leader_epoch = None
        if broker in self.topic.order and ended:
            log = self.topic.log(broker)
            log_end = log[-1].offset + 1 if log else 0
            high_watermark = self.cluster.disk(broker).checkpointed(HIGH_WATERMARKS, self.topic.name)
        elif broker in self.topic.order:
            try:
                log_end = self.topic.end(broker)
                high_watermark = self.topic.high_watermark(broker)
                leads = self.topic.leads(broker)
                leader_epoch = self.wire.leader_epoch(self.topic.port(broker), self.topic.name, epoch)
            except OSError:
                process = "silent"
        return Replica(
            broker=broker,
            process=process,
            session="live" if live else "ended",
            log_end=log_end,
            high_watermark=high_watermark,
            leads=leads,
            leader_epoch=leader_epoch,
        )


def named(brokers: Sequence[int]) -> str:
    """Brokers as an operator writes them: `r1 r2`."""
    return " ".join(f"r{broker}" for broker in brokers) or "empty"


def shown(place: Place) -> str:
    """A gate as an operator writes it: `r2->r1`."""
    source, destination = ("controller" if node in (CONTROLLER, CONTROLLING) else f"r{node}" for node in place[1:])
    return f"{source}->{destination}"


def _name(place: Place) -> str:
    return next(name for name, kind in KINDS.items() if kind == place[0])


def _counted(waiting: int, what: str = "request") -> str:
    return "nothing waits" if not waiting else f"1 {what} waits" if waiting == 1 else f"{waiting} {what}s wait"
