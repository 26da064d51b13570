"""How values are numbered that an idempotent producer sends to real brokers (KIP-98, KIP-360)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from kafka.record.memory_records import MemoryRecords

from neverlost.conformance.cluster.releases import release_named
from neverlost.conformance.cluster.steps import producing
from neverlost.conformance.cluster.steps.partition_run import Numbers, Sending
from neverlost.conformance.cluster.wire import OUT_OF_SEQUENCE, Wire
from neverlost.model.kafka.replication.state import ACKNOWLEDGED, ACKS_ALL, ACKS_ONE, UNKNOWN


class Run(SimpleNamespace):
    """What a run on brokers has of values that were sent, and a leader that answers with these error codes in turn."""

    def __init__(self, version: str = "4.1.1", *, acks: int = ACKS_ALL, answers: tuple[int, ...] = ()) -> None:
        super().__init__(settings={"idempotence": 1, "acks": acks}, numbers={}, sent={}, notes=[], given=[])
        self.cluster = SimpleNamespace(release=release_named(version))
        self.topic = SimpleNamespace(name="t")
        self.answers = iter(answers)
        self.wire = SimpleNamespace(produce=self.take)
        self.note = self.notes.append

    def take(self, *_: object, numbers: tuple[int, int], **__: object) -> int:
        self.given.append(numbers)
        return next(self.answers)

    def port(self, replica: int) -> int:
        return 0

    def numbered(self, *outcomes: int) -> list[tuple[int, int]]:
        for value, outcome in enumerate(outcomes):
            producing._number(self, value)  # type: ignore[arg-type]
            self.sent[value] = Sending(1, outcome=outcome)
        return [(one.epoch, one.sequence) for one in self.numbers.values()]


def test_after_a_value_that_was_acknowledged_comes_the_next_sequence_and_else_a_new_epoch() -> None:
    assert Run().numbered(ACKNOWLEDGED, ACKNOWLEDGED, UNKNOWN, ACKNOWLEDGED) == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_a_value_that_is_sent_again_keeps_its_number() -> None:
    run = Run()
    run.numbered(UNKNOWN)
    producing._number(run, 0)  # type: ignore[arg-type]
    assert run.numbers == {0: Numbers(0, 0)}


@pytest.mark.parametrize(("version", "acks"), [("0.10.2.2", ACKS_ALL), ("4.1.1", ACKS_ONE)])
def test_nothing_is_numbered_before_0_11_or_without_acks_all(version: str, acks: int) -> None:
    assert Run(version, acks=acks).numbered(ACKNOWLEDGED) == []


def test_where_the_broker_has_lost_what_was_acknowledged_the_producer_begins_a_new_epoch() -> None:
    run = Run(answers=(OUT_OF_SEQUENCE, 0))
    run.numbered(ACKNOWLEDGED, UNKNOWN)
    sending = Sending(1)
    producing._exchange(run, 0, 1, sending, ())  # type: ignore[arg-type]
    assert run.given == [(0, 1), (1, 0)]
    assert sending.outcome == ACKNOWLEDGED
    assert run.notes


def test_the_batch_of_a_numbered_value_has_the_numbers_of_its_producer() -> None:
    batch = next(iter(MemoryRecords(bytes(Wire(release_named("4.1.1"))._batch(b"v7", (3, 5))))))
    assert (batch.producer_epoch, batch.base_sequence) == (3, 5)
    assert batch.producer_id >= 0
