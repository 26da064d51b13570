"""Where mutants of the full Kafka model are looked for: versions, settings and faults, at bounds that one kernel serves."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.kafka.replication.state import (
    ACKS_ALL,
    ACKS_ONE,
    COMMIT_AFTER,
    COMMIT_AUTO,
    COMMIT_BEFORE,
    NO_CONSUMER,
)

BOUNDS = {"replicas": 3, "log_size": 2, "values": 2, "leader_epochs": 4}
"""What campaigns share, so that they share a kernel; those with delays or lost decisions have other bounds, and other kernels."""


@dataclass(frozen=True)
class Campaign:
    """A version with what is configured and which faults it meets."""

    version: str
    settings: tuple[tuple[str, int], ...]

    @property
    def has_consumer(self) -> bool:
        """Does anybody read?"""
        return dict(self.settings).get("commit", NO_CONSUMER) != NO_CONSUMER

    @property
    def loses_decisions(self) -> bool:
        """May the controllers lose a decision?"""
        return dict(self.settings).get("lost_decisions", 0) > 0

    @property
    def name(self) -> str:
        """The campaign as people write it: `kafka-2.1 acks=2 min_isr=2 crashes=1`."""
        return " ".join([self.version, *(f"{name}={value}" for name, value in self.settings)])


def campaign(name: str) -> Campaign:
    """The campaign of that name."""
    version, *settings = name.split()
    return Campaign(version, tuple((s.split("=")[0], int(s.split("=")[1])) for s in settings))


def _of(versions: tuple[str, ...], *faults: dict[str, int], **settings: int) -> list[Campaign]:
    return [Campaign(version, tuple((settings | fault).items())) for version in versions for fault in faults]


OLD = ("kafka-0.8", "kafka-0.11", "kafka-2.0", "kafka-2.1")

NO_FAULT: dict[str, int] = {}
CRASH, MOVE, PAUSE = {"crashes": 1}, {"leader_moves": 1}, {"pauses": 1}
POWER, DISK = {"power_losses": 1}, {"disk_losses": 1}
SHUTDOWN, TWO_SHUTDOWNS = {"shutdowns": 1}, {"shutdowns": 2}
NEWS_LOST = {"controller_changes": 1}
"""Another controller: with ZooKeeper, what the one before had still to send is lost."""

CLEAN = {"unclean": 0}
"""No unclean election: what is lost is lost by a bug."""

ALL_ACKS = CLEAN | {"acks": ACKS_ALL, "min_isr": 2}
ONE_ACK = CLEAN | {"acks": ACKS_ONE, "min_isr": 2}
AGAIN = {"retries": 1, "idempotence": 0}
IDEMPOTENT = {"retries": 1, "idempotence": 1}
TWO_MOVES = {"leader_moves": 2}
TWO_CRASHES = {"crashes": 2}
NOTHING_WRITTEN = CLEAN | {"acks": ACKS_ALL, "min_isr": 7}
"""More members than there are replicas: every write is refused, and the controller is left with its own states, for more faults."""

FLUSHED = POWER | {"flush": 1}

DELAYED = ALL_ACKS | {"delays": 1, "log_size": 1, "pipelined": 1}
"""One exchange is delayed."""
PRODUCES, FETCHES = {"produces_know_epoch": 1}, {"fetches_know_epoch": 1}
RESPONSES, CUTS, BYTES = {"responses_know_epoch": 1}, {"cuts_know_epoch": 1}, {"responses_keep_bytes": 1}
EVERY_DELAY = PRODUCES | FETCHES | RESPONSES | CUTS | BYTES | {"every_delay": 1}
"""Nothing that is delayed makes a difference, and everything is delayed."""
FORGETS = {"keeps_known_ends": 0}
PROPOSALS = DELAYED | PRODUCES | FETCHES | FORGETS | {"values": 1}
"""Proposals may be taken back, and nothing else that lasts loses anything."""

LOSS = {"lost_decisions": 1, "log_size": 1, "values": 1, "leader_epochs": 3}
"""The controllers lose a decision."""
TWO_LOSSES = LOSS | {"lost_decisions": 2}
MORE_EPOCHS = {"leader_epochs": 4}
TWO_VALUES = {"log_size": 2, "values": 2}
ONE_RECORD = {"log_size": 1, "values": 1}

FROM_FOLLOWERS = {"commit": COMMIT_BEFORE, "fetch_from_followers": 1}
"""A consumer that may read from followers."""


def consumer(mode: int) -> dict[str, int]:
    """A consumer in this commit mode, which may die once."""
    return {"commit": mode, "consumer_crashes": 1}


CAMPAIGNS = (
    *_of(("kafka-0.8", "kafka-0.11", "kafka-2.1", "kafka-2.8", "kafka-4.1"), NO_FAULT, MOVE, CRASH, **ALL_ACKS),
    *_of(("kafka-2.8.0", "kafka-3.5", "kafka-3.6", "kafka-3.7"), NO_FAULT, **ALL_ACKS),
    *_of(("kafka-2.0.0", "kafka-2.0"), MOVE, **ALL_ACKS),
    *_of(("kafka-2.0", "kafka-3.6", "kafka-3.7"), CRASH, **ALL_ACKS),
    *_of(("kafka-0.8", "kafka-2.1"), PAUSE, **ALL_ACKS),
    *_of(("kafka-0.9", "kafka-2.0.0"), MOVE | NEWS_LOST, **ALL_ACKS),
    *_of(("kafka-0.8", "kafka-2.1", "kafka-3.7", "kafka-4.1"), POWER, DISK, **ALL_ACKS),
    *_of(("kafka-2.1", "kafka-4.1"), FLUSHED, **ALL_ACKS),
    *_of(("kafka-2.1",), TWO_MOVES, **ALL_ACKS),
    *_of(("kafka-0.8", "kafka-2.1", "kafka-4.1"), SHUTDOWN, **ALL_ACKS | {"min_isr": 1}),
    *_of(
        ("kafka-2.1", "kafka-3.7", "kafka-4.1"),
        SHUTDOWN | MOVE,
        TWO_SHUTDOWNS,
        SHUTDOWN | CRASH,
        SHUTDOWN | PAUSE,
        **NOTHING_WRITTEN,
    ),
    *_of(("kafka-4.1",), SHUTDOWN | POWER, TWO_SHUTDOWNS | CRASH, **NOTHING_WRITTEN),
    *_of(("kafka-4.1",), SHUTDOWN | POWER, SHUTDOWN, **ALL_ACKS),
    *_of(("kafka-2.1", "kafka-2.8", "kafka-4.1"), MOVE, CRASH, **ALL_ACKS | {"min_isr": 1}),
    *_of(("kafka-0.8", "kafka-2.8"), NO_FAULT, {"lost_responses": 1}, **ONE_ACK),
    *_of(OLD, TWO_MOVES, CRASH | MOVE, **ONE_ACK),
    *_of(("kafka-2.1",), TWO_MOVES | NEWS_LOST, **ONE_ACK),
    *_of(("kafka-3.1",), MOVE | NEWS_LOST, **ONE_ACK | {"min_isr": 1}),
    *_of(("kafka-2.8.0",), MOVE, **ONE_ACK),
    *_of(("kafka-3.6",), PAUSE, **ONE_ACK),
    *_of(("kafka-2.1",), CRASH, PAUSE, **ALL_ACKS | {"unclean": 1}),
    *_of(("kafka-2.8",), NO_FAULT, CRASH, **ALL_ACKS | {"maximal_isr": 0}),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, **ALL_ACKS, **AGAIN),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, PAUSE, **ALL_ACKS, **IDEMPOTENT),
    *_of(("kafka-4.1",), NO_FAULT, **ALL_ACKS, **AGAIN),
    *_of(("kafka-4.1",), NO_FAULT, **ALL_ACKS, **IDEMPOTENT),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, **ALL_ACKS, **IDEMPOTENT, pipelined=1),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, **ALL_ACKS, **IDEMPOTENT, pipelined=1, acks_earlier=1),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, **ALL_ACKS, **IDEMPOTENT, pipelined=1, producer_epochs=2),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, **ALL_ACKS, pipelined=1),
    *_of(("kafka-2.1",), {"retries": 1}, **ONE_ACK | {"acks": 0}),
    *_of(("kafka-2.1",), {"lost_responses": 1}, **ONE_ACK, **IDEMPOTENT),
    *_of(("kafka-2.1",), NO_FAULT, **ALL_ACKS, **consumer(COMMIT_AFTER)),
    *_of(("kafka-2.1",), NO_FAULT, MOVE, **ALL_ACKS, **consumer(COMMIT_BEFORE)),
    *_of(("kafka-2.1",), NO_FAULT, **ALL_ACKS, **consumer(COMMIT_AUTO)),
    *_of(("kafka-2.1",), {"commit": COMMIT_AUTO}, {"commit": COMMIT_AFTER}, {"consumer_crashes": 1}, **ALL_ACKS),
    *_of(("kafka-2.1", "kafka-3.7", "kafka-4.1"), CRASH | MOVE, TWO_CRASHES, CRASH | PAUSE | MOVE, **NOTHING_WRITTEN),
    *_of(("kafka-2.1", "kafka-4.1"), CRASH | PAUSE, **NOTHING_WRITTEN),
    *_of(("kafka-3.5",), CRASH | MOVE, CRASH | PAUSE, **NOTHING_WRITTEN),
    *_of(("kafka-2.1",), MOVE | PAUSE | NEWS_LOST, TWO_MOVES | NEWS_LOST, **NOTHING_WRITTEN),
    *_of(("kafka-2.1", "kafka-4.1"), TWO_CRASHES, CRASH | PAUSE | MOVE, **NOTHING_WRITTEN | {"unclean": 1}),
)
"""Every campaign; those whose unmutated model has more states than the limit are left out."""


def _for(mutants: tuple[str, ...], campaigns: list[Campaign]) -> list[tuple[str, Campaign]]:
    return [(mutant, found) for mutant in mutants for found in campaigns]


LASTING = (
    "late.",
    "delays.",
    "broker.may_fetch:",
    "broker.become_follower:",
    "producer.its_turn:",
    "leader.expand_isr:",
    "leader.hear_of_isr:",
    "leader.learn_isr:",
    "log.asked_epoch:",
    "log.end_as_said:",
    "log.end_of_round:",
)
"""Mutants that tell only of exchanges that last, or of these too."""

LOSING = (
    "lost.",
    "decisions.",
    "broker.may_fetch:part-5",
    "broker.expose_diverging:guard-7",
    "broker.is_taken:",
    "broker.may_hear_of:reads-on",
    "broker.follow:may-have-to-end-still",
    "broker.where_to_cut:finds-what-differs",
    "controller.record_isr:catches-up-never",
    "faults.go_down:reads-nothing-anew",
    "leader.learn_isr:guard-5",
    "leader.hear_of_isr:guard-6",
    "leader.hear_of_isr:guard-7",
    "log.end_by_epochs:",
    "log.end_up_to:",
    "log.is_beyond_epochs:",
)
"""Mutants that are the model itself where the controllers lose no decision: they meet no other campaigns."""

FOR_SOME = (
    *_for(
        LOSING,
        [
            *_of(("kafka-3.9", "kafka-4.1"), NO_FAULT, **ALL_ACKS | LOSS),
            *_of(("kafka-4.1",), NO_FAULT, MOVE, **ALL_ACKS | LOSS | {"min_isr": 3}),
            *_of(("kafka-3.9", "kafka-4.1"), CRASH, MOVE, PAUSE, TWO_MOVES | MORE_EPOCHS, **NOTHING_WRITTEN | LOSS),
            *_of(("kafka-4.1",), TWO_CRASHES, CRASH | PAUSE, **NOTHING_WRITTEN | LOSS),
            *_of(("kafka-3.3", "kafka-4.1"), MOVE, CRASH, **NOTHING_WRITTEN | TWO_LOSSES),
            *_of(
                ("kafka-3.9", "kafka-4.1"),
                NO_FAULT,
                MOVE,
                **ALL_ACKS | LOSS | TWO_VALUES | {"replicas": 2, "min_isr": 1},
            ),
            *_of(("kafka-3.9", "kafka-4.1"), MOVE, **ALL_ACKS | TWO_LOSSES | {"replicas": 2, "min_isr": 1}),
            *_of(
                ("kafka-3.9", "kafka-4.1"),
                TWO_MOVES | MORE_EPOCHS,
                **ALL_ACKS | LOSS | TWO_VALUES | {"replicas": 2, "min_isr": 1, "pipelined": 1},
            ),
            *_of(("kafka-3.9", "kafka-4.1"), MOVE, **ALL_ACKS | LOSS),
        ],
    ),
    *_for(
        ("broker.expose_diverging:guard-7",),
        _of(
            ("kafka-3.3",),
            NO_FAULT,
            MOVE,
            **ALL_ACKS | LOSS | FROM_FOLLOWERS | TWO_VALUES | {"replicas": 2, "min_isr": 1},
        ),
    ),
    *_for(
        LASTING,
        [
            *_of(("kafka-0.8", "kafka-0.11", "kafka-2.0", "kafka-2.1", "kafka-4.1"), MOVE, **DELAYED),
            *_of(("kafka-2.0", "kafka-2.1"), TWO_MOVES, **DELAYED),
            *_of(("kafka-2.8", "kafka-3.9.0"), MOVE, **DELAYED | FETCHES),
            *_of(("kafka-2.1",), MOVE, TWO_MOVES, **DELAYED | EVERY_DELAY),
            *_of(("kafka-4.1",), MOVE, **DELAYED | EVERY_DELAY | FORGETS),
            *_of(("kafka-4.1",), TWO_MOVES, **DELAYED | PRODUCES | RESPONSES | BYTES | FORGETS),
            *_of(("kafka-3.1",), TWO_MOVES, **DELAYED | PRODUCES | RESPONSES | BYTES),
            *_of(("kafka-3.6", "kafka-4.3"), NO_FAULT, MOVE, CRASH, PAUSE, **PROPOSALS),
            *_of(("kafka-3.5",), CRASH, PAUSE, **PROPOSALS),
            *_of(("kafka-2.8.0", "kafka-2.8"), MOVE, TWO_MOVES, **DELAYED | PRODUCES | FETCHES | {"log_size": 2}),
            *_of(
                ("kafka-4.1",), TWO_MOVES, **DELAYED | PRODUCES | FETCHES | CUTS | FORGETS | {"takes_back_proposals": 0}
            ),
            *_of(("kafka-2.1",), CRASH, CRASH | MOVE, **DELAYED),
            *_of(("kafka-2.1",), MOVE, **DELAYED | AGAIN),
            *_of(("kafka-2.1",), TWO_MOVES, **ONE_ACK | {"delays": 1, "log_size": 1, "min_isr": 1}),
            *_of(("kafka-0.11", "kafka-2.1"), MOVE, **DELAYED | {"delays": 2, "values": 1}),
            *_of(("kafka-2.1",), TWO_MOVES, **ONE_ACK | BYTES | {"delays": 1, "min_isr": 1}),
            *_of(("kafka-2.1",), TWO_MOVES, **ONE_ACK | {"delays": 1, "min_isr": 1, "refuses_newer_records": 1}),
        ],
    ),
    *_for(
        (
            "faults.may_be_unflushed:",
            "faults.crash:part",
            "faults.power_loss:",
            "log.append:part",
            "log.cut:part",
            "shutdown.shut_down:part",
        ),
        [
            *_of(("kafka-2.8", "kafka-4.1"), TWO_CRASHES, CRASH, CRASH | SHUTDOWN, **ALL_ACKS | FLUSHED | ONE_RECORD),
            *_of(("kafka-2.1",), CRASH, **ALL_ACKS | FLUSHED | {"min_isr": 1}),
        ],
    ),
    *_for(
        ("faults.restart:", "faults.crash:guard-4", "lost.end_after_loss:guard-3"),
        _of(
            ("kafka-2.1", "kafka-3.9-zk"),
            POWER | NEWS_LOST,
            CRASH | NEWS_LOST,
            **ALL_ACKS | ONE_RECORD | {"min_isr": 3},
        ),
    ),
    *_for(("controller.issue_epoch:guard",), _of(("kafka-2.1",), TWO_MOVES | TWO_CRASHES, **NOTHING_WRITTEN)),
    *_for(
        ("faults.restart:unclean", "leader.refuse_isr:refusal", "controller.elect:guard-3:part-7"),
        _of(("kafka-4.1",), DISK | PAUSE, **ALL_ACKS),
    ),
    *_for(
        ("faults.power_loss:mark", "faults.restart:mark", "faults.restart:unclean", "shutdown.", "broker.has_session:"),
        _of(("kafka-4.1",), SHUTDOWN | POWER, SHUTDOWN | CRASH, **ALL_ACKS),
    ),
    *_for(("shutdown.", "broker.has_session:", "faults.unfence:"), _of(("kafka-2.1",), SHUTDOWN | MOVE, **ALL_ACKS)),
    *_for(("controller.elect_unclean:",), _of(("kafka-4.1",), CRASH, **ALL_ACKS | {"min_isr": 1, "unclean": 1})),
    *_for(
        ("controller.elect_unclean:guard-3",),
        _of(("kafka-2.1",), CRASH | PAUSE, **ALL_ACKS | {"min_isr": 1, "unclean": 1}),
    ),
    *_for(
        (
            "broker.may_hear_of:",
            "broker.comes_in_turn:",
            "broker.become_leader:",
            "broker.follow:stays-out-of-turn",
            "broker.forget_followers:",
            "broker.asks_where_to_cut:",
            "broker.cut_as_leader_says:",
            "controller.lose_news:",
            "controller.change_controller:",
        ),
        _of(("kafka-2.1",), TWO_MOVES | NEWS_LOST, **ALL_ACKS | {"keeps_known_ends": 0})
        + _of(("kafka-2.0",), TWO_MOVES | NEWS_LOST, **ONE_ACK | {"min_isr": 1, "keeps_known_ends": 0})
        + _of(("kafka-4.1",), TWO_MOVES, **ONE_ACK | {"min_isr": 1, "keeps_known_ends": 0}),
    ),
    *_for(
        (
            "leader.grant_isr:",
            "leader.comes_with_an_epoch:",
            "leader.hear_of_isr:",
            "controller.fence_follower:",
            "faults.restart:guard-2",
            "broker.become_leader:isr",
        ),
        _of(("kafka-3.5",), CRASH, **ALL_ACKS) + _of(("kafka-3.6",), CRASH | MOVE, **ALL_ACKS | {"min_isr": 1}),
    ),
    *_for(
        ("cleaner.",),
        _of(("kafka-2.8", "kafka-3.1"), NO_FAULT, MOVE, TWO_MOVES, **ALL_ACKS | {"compacted": 1}),
    ),
    *_for(
        ("consumer.poll_follower:", "consumer.get_next:", "broker.expose_diverging:"),
        _of(("kafka-3.1", "kafka-3.4.1"), NO_FAULT, MOVE, **ALL_ACKS | FROM_FOLLOWERS)
        + _of(("kafka-2.1",), MOVE, **ALL_ACKS | FROM_FOLLOWERS)
        + _of(("kafka-2.8",), MOVE, **ALL_ACKS | FROM_FOLLOWERS | {"compacted": 1}),
    ),
    *_for(("consumer.poll_too_far:",), _of(("kafka-2.1",), MOVE, CRASH, **ALL_ACKS | consumer(COMMIT_BEFORE))),
    *_for(
        ("broker.handle_out_of_range:", "broker.fetch:"),
        _of(("kafka-0.9.0.0", "kafka-0.9"), CRASH, **ONE_ACK | {"unclean": 1})
        + _of(("kafka-0.9.0.0",), CRASH | MOVE, **ONE_ACK | {"unclean": 1}),
    ),
    *_for(
        ("controller.elect_unclean:",),
        _of(("kafka-2.1", "kafka-4.1"), {"crashes": 3}, TWO_CRASHES | PAUSE, **NOTHING_WRITTEN | {"unclean": 1}),
    ),
    *_for(
        ("controller.fail_over_unclean:", "controller.lose_leader:"),
        _of(("kafka-2.1", "kafka-4.1"), CRASH, PAUSE, CRASH | PAUSE, **ONE_ACK | {"unclean": 1}),
    ),
    *_for(
        ("log.end_by_records:", "log.knows_end_of:", "log.start_after:", "log.end_of_last_epoch:"),
        _of(("kafka-1.1", "kafka-2.0.0"), CRASH | MOVE, TWO_MOVES, **ALL_ACKS | {"epoch_start_guard": 1})
        + _of(("kafka-1.1", "kafka-2.0.0"), TWO_CRASHES, **ONE_ACK | {"unclean": 1}),
    ),
    *_for(("broker.become_leader:keeps-proposal",), _of(("kafka-3.5",), CRASH, **ALL_ACKS)),
    *_for(("producer.refuse_as_not_leader:guard-1",), _of(("kafka-2.1",), CRASH | MOVE, **ONE_ACK)),
    *_for(("faults.disk_loss:guard-2",), _of(("kafka-4.1",), DISK | CRASH, **ALL_ACKS)),
    *_for(("faults.power_loss:guard-2",), _of(("kafka-4.1",), POWER | CRASH, **ALL_ACKS)),
)
"""Campaigns for the mutants whose names begin so: larger ones, or such as tell nothing of other mutants."""
