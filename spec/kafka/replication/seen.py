"""What real brokers were seen to do: a version whose steps are fewer, so that a shortest run is one that brokers can be made to do.

The version allows more, which is the safe side for audits. Here a loss may vanish only because a rule is narrower than Kafka, so every
verdict says what it assumes. docs/explanation/real-brokers.md has the rules, and what was seen.
"""

from __future__ import annotations

from dataclasses import replace

from neverlost.model.core import Profile, contains, require
from neverlost.model.kafka.replication import broker, controller, faults, shutdown
from neverlost.model.kafka.replication.controller import issues_to
from neverlost.model.kafka.replication.shutdown import is_shutting_down
from neverlost.model.kafka.replication.state import Epoch, Partition, Replica, Response

ASSUMED = "brokers do no more than they were seen to do"

_move_leader, _shut_down = controller.move_leader.function, shutdown.shut_down.function
_become_leader, _become_follower, _fetch = (
    action.function for action in (broker.become_leader, broker.become_follower, broker.fetch)
)
_restart = faults.restart.function


def all_take_part(s: Partition) -> bool:
    """Does every replica live, and is in the ISR? Else no reassignment ends, by which leadership is moved with ZooKeeper."""
    return s.controller_isr == s.all_of(Replica) and all(s.up[replica] for replica in s.each(Replica))


def listens(s: Partition, replica: Replica) -> bool:
    """Does a broker hear of leader epochs? One that is shutting down does in KRaft from 3.3 on, where no fenced broker is in the ISR.

    BrokerServer.shutdown ends the metadata listener before it asks for a controlled shutdown up to 3.2, and after it from 3.3 on.
    """
    return not is_shutting_down(s, replica) or (not s.ordered_metadata and s.isr_without_fenced)


def has_to_hear_of_isr(s: Partition, leader: Replica) -> bool:
    """Does the leader of the newest epoch not know yet that the controller has changed the ISR? In KRaft mode it is to read that."""
    return not s.ordered_metadata and issues_to(s, leader) and s.isr[leader] != s.controller_isr


def is_behind(s: Partition, replica: Replica) -> bool:
    """Has a live broker not read all metadata? In KRaft mode the controller lets nobody end before."""
    has_to_read = s.epoch[replica] != s.newest_epoch or has_to_hear_of_isr(s, replica)
    return s.up[replica] and has_to_read and not contains(s.fenced, replica)


def move_leader(s: Partition, successor: Replica) -> None:
    """With ZooKeeper leadership is moved only while every replica takes part."""
    require(not s.ordered_metadata or all_take_part(s))
    _move_leader(s, successor)


def become_leader(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A broker that listens hears that it leads a newer epoch."""
    require(listens(s, replica))
    _become_leader(s, replica, epoch)


def become_follower(s: Partition, replica: Replica, leader: Replica, epoch: Epoch) -> None:
    """A broker that listens hears of a newer epoch with another leader."""
    require(listens(s, replica))
    _become_follower(s, replica, leader, epoch)


def fetch(s: Partition, follower: Replica, leader: Replica, response: Response) -> None:
    """A follower fetches, unless it is shutting down."""
    require(not is_shutting_down(s, follower))
    _fetch(s, follower, leader, response)


def restart(s: Partition, replica: Replica) -> None:
    """A broker starts again when it is fenced; the moment between the end of its session and that is too short to hit."""
    require(contains(s.fenced, replica))
    _restart(s, replica)


def shut_down(s: Partition, replica: Replica) -> None:
    """In KRaft mode a broker ends when the controller has granted it, and every live broker has read all metadata."""
    require(s.ordered_metadata or is_shutting_down(s, replica))
    for other in s.each(Replica):
        require(s.ordered_metadata or other == replica or not is_behind(s, other))
    _shut_down(s, replica)


NARROWER = (move_leader, become_leader, become_follower, fetch, restart, shut_down)
"""The actions that brokers were seen to do less often than the model, by the names of those that they replace."""


_NARROWED: dict[str, tuple[Profile, Profile]] = {}
"""A version of each name, and what `seen` made of it: an audit asks for it once for each of its stories."""


def seen(version: Profile) -> Profile:
    """The version with the steps that real brokers were seen to do."""
    kept = _NARROWED.get(version.name)
    if kept is None or kept[0] is not version:
        kept = _NARROWED[version.name] = version, _narrowed(version)
    return kept[1]


def _narrowed(version: Profile) -> Profile:
    actions = {action.name: action for action in version.actions}
    narrower = {function.__name__: replace(actions[function.__name__], function=function) for function in NARROWER}
    statement = f"{version.statement} Only what brokers were seen to do: a narrower model, to find runs to play."
    return version.replacing(f"seen/{version.name}", statement, proviso=ASSUMED, **narrower)
