"""The consumer groups of Kafka's releases as profiles."""

from __future__ import annotations

from dataclasses import replace

from neverlost.model.core import Profile
from neverlost.model.kafka.groups import classic, consumer_protocol, coordinator, faults, member, moves, source
from neverlost.model.kafka.groups.start import initial
from neverlost.model.kafka.groups.state import Group

from . import properties
from .differences import NAMED, TIME_LINE, lacking
from .picture import PICTURE
from .scope import notes

PROTOCOL = Profile(
    name="kafka-groups",
    family="groups",
    statement="A consumer group and its offsets; each version is this under its own settings.",
    state=Group,
    initial=initial,
    actions=(
        source.produce,
        member.poll,
        member.reset_position,
        member.process,
        member.commit_sync,
        member.commit_rest,
        member.commit_auto,
        member.send_commit,
        member.receive_commit,
        member.fail_commit,
        member.fail_after_write,
        member.hold_up,
        member.arrive_late,
        classic.join,
        classic.join_later,
        classic.complete,
        classic.sync,
        consumer_protocol.join_by_heartbeat,
        consumer_protocol.join_in_background,
        consumer_protocol.heartbeat,
        consumer_protocol.reconcile,
        consumer_protocol.take_unfetched,
        consumer_protocol.take_unseen,
        consumer_protocol.repeat_commit,
        coordinator.expel,
        coordinator.discover,
        coordinator.expire,
        coordinator.expire_early,
        moves.move_coordinator,
        moves.load_log,
        moves.roll_back,
        moves.move_under_commit,
        moves.forget_generation,
        moves.sync_forgotten,
        moves.heartbeat_forgotten,
        faults.start_member,
        faults.leave,
        faults.fail,
        faults.pass_failed,
        faults.crash,
        faults.restart,
        source.add_partition,
        source.remove,
        source.truncate,
    ),
    properties=(
        properties.none_skipped,
        properties.none_repeated,
        properties.never_back,
        properties.one_owner,
        properties.one_reader,
    ),
    probes=(
        properties.keeps_commits,
        properties.everything_committed,
        properties.moved,
        properties.fenced,
        properties.generations_suffice,
    ),
    on_request=(properties.processed_in_the_end,),
    default_bounds={"members": 2, "partitions": 2, "records": 2, "generations": 8},
    notes=notes(),
    picture=PICTURE,
)

ALWAYS = {"commits_on_revoke": 1, "commits_epoch": 1}
"""What an application does that is written as the documentation of KafkaConsumer shows it."""

VERSIONS = tuple(
    replace(
        PROTOCOL,
        name=named.name,
        statement=named.statement,
        settings={**ALWAYS, **TIME_LINE.settings_of(named.since, named.mode)},
        lacks=lacking(named.since),
    )
    for named in NAMED
)
"""Every version, oldest first."""

SURROUNDINGS = (
    "produce",
    "expel",
    "expire",
    "expire_early",
    "move_coordinator",
    "load_log",
    "roll_back",
    "move_under_commit",
    "forget_generation",
    "sync_forgotten",
    "heartbeat_forgotten",
    "start_member",
    "leave",
    "fail",
    "pass_failed",
    "crash",
    "restart",
    "add_partition",
    "remove",
    "truncate",
    "take_unseen",
    "repeat_commit",
    "fail_commit",
    "fail_after_write",
    "hold_up",
    "arrive_late",
)
"""What happens to a group, and is none of its own deeds."""
