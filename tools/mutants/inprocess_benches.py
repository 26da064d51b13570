"""Where mutants of the implementation are looked for: models, each small enough for a whole suite, with what follows their steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from neverlost.conformance.adapter import MakeAdapter
from neverlost.conformance.purgatory.adapter import PurgatoryAdapter
from neverlost.conformance.replication.adapter import InProcessAdapter
from neverlost.conformance.suite.cases import Suite, suite_of
from neverlost.conformance.timing_wheel.adapter import TimingWheelAdapter
from neverlost.model.core import Model
from neverlost.model.kafka.replication.state import (
    ACKS_ALL,
    ACKS_NONE,
    ACKS_ONE,
    COMMIT_AFTER,
    COMMIT_AUTO,
    COMMIT_BEFORE,
)
from neverlost.spec import profiles


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A model under bounds and settings, and the adapter beside it."""

    profile: str
    about: str
    settings: Mapping[str, int] = field(hash=False)
    make: MakeAdapter = InProcessAdapter

    def model(self) -> Model:
        """The model of the bench."""
        return profiles()[self.profile].bounded(**self.settings)


def _sizes(replicas: int, log_size: int, values: int, leader_epochs: int) -> dict[str, int]:
    return {"replicas": replicas, "log_size": log_size, "values": values, "leader_epochs": leader_epochs}


ONE_RECORD, TWO_RECORDS = _sizes(2, 1, 1, 3), _sizes(2, 2, 2, 3)
NO_NUMBERS = {"idempotence": False}
NUMBERED = {"acks": ACKS_ALL, "idempotence": True}
OUT_OF_TURN = {"ordered_metadata": False}
"""Brokers may miss leader epochs, as after a change of controller."""
READING = {**_sizes(2, 2, 2, 1), "acks": ACKS_ONE, "consumer_crashes": 1}
DELAYED = {**NO_NUMBERS, "delays": 1, "leader_moves": 2}
"""One exchange lasts over two moves of leadership."""
PRODUCE, FETCH = {"produces_know_epoch": True}, {"fetches_know_epoch": True}
RESPONSE, BYTES = {"responses_know_epoch": True}, {"responses_keep_bytes": True}
"""Changes after which exchanges of one kind do not last: so a bench has fewer kinds."""
TWO_VALUES = _sizes(2, 1, 2, 3)

