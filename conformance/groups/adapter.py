"""The adapter of the in-process groups: every action of the model as the calls and requests that cause it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from neverlost.model.core import NONE, Model
from neverlost.model.kafka.groups.state import (
    Commit,
    Generation,
    Member,
    Offset,
    Partition,
    Protocol,
    Reset,
    Slot,
    Standing,
)

from ..adapter import NotPerformed, Partial
from ..inprocess.errors import ErrorCode
from ..inprocess.groups.classic_consumer import ClassicConsumer, ClientState
from ..inprocess.groups.classic_group import GroupState, SyncResponse
from ..inprocess.groups.consumer import CommitFailed, Config
from ..inprocess.groups.consumer_group import MemberState
from ..inprocess.groups.coordinator import GroupCoordinator, OffsetCommit
from ..inprocess.groups.new_consumer import NewConsumer, StillKnown
from ..inprocess.groups.offsets import RETENTION_MS, OffsetAndMetadata
from ..inprocess.groups.release import Expiry
from ..inprocess.groups.source import SourcePartition
from ..stepped import SteppedAdapter
from .application import Application, Habits
from .settings import AUTOMATIC, RESETS, release_of

SEEN = (
    *("exists", "discovered", "end", "start", "processed", "committed", "unseen"),
    *("generation", "rebalancing", "standing", "given", "given_in", "asked", "member_epoch", "unanswered", "forgotten"),
    *("up", "known", "owned", "position", "done", "sent", "sent_offset", "sent_in"),
    *("late", "late_offset", "late_of", "late_in"),
)
"""The fields that are seen: all but what was committed before, where a partition was cut, and remaining faults."""

ATTEMPTS = (
    *("poll", "reset_position", "commit_sync", "commit_auto", "receive_commit", "arrive_late"),
    *("join", "complete", "sync", "heartbeat", "reconcile", "expire", "expire_early"),
)
"""The actions that are also tried when the model refuses them."""


@dataclass(kw_only=True)
class _World:
    """Everything that a step can change."""

    coordinator: GroupCoordinator
    sources: list[SourcePartition]
    exists: set[int] = field(default_factory=set)
    metadata: list[int] = field(default_factory=list)
    """The partitions that the group knows of."""
    applications: list[Application]
    processes: int = 0
    """How many were started."""
    processed: dict[tuple[int, int], int] = field(default_factory=dict)
    lost: dict[int, frozenset[int]] = field(default_factory=dict)
    """By number, the members that wait for their assignment of a generation that the coordinator has not."""
    numbered: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By number, the members that were answered with a generation that is lost: its number, and the model's for it."""
    late: tuple[int, OffsetCommit] | None = None
    """A commit that is held up, with the number of its member."""


class GroupsAdapter(SteppedAdapter[_World]):
    """One group in process, driven by the steps of its model. Raises AdapterError for another model.

    What it has them do as the model, and not as Kafka, which does less or later: a rebalance that a member asks for, or new partitions
    ask for, begins at once and not with its JoinGroup; of a process that dies while it joins, nobody heeds what it owned; a member that
    waits for others is removed as by an operator's tool.
    """

    subject: ClassVar[str] = "groups"
    refusals: ClassVar[tuple[type[Exception], ...]] = (CommitFailed,)

    def __init__(self, model: Model) -> None:
        self.release = release_of(model)
        settings, bounds = model.settings, model.bounds
        self.protocol, self.commit = settings["protocol"], settings["commit"]
        self.is_new = self.protocol == Protocol.CONSUMER
        self.may_be_fresh = settings["reset"] == Reset.LATEST and self.commit in (Commit.SYNC, Commit.ASYNC)
        self.in_threads = self.commit == Commit.AUTO_THREADS
        early = "commits_unreturned" if self.is_new else "commits_in_last_poll"
        self.commits_early = bool(settings[early])
        self.partitions, self.members = range(Partition.size(bounds)), range(Member.size(bounds))
        self.offsets = range(Offset.size(bounds))
        automatic = self.commit in AUTOMATIC
        habits = Habits(
            commits_on_revoke=bool(settings["commits_on_revoke"]) and not automatic and self.commit != Commit.BEFORE,
            keeps_rest=self.in_threads and not settings["drops_records"],
            tells_epochs=bool(settings["commits_epoch"]),
        )
        world = _World(
            coordinator=GroupCoordinator(self.release),
            sources=[SourcePartition() for _ in self.partitions],
            applications=[Application(habits=habits) for _ in self.members],
        )
        super().__init__(model, world, fields=SEEN, attempts=ATTEMPTS)
        self._begin(settings["joins"], settings["partition_adds"], new_group=bool(settings["new_group"]))

    def _begin(self, joins: int, partition_adds: int, *, new_group: bool) -> None:
        """The group forms, at the beginning of each partition; that is committed unless the group is new."""
        world, store = self.world, self.world.coordinator.offsets
        world.exists = set(self.partitions[: len(self.partitions) - partition_adds])
        self._base = 0
        self._discovered(sorted(world.exists))
        for partition in world.metadata:
            world.coordinator.store(partition, 0, None)
        first = self.members[: len(self.members) - joins]
        for member in first:
            self._start(member)
            self._consumer(member).join()
        if self.is_new:
            for member in [*first, *first, *first]:
                self._new(member).heartbeat(full=True)
                with self._beginning(member):
                    self._new(member).reconcile()
        elif first:
            world.coordinator.classic.try_complete_join()
            for member in first:
                with self._beginning(member):
                    self._classic(member).sync()
        if new_group:
            before = dict(store.offsets)
            store.offsets.clear()
            store.log.values.clear()
            self._note_gone(before)
        self._base = world.coordinator.consumer.epoch if self.is_new else world.coordinator.classic.generation

    def _start(self, member: int) -> None:
        world, application = self.world, self.world.applications[member]
        world.processes += 1
        config = Config(
            client_id=f"m{member + 1}",
            reset=RESETS[self.model.settings["reset"]],
            auto_commit=self.commit in AUTOMATIC,
        )
        if self.is_new:
            application.consumer = NewConsumer(
                config, world.coordinator, world.sources, application, process=world.processes
            )
            return
        application.consumer = ClassicConsumer(
            config,
            world.coordinator,
            world.sources,
            application,
            cooperative=self.protocol == Protocol.COOPERATIVE,
            metadata=world.metadata,
        )

    def _discovered(self, partitions: list[int]) -> None:
        self.world.metadata += partitions
        self.world.metadata.sort()
        if self.is_new:
            self.world.coordinator.partitions_changed(self.world.metadata)

    def _consumer(self, member: int) -> ClassicConsumer | NewConsumer:
        consumer = self.world.applications[member].consumer
        if consumer is None:
            raise NotPerformed(f"the process of m{member + 1} is not running")
        return consumer

    def _classic(self, member: int) -> ClassicConsumer:
        consumer = self._consumer(member)
        assert isinstance(consumer, ClassicConsumer)
        return consumer

    def _new(self, member: int) -> NewConsumer:
        consumer = self._consumer(member)
        assert isinstance(consumer, NewConsumer)
        return consumer

    def _id(self, member: int) -> str | None:
        """The id by which the group knows a member; None if it does not."""
        coordinator = self.world.coordinator
        known = coordinator.consumer.members if self.is_new else coordinator.classic.members
        return next((name for name in known if name.startswith(f"m{member + 1}-")), None)

    def _is_known(self, member: int) -> bool:
        """Has the group of the new protocol the member, in its epoch or a later one?"""
        name, consumer = self._id(member), self._new(member)
        return name is not None and consumer.epoch <= self.world.coordinator.consumer.members[name].epoch

    @contextmanager
    def _beginning(self, member: int) -> Iterator[None]:
        """What the consumer gets in this, its application begins."""
        application = self.world.applications[member]
        had = self._owned(member)
        yield
        if application.consumer is not None:
            for partition in self._owned(member) - had:
                position = application.consumer.position(partition)
                if position is not None:
                    application.begin(partition, position)
                    committed = self.world.coordinator.fetch_offset(partition)
                    if self.may_be_fresh and (committed is None or committed.offset != position.offset):
                        application.fresh.add(partition)

    def _owned(self, member: int) -> set[int]:
        consumer = self.world.applications[member].consumer
        if consumer is None:
            return set()
        return {partition for partition, position in consumer.assigned.items() if position is not None}

    def _is_thinkable(self, action: str, **picks: int) -> bool:
        world, partition = self.world, picks.get("partition", 0)
        if action == "complete":
            return not self.is_new
        if action in ("expire", "expire_early"):
            has_members = any(self._id(member) is not None for member in self.members)
            return has_members and self.release.expiry is Expiry.EMPTY
        application = world.applications[picks["member"]]
        if action == "receive_commit":
            return bool(application.under_way) and application.under_way[0].partition == partition
        if action == "arrive_late":
            return world.late is not None and world.late[0] == picks["member"] and world.late[1].partition == partition
        if application.consumer is None or self._shown(self._group_epoch()) + 1 >= Generation.size(self.model.bounds):
            return False
        in_poll = self.in_threads or application.has_all_done()
        match action:
            case "poll" | "reset_position":
                return in_poll
            case "commit_sync" | "commit_auto":
                automatic = action == "commit_auto"
                may = (
                    self.commit in AUTOMATIC and (in_poll or self.commits_early)
                    if automatic
                    else self.commit == Commit.SYNC
                )
                return may and self._would_commit_news(picks["member"], partition, automatic=automatic)
            case "join":
                return not self.is_new and in_poll
            case "sync":
                waits = picks["member"] in world.lost
                return not self.is_new and in_poll and not waits and self._has_no_rest(picks["member"])
        in_group = self.is_new and self._is_known(picks["member"])
        return in_group and (action == "heartbeat" or (in_poll and self._has_no_rest(picks["member"])))

    def _would_commit_news(self, member: int, partition: int, *, automatic: bool) -> bool:
        """Is what a member would commit another offset than the committed one? A coordinator writes the same one again."""
        application, committed = self.world.applications[member], self.world.coordinator.fetch_offset(partition)
        if partition not in self._owned(member):
            return False
        offset = (application.polled if automatic else application.done)[partition]
        return committed is None or committed.offset != offset

    def _has_no_rest(self, member: int) -> bool:
        """Have the other threads finished what they had of other partitions? Without them, the application has nothing of these."""
        application = self.world.applications[member]
        rest = set(application.done) - self._owned(member)
        return all(self.in_threads and application.done[p] == application.polled[p] for p in rest)

    def do_produce(self, partition: int) -> None:
        """A record is appended."""
        self.world.sources[partition].append()

    def do_poll(self, member: int, partition: int) -> None:
        """Poll returns the next record; an application that commits first does so at once."""
        consumer = self._consumer(member)
        position = consumer.poll(partition)
        if position is None:
            raise NotPerformed("poll returns nothing of the partition")
        application = self.world.applications[member]
        application.take(partition, position)
        if self.commit == Commit.BEFORE:
            consumer.commit_sync(partition, position.offset, application.epoch_at(partition, position.offset))

    def do_reset_position(self, member: int, partition: int) -> None:
        """A fetch is out of range."""
        consumer = self._consumer(member)
        if not consumer.fetch_out_of_range(partition):
            raise NotPerformed("the position is in range, or there is no other")
        position = consumer.position(partition)
        assert position is not None
        self.world.applications[member].begin(partition, position)
        if self.may_be_fresh:
            self.world.applications[member].fresh.add(partition)

    def do_process(self, member: int, partition: int, offset: int) -> None:
        """The application processes a record."""
        self.world.applications[member].finish(partition)
        self.world.processed[partition, offset] = self.world.processed.get((partition, offset), 0) + 1

    def do_commit_sync(self, member: int, partition: int) -> None:
        """commitSync of what is done."""
        application = self.world.applications[member]
        offset = application.done[partition]
        self._consumer(member).commit_sync(partition, offset, application.epoch_at(partition, offset))
        self._end_rest(member, partition)

    def _end_rest(self, member: int, partition: int) -> None:
        """What the application had in hand of a partition that it lost in the background is committed."""
        if partition not in self._owned(member):
            self.world.applications[member].lost([partition])

    def do_commit_rest(self, member: int, partition: int, offset: int) -> None:
        """commitSync of a record that was polled before its partition was lost; then it is processed."""
        application = self.world.applications[member]
        self._consumer(member).commit_sync(partition, offset + 1, application.epoch_at(partition, offset + 1))
        self.do_process(member, partition, offset)
        self._end_rest(member, partition)

    def do_commit_auto(self, member: int, partition: int) -> None:
        """An automatic commit of the position."""
        consumer = self._consumer(member)
        if consumer.position(partition) is None:
            raise NotPerformed("there is no position to commit")
        consumer.commit_automatically(partition)

    def do_send_commit(self, member: int, partition: int) -> None:
        """commitAsync of what is done."""
        application = self.world.applications[member]
        offset = application.done[partition]
        request = self._request(member, partition, offset, application.epoch_at(partition, offset))
        application.under_way.append(request)
        self._end_rest(member, partition)

    def _request(self, member: int, partition: int, offset: int, epoch: int | None) -> OffsetCommit:
        """The request of a commit. A consumer that joins sends none; here it is the one that it would have sent before."""
        consumer = self._consumer(member)
        try:
            return consumer.commit_request(partition, offset, epoch)
        except CommitFailed:
            generation = self._classic(member).assigned_in
            return OffsetCommit(
                member=consumer.member, generation=generation, partition=partition, offset=offset, leader_epoch=epoch
            )

    def do_receive_commit(self, member: int, partition: int) -> None:
        """The coordinator gets the first commit under way."""
        self._arrives(self.world.applications[member].under_way.pop(0))

    def _arrives(self, request: OffsetCommit) -> ErrorCode:
        return self.world.coordinator.commit(request, new_protocol=self.is_new)

    def do_fail_commit(self, member: int, partition: int) -> None:
        """The first commit under way fails; an application may send it again."""
        self._fails(member, self.world.applications[member].under_way.pop(0))

    def _fails(self, member: int, failed: OffsetCommit) -> None:
        application = self.world.applications[member]
        if self.model.settings["retries_async"] and application.consumer is not None:
            application.under_way.append(self._request(member, failed.partition, failed.offset, failed.leader_epoch))

    def do_fail_after_write(self, member: int, partition: int) -> None:
        """The coordinator writes a commit, and what it has written is not replicated in time."""
        under_way = self.world.applications[member].under_way
        request = under_way.pop(0) if self.commit == Commit.ASYNC else self._next_commit(member, partition)
        error = self.world.coordinator.commit(request, new_protocol=self.is_new, in_time=False)
        if error not in (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.REQUEST_TIMED_OUT):
            raise NotPerformed(f"the coordinator refuses it with {error.name}")
        if self.commit == Commit.ASYNC:
            self._fails(member, request)

    def do_hold_up(self, member: int, partition: int) -> None:
        """A commit whose connection breaks."""
        self.world.late = member, self._next_commit(member, partition)

    def _next_commit(self, member: int, partition: int) -> OffsetCommit:
        """What a member commits now."""
        application = self.world.applications[member]
        position = self._consumer(member).position(partition)
        if self.commit in AUTOMATIC:
            assert position is not None
            offset, epoch = position.offset, position.epoch
        elif self.commit == Commit.BEFORE:
            assert position is not None
            offset, epoch = position.offset + 1, self.world.sources[partition].fetch(position.offset)
        else:
            offset = application.done[partition]
            epoch = application.epoch_at(partition, offset)
        return self._request(member, partition, offset, epoch)

    def do_arrive_late(self, member: int, partition: int) -> None:
        """The coordinator gets it."""
        assert self.world.late is not None
        self._arrives(self.world.late[1])
        self.world.late = None

    def _refuse_sent(self, member: int) -> None:
        """What a member has sent arrives now, when it must be refused. Raises NotPerformed if it is not."""
        late = self.world.late
        for request in self.world.applications[member].under_way:
            self._must_refuse(request)
        if late is not None and late[0] == member:
            self._must_refuse(late[1])
        self._forget_sent(member)

    def _lead(self, member: int) -> None:
        """Who leads is not in the model. One that joins a group again does, where no other rebalance makes it join."""
        classic = self.world.coordinator.classic
        if classic.state is GroupState.STABLE and self._id(member) is not None:
            classic.leader = self._id(member)

    def _forget_sent(self, member: int) -> None:
        """What a member has sent went to the coordinator before, which is none any more."""
        self.world.applications[member].under_way = []
        if self.world.late is not None and self.world.late[0] == member:
            self.world.late = None

    def _must_refuse(self, request: OffsetCommit) -> None:
        if self._arrives(request) is ErrorCode.NONE:
            raise NotPerformed("the coordinator accepts a commit of a member that it does not have any more")

    def do_join(self, member: int) -> None:
        """A member that learns that it must join does so in its next poll."""
        consumer = self._classic(member)
        if consumer.state is ClientState.STABLE:
            if consumer.heartbeat() is ErrorCode.NONE:
                raise NotPerformed("nobody asks it to join")
        elif consumer.state is ClientState.COMPLETING_REBALANCE:
            if (member not in self.world.lost or self._id(member) is None) and consumer.sync():
                raise NotPerformed("it gets its assignment")
        elif consumer.state is ClientState.PREPARING_REBALANCE:
            raise NotPerformed("it waits for the others already")
        self.world.lost.pop(member, None)
        if self._id(member) is None:
            self._refuse_sent(member)
        elif consumer.state is ClientState.UNJOINED:
            self._forget_sent(member)
        self._lead(member)
        consumer.join()

    def do_join_later(self, member: int) -> None:
        """A member that joins has sent its last commit in an earlier poll, and polled on."""
        consumer = self._classic(member)
        if consumer.heartbeat() is not ErrorCode.REBALANCE_IN_PROGRESS:
            raise NotPerformed("nobody asks it to join")
        consumer.join(committed_before=True)

    def do_complete(self) -> None:
        """All have joined; the leader's SyncGroup comes with the answers to JoinGroup."""
        if not self.world.coordinator.classic.try_complete_join():
            raise NotPerformed("not all members have joined")
        self.world.lost = {}

    def do_sync(self, member: int) -> None:
        """SyncGroup of a member. If it gives something up, another rebalance begins at once.

        One that waits for an assignment that is lost joins again first, and does not lead: who leads is not in the model.
        """
        had = self._owned(member)
        self.world.numbered.pop(member, None)
        if self.world.lost.pop(member, None) is not None:
            classic, its_own = self.world.coordinator.classic, self._id(member)
            classic.leader = next((name for name in classic.members if name != its_own), None)
            self._classic(member).join()
        with self._beginning(member):
            if not self._classic(member).sync():
                raise NotPerformed("there is no assignment")
        if had - self._owned(member):
            self.world.coordinator.classic.prepare_rebalance()

    def do_join_by_heartbeat(self, member: int) -> None:
        """A heartbeat with epoch 0; who was expelled learns of it by another one before.

        What it has sent without an epoch came before that.
        """
        consumer = self._new(member)
        if consumer.epoch != 0:
            consumer.heartbeat(full=False)
        if consumer.epoch != 0:
            raise NotPerformed("it is a member")
        self._polls(member)
        self._forget_sent(member)
        consumer.join()
        if consumer.reconciled_epoch > consumer.epoch:
            consumer.reconciled_epoch = 0

    def _polls(self, member: int) -> None:
        """In its poll loop an application has nothing in hand, unless other threads have it."""
        if not self.in_threads:
            self.world.applications[member].forget_rest(self._owned(member))

    def do_join_in_background(self, member: int, partition: int) -> None:
        """The background thread joins again. Who commits first has polled a record of the partition before."""
        consumer, application = self._new(member), self.world.applications[member]
        if self.commit == Commit.BEFORE and partition in self._owned(member):
            position = consumer.poll(partition)
            if position is None:
                raise NotPerformed("poll returns nothing of the partition")
            application.take(partition, position)
        self._forget_sent(member)
        application.lost(set(application.done) - {partition})
        application.fresh.discard(partition)
        try:
            consumer.join_in_background()
        except StillKnown as known:
            raise NotPerformed("the group has it") from known

    def do_heartbeat(self, member: int) -> None:
        """A heartbeat. It says what the member owns when the coordinator waits for that, as the one after a reconciliation does."""
        name = self._id(member)
        waits = name is not None and (
            self.world.coordinator.consumer.members[name].state is MemberState.UNREVOKED_PARTITIONS
        )
        self._new(member).heartbeat(full=waits)

    def do_reconcile(self, member: int) -> None:
        """The application's thread follows the assignment, as the next answer has it if the last one is lost."""
        self._reconcile(member, fetches_in_time=True)

    def do_take_unfetched(self, member: int) -> None:
        """The same, with partitions that have come while it fetched the committed offset of another."""
        self._reconcile(member, fetches_in_time=False)

    def _reconcile(self, member: int, *, fetches_in_time: bool) -> None:
        name, consumer = self._id(member), self._new(member)
        if name is not None and consumer.epoch == self.world.coordinator.consumer.members[name].epoch:
            consumer.heartbeat_without_news()
        self._polls(member)
        with self._beginning(member):
            consumer.reconcile(fetches_in_time=fetches_in_time)

    def do_take_unseen(self, member: int, partition: int) -> None:
        """While the application begins with partitions, a heartbeat names everything but these; the callback ends after it."""
        consumer, epoch = self._new(member), self._new(member).epoch
        self._polls(member)
        taken = consumer.yet_to_take()
        answered = consumer.heartbeat_while_taking()
        with self._beginning(member):
            consumer.reconciled_epoch = epoch
            for one in taken:
                consumer.add(one)
        consumer.answered(answered)

    def do_repeat_commit(self, member: int, partition: int) -> None:
        """A commit before a reconciliation is lost or refused, and goes out again."""
        self._new(member).repeat_commit(partition)

    def do_expel(self, member: int) -> None:
        """The session of a member ends."""
        name = self._id(member)
        if name is None:
            raise NotPerformed("the group does not have the member")
        coordinator, consumer = self.world.coordinator, self.world.applications[member].consumer
        if self.is_new:
            coordinator.consumer.remove(name)
        elif not coordinator.expire_heartbeat(name):
            coordinator.remove_classic(name)
        self._refuse_sent(member)
        self._note_empty()
        waits = isinstance(consumer, ClassicConsumer) and consumer.state is ClientState.COMPLETING_REBALANCE
        if waits and member not in self.world.lost:
            self._classic(member).sync()

    def do_discover(self, partition: int) -> None:
        """The group learns of a partition."""
        self._discovered([partition])
        if not self.is_new:
            self.world.coordinator.classic.prepare_rebalance()

    def do_expire(self) -> None:
        """Time passes, and the coordinator looks for old offsets."""
        self._let_time_pass()

    def do_expire_early(self, partition: int) -> None:
        """The same; the other partitions were committed again meanwhile."""
        store = self.world.coordinator.offsets
        for other, value in store.offsets.items():
            if other != partition:
                store.offsets[other] = replace(value, committed_at_ms=value.committed_at_ms + RETENTION_MS)
        self._let_time_pass()

    def _let_time_pass(self) -> None:
        coordinator = self.world.coordinator
        coordinator.now_ms += RETENTION_MS
        before = dict(coordinator.offsets.offsets)
        coordinator.expire_offsets(new_protocol=self.is_new)
        if len(coordinator.offsets.offsets) == len(before):
            raise NotPerformed("no offset expires")
        self._note_gone(before)

    def _note_gone(self, before: Mapping[int, OffsetAndMetadata]) -> None:
        """An application that has committed all that it has processed does not know that its offset is gone."""
        for member, application in enumerate(self.world.applications):
            for partition in self._owned(member) if self.may_be_fresh else ():
                known = before.get(partition)
                is_gone = self.world.coordinator.fetch_offset(partition) is None
                if is_gone and known is not None and application.done[partition] == known.offset:
                    application.fresh.add(partition)

    def do_move_coordinator(self, partition: int) -> None:
        """Another coordinator reads the log, whose last commit was truncated, or is not in its first part.

        In the latter case the model forgets that commit, so it is taken out of the log.
        """
        coordinator = self.world.coordinator
        log, before = coordinator.offsets.log, dict(coordinator.offsets.offsets)
        self._lose_unseen(partition)
        if self.release.loads_first_part_only:
            coordinator.moved({partition: len(log.values[partition]) - 1})
            log.lose_last(partition)
        else:
            log.lose_last(partition)
            coordinator.moved({})
        self._note_gone(before)

    def do_load_log(self) -> None:
        """Another coordinator reads the log."""
        self.world.coordinator.moved({})

    def do_roll_back(self, partition: int) -> None:
        """The next coordinator's log lacks the last commit."""
        before = dict(self.world.coordinator.offsets.offsets)
        self._lose_unseen(partition)
        self.world.coordinator.offsets.log.lose_last(partition)
        self.world.coordinator.moved({})
        self._note_gone(before)

    def _lose_unseen(self, partition: int) -> None:
        """What was written behind the last commit is lost before it."""
        offsets = self.world.coordinator.offsets
        if offsets.unseen(partition) is not None:
            offsets.log.lose_last(partition)

    def do_move_under_commit(self, member: int, partition: int) -> None:
        """The coordinator is another, and refuses what was sent to the one before."""
        self.world.coordinator.moved({})
        self.do_fail_commit(member, partition)

    def do_forget_generation(self) -> None:
        """The leader's assignment is written and lost with the coordinator. What members were to be answered is still on its way.

        The sessions of members that do not exist any more end at once.
        """
        world, classic = self.world, self.world.coordinator.classic
        before = classic.record
        waiting = [m for m in self.members if (name := self._id(m)) and classic.members[name].respond is not None]
        if not classic.try_complete_join():
            raise NotPerformed("not all members have joined")
        answers = {m: classic.members[name].assigned for m in waiting if (name := self._id(m)) is not None}
        world.lost = {**dict.fromkeys(world.lost, frozenset()), **answers}
        lives = {one.consumer.member for one in world.applications if one.consumer is not None}
        members = {name: one for name, one in before.members.items() if name in lives}
        world.coordinator.classic.load(replace(before, members=members))
        world.coordinator.moved({})

    def do_sync_forgotten(self, member: int) -> None:
        """The answer of the coordinator before arrives."""
        if member not in self.world.lost:
            raise NotPerformed("no answer is under way to it")
        with self._beginning(member):
            self._classic(member).synced(SyncResponse(assigned=self.world.lost.pop(member)))
        its_own = self._classic(member).assigned_in
        self.world.numbered[member] = its_own, self._shown(its_own)

    def do_heartbeat_forgotten(self, member: int, gone: int) -> None:
        """A coordinator handles a heartbeat whose records are lost with it; it may have expelled another member before."""
        world, consumer = self.world, self._new(member)
        kept = deepcopy(world.coordinator.consumer)
        if gone != member and (name := self._id(gone)) is not None:
            world.coordinator.consumer.remove(name)
        if self._id(member) is None:
            self.do_join_by_heartbeat(member)
        self.do_heartbeat(member)
        self._polls(member)
        with self._beginning(member):
            consumer.reconcile()
        world.coordinator.consumer = kept
        world.coordinator.moved({})

    def do_start_member(self, member: int) -> None:
        """A process is started."""
        self._start(member)

    def do_restart(self, member: int) -> None:
        """It is started again."""
        self._start(member)

    def do_leave(self, member: int) -> None:
        """The application closes its consumer."""
        in_group = self._id(member) is not None
        self._consumer(member).close()
        if in_group:
            self._refuse_sent(member)
            self._note_empty()
        self._end(member)

    def _note_empty(self) -> None:
        """What was answered before the group became empty has come before, if it comes."""
        if self.world.coordinator.classic.state is GroupState.EMPTY:
            self.world.lost = {}

    def do_fail(self, member: int) -> None:
        """The same, with records in hand."""
        self.do_leave(member)

    def do_pass_failed(self, member: int, partition: int) -> None:
        """The application goes on behind a record."""
        self.world.applications[member].finish(partition)

    def do_crash(self, member: int) -> None:
        """The process dies. If it waits for others, nobody heeds what it owned."""
        name, classic = self._id(member), self.world.coordinator.classic
        if not self.is_new and name is not None:
            known = classic.members[name]
            known.subscription = replace(known.subscription, owned=frozenset())
        self._end(member)

    def _end(self, member: int) -> None:
        application = self.world.applications[member]
        application.consumer = None
        self.world.lost.pop(member, None)
        self.world.numbered.pop(member, None)
        application.polled, application.done, application.fresh = {}, {}, set()

    def do_add_partition(self, partition: int) -> None:
        """The topic has another partition."""
        self.world.exists.add(partition)

    def do_remove(self, partition: int) -> None:
        """Retention removes a record."""
        self.world.sources[partition].remove_oldest()

    def do_truncate(self, partition: int) -> None:
        """The partition's last record is lost. Consumers that compare epochs do so at once; commits under way are of what is left."""
        source = self.world.sources[partition]
        source.lose_last()
        cut = source.end
        self.world.processed.pop((partition, cut), None)
        checks = self.release.checks_epochs
        for application in self.world.applications:
            self._cut(application, partition, cut)
            if checks:
                application.under_way = [_within(one, partition, cut) for one in application.under_way]
        if checks and self.world.late is not None:
            self.world.late = self.world.late[0], _within(self.world.late[1], partition, cut)

    def _cut(self, application: Application, partition: int, cut: int) -> None:
        """What an application has polled beyond the cut is another record, or none."""
        consumer = application.consumer
        if consumer is None or application.polled.get(partition, 0) <= cut:
            return
        consumer.validate(partition)
        position = consumer.position(partition)
        if position is not None and position.offset <= cut:
            application.polled[partition] = position.offset
            application.done[partition] = min(application.done[partition], position.offset)
            return
        application.done[partition] = application.polled[partition]

    def observe(self) -> Partial:
        """What the coordinator knows, what each member believes, and what became of the records."""
        return {**self._source(), **self._coordinator(), **self._members(), **self._under_way()}

    def _group_epoch(self) -> int:
        coordinator = self.world.coordinator
        return coordinator.consumer.epoch if self.is_new else coordinator.classic.generation

    def _shown(self, generation: int) -> int:
        """The model's number of a generation or epoch: from that of the formed group on, without generations of nobody."""
        emptied = sum(1 for one in self.world.coordinator.classic.empty_generations if one <= generation)
        return max(0, generation - self._base - emptied)

    def _shown_to(self, member: int, generation: int) -> int:
        """The same, for a member that may be in a generation that is lost: the next one without members has its number too."""
        number, shown = self.world.numbered.get(member, (None, 0))
        return shown if number == generation else self._shown(generation)

    def _source(self) -> dict[str, Any]:
        world = self.world
        offsets = world.coordinator.offsets.offsets
        return {
            "exists": [int(p in world.exists) for p in self.partitions],
            "discovered": [int(p in world.metadata) for p in self.partitions],
            "end": [source.end for source in world.sources],
            "start": [source.start for source in world.sources],
            "processed": [[min(2, world.processed.get((p, o), 0)) for o in self.offsets] for p in self.partitions],
            "committed": [offsets[p].offset if p in offsets else NONE for p in self.partitions],
            "unseen": [self._unseen(p) for p in self.partitions],
        }

    def _unseen(self, partition: int) -> int:
        """What is last in the log alone. The model does not ask where no coordinator loads it."""
        found = self.world.coordinator.offsets.unseen(partition)
        return NONE if found is None or not self.model.settings["coordinator_moves"] else found.offset

    def _coordinator(self) -> dict[str, Any]:
        coordinator = self.world.coordinator
        lost = self.world.lost
        shown: dict[str, Any] = {
            "unanswered": [int(member in lost) for member in self.members],
            "forgotten": [next((m for m, assigned in lost.items() if p in assigned), NONE) for p in self.partitions],
            "generation": self._shown(self._group_epoch()),
            "rebalancing": int(not self.is_new and coordinator.classic.state is GroupState.PREPARING_REBALANCE),
            "standing": [self._standing(member) for member in self.members],
        }
        if self.is_new:
            return {**shown, **self._assigned_in_epochs()}
        given = [self._given(partition) for partition in self.partitions]
        zeros = [0 for _ in self.partitions]
        return {
            **shown,
            "given": given if coordinator.classic.state is GroupState.STABLE else None,
            "given_in": zeros,
            "asked": zeros,
            "member_epoch": [0 for _ in self.members],
        }

    def _given(self, partition: int) -> int:
        known = self.world.coordinator.classic.members
        named = ((member, name) for member in self.members if (name := self._id(member)) is not None)
        found: int = next((member for member, name in named if partition in known[name].assigned), NONE)
        return found

    def _assigned_in_epochs(self) -> dict[str, Any]:
        given, given_in = [NONE for _ in self.partitions], [0 for _ in self.partitions]
        asked, epochs = [0 for _ in self.partitions], [0 for _ in self.members]
        for member in self.members:
            name = self._id(member)
            if name is None:
                continue
            known = self.world.coordinator.consumer.members[name]
            epochs[member] = self._shown(known.epoch)
            for partition, since in {**known.assigned, **known.pending_revocation}.items():
                given[partition], given_in[partition] = member, self._shown(since)
                asked[partition] = int(partition in known.pending_revocation)
        return {"given": given, "given_in": given_in, "asked": asked, "member_epoch": epochs}

    def _standing(self, member: int) -> int | None:
        """What a member is to the coordinator; of one that has died, not whether it has had its assignment."""
        name, classic = self._id(member), self.world.coordinator.classic
        if name is None:
            return Standing.UNKNOWN
        if self.is_new:
            return Standing.STABLE
        if classic.members[name].respond is not None:
            return Standing.JOINING
        consumer = self.world.applications[member].consumer
        if not isinstance(consumer, ClassicConsumer):
            return None
        return Standing.SYNCING if consumer.state is ClientState.COMPLETING_REBALANCE else Standing.STABLE

    def _members(self) -> dict[str, Any]:
        applications = self.world.applications
        owned = [self._owned(member) for member in self.members]
        return {
            "up": [int(one.consumer is not None) for one in applications],
            "known": [self._known(member) for member in self.members],
            "owned": [[int(p in its_own) for p in self.partitions] for its_own in owned],
            "position": [
                [self._position(member, partition) for partition in self.partitions] for member in self.members
            ],
            "done": [[one.done.get(p, 0) for p in self.partitions] for one in applications],
        }

    def _position(self, member: int, partition: int) -> int:
        application = self.world.applications[member]
        position = None if application.consumer is None else application.consumer.position(partition)
        return application.polled.get(partition, 0) if position is None else position.offset

    def _known(self, member: int) -> int:
        consumer = self.world.applications[member].consumer
        if consumer is None:
            return 0
        return self._shown_to(
            member, consumer.reconciled_epoch if isinstance(consumer, NewConsumer) else consumer.assigned_in
        )

    def _under_way(self) -> dict[str, Any]:
        late = self.world.late
        sent = [self._slots(one.under_way) for one in self.world.applications]
        return {
            "sent": [[NONE if one is None else one.partition for one in row] for row in sent],
            "sent_offset": [[0 if one is None else one.offset for one in row] for row in sent],
            "sent_in": [
                [0 if one is None else self._shown_to(member, one.generation) for one in row]
                for member, row in enumerate(sent)
            ],
            "late": NONE if late is None else late[1].partition,
            "late_offset": 0 if late is None else late[1].offset,
            "late_of": NONE if late is None else late[0],
            "late_in": 0 if late is None else self._shown_to(late[0], late[1].generation),
        }

    def _slots(self, requests: list[OffsetCommit]) -> list[OffsetCommit | None]:
        return [requests[slot] if slot < len(requests) else None for slot in range(Slot.size(self.model.bounds))]


def _within(request: OffsetCommit, partition: int, cut: int) -> OffsetCommit:
    return replace(request, offset=min(request.offset, cut)) if request.partition == partition else request