BENCHES: Mapping[str, Bench] = {
    "cut-to-high-watermark": Bench(
        profile="kafka-0.8",
        about="logs are cut to the high watermark; a power loss, a lost disk",
        settings={**ONE_RECORD, "acks": ACKS_ONE, "unclean": True, "power_losses": 1, "disk_losses": 1},
    ),
    "starting-over": Bench(
        profile="kafka-0.8",
        about="a follower beyond its leader's log asks where that ends (before KAFKA-2143 was fixed)",
        settings={**TWO_RECORDS, "acks": ACKS_ONE, "unclean": True, "power_losses": 1},
    ),
    "beyond-the-leader": Bench(
        profile="kafka-0.9",
        about="a follower beyond its leader's log cuts its own at once",
        settings={**ONE_RECORD, "acks": ACKS_ONE, "unclean": True, "power_losses": 1},
    ),
    "cut-by-last-epoch": Bench(
        profile="kafka-0.11",
        about="KIP-101; unclean elections",
        settings={**TWO_RECORDS, "acks": ACKS_ONE, "unclean": True, "crashes": 1},
    ),
    "ends-of-epochs": Bench(
        profile="kafka-0.11",
        about="KIP-101; a leader whose log has the follower's last epoch and a newer one after it",
        settings={**_sizes(2, 2, 3, 2), "acks": ACKS_ONE, "leader_moves": 1},
    ),
    "cut-by-shared-epoch": Bench(
        profile="kafka-2.0",
        about="KIP-279; unclean elections",
        settings={**TWO_RECORDS, "acks": ACKS_ONE, "unclean": True, "crashes": 1},
    ),
    "cut-on-fetch": Bench(
        profile="kafka-3.5",
        about="logs are compared by fetches; leaders that do not know that they are deposed",
        settings={**TWO_RECORDS, **NO_NUMBERS, "acks": ACKS_ONE, "leader_moves": 2},
    ),
    "unclean-elections": Bench(
        profile="kafka-2.0",
        about="every replica fails, and a member of the ISR or another one returns first",
        settings={**_sizes(2, 1, 1, 4), "acks": ACKS_ONE, "unclean": True, "crashes": 2},
    ),
    "deposed-leader": Bench(
        profile="kafka-2.0",
        about="before KIP-320 and KIP-497: a deposed leader goes on, and writes ISRs; leader epochs are missed",
        settings={**ONE_RECORD, **OUT_OF_TURN, "acks": ACKS_ONE, "pauses": 1, "leader_moves": 1},
    ),
    "fenced-fetches": Bench(
        profile="kafka-2.1",
        about="KIP-320, min ISR with acks=1",
        settings={**ONE_RECORD, "acks": ACKS_ONE, "min_isr": 2, "crashes": 1, "leader_moves": 1},
    ),
    "changing-isr": Bench(
        profile="kafka-3.5",
        about="ISR changes in flight, acks=all",
        settings={**ONE_RECORD, **NO_NUMBERS, "acks": ACKS_ALL, "crashes": 1, "leader_moves": 1},
    ),
    "min-isr": Bench(
        profile="kafka-3.5",
        about="acks=all with min ISR 2",
        settings={**ONE_RECORD, **NO_NUMBERS, "acks": ACKS_ALL, "min_isr": 2, "crashes": 1},
    ),
    "fenced-brokers": Bench(
        profile="kafka-3.5",
        about="brokers that fall silent (KIP-841)",
        settings={**ONE_RECORD, **NO_NUMBERS, "acks": ACKS_ONE, "pauses": 1},
    ),
    "answer-unheeded": Bench(
        profile="kafka-2.7",
        about="before KAFKA-13091 was fixed",
        settings={**_sizes(2, 1, 1, 2), "acks": ACKS_ALL, "min_isr": 2, "pauses": 1},
    ),
    "strict-min-isr": Bench(
        profile="kafka-3.7",
        about="KAFKA-15583",
        settings={**ONE_RECORD, **NO_NUMBERS, "acks": ACKS_ALL, "min_isr": 2, "pauses": 1},
    ),
    "eligible-leaders": Bench(
        profile="kafka-4.1",
        about="KIP-966, with unclean elections beside it",
        settings={**_sizes(2, 1, 1, 4), **NO_NUMBERS, "acks": ACKS_ONE, "min_isr": 2, "crashes": 2, "unclean": True},
    ),
    "shutdowns": Bench(
        profile="kafka-4.1",
        about="brokers that shut down, and one that crashes after it has (KIP-966)",
        settings={**_sizes(2, 1, 1, 4), **NO_NUMBERS, "acks": ACKS_ONE, "min_isr": 2, "shutdowns": 2, "crashes": 1},
    ),
    "three-replicas": Bench(
        profile="kafka-3.5",
        about="three replicas, acks=all",
        settings={**_sizes(3, 1, 1, 2), **NO_NUMBERS, "acks": ACKS_ALL, "min_isr": 2},
    ),
    "unheard": Bench(
        profile="kafka-2.1",
        about="acks=0",
        settings={**_sizes(2, 1, 1, 2), "acks": ACKS_NONE, "leader_moves": 1},
    ),
    "retries": Bench(
        profile="kafka-2.1",
        about="an idempotent producer, several requests at a time",
        settings={**_sizes(2, 2, 2, 2), **NUMBERED, "pipelined": True, "retries": 1, "leader_moves": 1},
    ),
    "retry-after-cut": Bench(
        profile="kafka-2.1",
        about="an idempotent producer tries again at a leader that has cut its log meanwhile",
        settings={**ONE_RECORD, **OUT_OF_TURN, **NUMBERED, "retries": 1, "leader_moves": 2},
    ),
    "renumbering": Bench(
        profile="kafka-2.1",
        about="an idempotent producer, one request at a time",
        settings={**_sizes(2, 2, 2, 2), **NUMBERED, "retries": 1, "crashes": 1},
    ),
    "retry-after-restart": Bench(
        profile="kafka-3.5",
        about="an idempotent producer tries again at a broker that has restarted",
        settings={**_sizes(2, 2, 1, 3), **NUMBERED, "retries": 1, "crashes": 1},
    ),
    "commit-after": Bench(
        profile="kafka-2.1",
        about="a consumer that commits what it has processed",
        settings={**READING, "commit": COMMIT_AFTER},
    ),
    "commit-before": Bench(
        profile="kafka-2.1",
        about="a consumer that commits before it processes",
        settings={**READING, "commit": COMMIT_BEFORE},
    ),
    "commit-auto": Bench(
        profile="kafka-2.1",
        about="a consumer that commits at the next poll",
        settings={**READING, "commit": COMMIT_AUTO},
    ),
    "late-produces": Bench(
        profile="kafka-2.1",
        about="a delayed produce that is made in another leader epoch (KAFKA-1148)",
        settings={**TWO_VALUES, **DELAYED, **FETCH, **BYTES, "acks": ACKS_ALL},
    ),
    "produces-know-epoch": Bench(
        profile="kafka-4.1",
        about="a delayed produce that fails in another leader epoch, as in no release",
        settings={**ONE_RECORD, **DELAYED, **PRODUCE, **FETCH, **BYTES, "acks": ACKS_ALL, "every_delay": True},
    ),
    "late-counts": Bench(
        profile="kafka-3.1",
        about="a fetch that is counted in another leader epoch than it was checked in",
        settings={**ONE_RECORD, **DELAYED, **RESPONSE, **BYTES, "acks": ACKS_ONE},
    ),
    "late-counts-lost": Bench(
        profile="kafka-3.6",
        about="the same from 3.3 on",
        settings={**ONE_RECORD, **DELAYED, **RESPONSE, **BYTES, "acks": ACKS_ONE, "keeps_known_ends": False},
    ),
    "counts-know-epoch": Bench(
        profile="kafka-3.3",
        about="a fetch that is counted only in its own leader epoch, as in no release",
        settings={
            **{**ONE_RECORD, **DELAYED, **FETCH, **RESPONSE, **BYTES},
            **{"acks": ACKS_ONE, "keeps_known_ends": False, "every_delay": True},
        },
    ),
    "late-responses": Bench(
        profile="kafka-2.8",
        about="a response that comes in another leader epoch (before KAFKA-18991 and KAFKA-18723 were fixed)",
        settings={**TWO_VALUES, **DELAYED, **FETCH, "acks": ACKS_ONE},
    ),
    "late-responses-of-three": Bench(
        profile="kafka-0.9",
        about="a response of a broker that the follower does not follow any more",
        settings={**_sizes(3, 1, 1, 2), **DELAYED, **FETCH, **BYTES, "acks": ACKS_ONE, "leader_moves": 1},
    ),
    "late-responses-dropped": Bench(
        profile="kafka-3.9",
        about="the same once KAFKA-18991 and KAFKA-18723 were fixed",
        settings={**TWO_VALUES, **DELAYED, **FETCH, "acks": ACKS_ONE},
    ),
    "newer-records": Bench(
        profile="kafka-2.1",
        about="a response that is read from a log with a record of a newer epoch, as if KAFKA-18723 were fixed",
        settings={
            **{**_sizes(3, 1, 2, 2), **DELAYED, **FETCH},
            **{"acks": ACKS_ONE, "leader_moves": 1, "refuses_newer_records": True},
        },
    ),
    "late-responses-of-old": Bench(
        profile="kafka-0.9",
        about="a response that comes in another leader epoch to a log that was cut to its high watermark",
        settings={**ONE_RECORD, **DELAYED, **FETCH, **BYTES, "acks": ACKS_ONE},
    ),
    "late-truncations": Bench(
        profile="kafka-2.1",
        about="a follower that has heard of its leader and has yet to cut its log",
        settings={**ONE_RECORD, **DELAYED, **FETCH, **OUT_OF_TURN, "acks": ACKS_ONE},
    ),
    "late-truncations-unfenced": Bench(
        profile="kafka-2.0",
        about="the same before KIP-320, with leaders that stay in the next epoch",
        settings={**ONE_RECORD, **DELAYED, **FETCH, **BYTES, "acks": ACKS_ONE, "pauses": 1},
    ),
    "taken-before-the-cut": Bench(
        profile="kafka-0.11",
        about="records that come late to a follower that has yet to cut its log",
        settings={**ONE_RECORD, **DELAYED, **FETCH, **BYTES, "acks": ACKS_ONE, "delays": 2},
    ),
    "late-looks-and-metadata": Bench(
        profile="kafka-3.7",
        about="a look at a delayed produce without a lock; metadata of an ISR that its leader reads late",
        settings={
            **{**_sizes(2, 2, 2, 2), **DELAYED, **FETCH, **RESPONSE, **BYTES},
            **{"acks": ACKS_ALL, "leader_moves": 1},
        },
    ),
    "purgatory": Bench(
        profile="kafka-purgatory",
        about="requests and events that meet in the purgatory",
        settings={"operations": 2, "keys": 2},
        make=PurgatoryAdapter,
    ),
    "timing-wheel": Bench(
        profile="kafka-timing-wheel",
        about="a task in timing wheels",
        settings={"slots": 3, "levels": 3, "horizon": 20, "starts": 5},
        make=TimingWheelAdapter,
    ),
}


@cache
def suite(bench: str) -> Suite:
    """The suite of a bench, that takes every transition."""
    return suite_of(BENCHES[bench].model(), "transitions")
