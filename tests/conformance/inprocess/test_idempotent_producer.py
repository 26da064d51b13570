"""A lost response is no lost request: what a retry does to the log, with and without idempotence."""

from __future__ import annotations

import pytest
from partition_by_hand import PARTITION, ThreeBrokers, error

from neverlost.conformance.inprocess.clients.idempotent_producer import Batch, IdempotentProducer, ProducerSettings
from neverlost.conformance.inprocess.errors import ErrorCode
from neverlost.conformance.inprocess.messages import ACKS_LEADER, ProduceRequest, ProduceResponse
from neverlost.conformance.inprocess.stepped_cluster import ClientRequest


class Program:
    """Sends by a producer to broker 1, and decides which responses it hears."""

    def __init__(self, brokers: ThreeBrokers, settings: ProducerSettings) -> None:
        self.brokers = brokers
        self.on_the_way: list[tuple[Batch, ProduceRequest]] = []
        self.producer = IdempotentProducer(
            producer_id=7,
            partition=PARTITION,
            transmit=lambda batch, request: self.on_the_way.append((batch, request)),
            settings=settings,
        )

    def arrive(self, number: int = 0) -> tuple[Batch, ClientRequest]:
        """One of the requests on their way reaches the broker."""
        batch, request = self.on_the_way.pop(number)
        return batch, self.brokers.ask(1, request)

    def arrive_and_answer(self, number: int = 0) -> None:
        batch, asked = self.arrive(number)
        self.brokers.fetch_by(2, 3, 2, 3)
        assert isinstance(asked.answer, ProduceResponse)
        self.producer.take(batch, asked.answer)

    def arrive_and_lose_the_answer(self, number: int = 0) -> None:
        batch, _ = self.arrive(number)
        self.brokers.fetch_by(2, 3, 2, 3)
        self.producer.take(batch, None)


PLAIN = ProducerSettings(acks=ACKS_LEADER, enable_idempotence=False)
IDEMPOTENT = ProducerSettings()


@pytest.mark.rule("R-CLIENT-3")
@pytest.mark.parametrize(("settings", "log"), [(PLAIN, ["a@0", "a@0"]), (IDEMPOTENT, ["a@0"])])
def test_a_retry_after_a_lost_response_appends_again_unless_idempotent(
    settings: ProducerSettings, log: list[str]
) -> None:
    program = Program(ThreeBrokers(), settings)
    batch = program.producer.send("a")
    program.arrive_and_lose_the_answer()
    assert batch.outcome is None
    program.arrive_and_answer()
    assert batch.outcome is not None
    assert (batch.outcome.error, program.brokers.values(1)) == (ErrorCode.NONE, log)


@pytest.mark.rule("R-CLIENT-3")
def test_a_duplicate_is_acknowledged_with_the_offset_of_the_first() -> None:
    program = Program(ThreeBrokers(), IDEMPOTENT)
    batches = [program.producer.send(value) for value in ("a", "b")]
    program.arrive_and_lose_the_answer()
    program.arrive_and_answer(1)
    program.arrive_and_answer()
    assert [batch.outcome and batch.outcome.base_offset for batch in batches] == [0, 1]


@pytest.mark.rule("R-CLIENT-3")
def test_a_duplicate_is_answered_only_when_the_first_is_replicated() -> None:
    brokers = ThreeBrokers()
    first, again = (brokers.produce_stamped(1, "a", 0, 0) for _ in range(2))
    assert (first.open, again.open, brokers.values(1)) == (True, True, ["a@0"])
    brokers.fetch_by(2, 3, 2, 3)
    assert (error(first), error(again)) == (ErrorCode.NONE, ErrorCode.NONE)


@pytest.mark.rule("R-CLIENT-3")
def test_a_broker_remembers_the_last_five_batches_and_no_more() -> None:
    brokers = ThreeBrokers()
    for sequence in range(6):
        brokers.produce_stamped(1, f"{sequence}", 0, sequence)
    brokers.fetch_by(2, 3, 2, 3)
    assert error(brokers.produce_stamped(1, "1", 0, 1)) is ErrorCode.NONE
    assert error(brokers.produce_stamped(1, "0", 0, 0)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert brokers.of(1).log.end == 6


@pytest.mark.rule("R-CLIENT-3")
def test_a_gap_is_refused() -> None:
    brokers = ThreeBrokers()
    brokers.produce_stamped(1, "0", 0, 0)
    assert error(brokers.produce_stamped(1, "2", 0, 2)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert brokers.values(1) == ["0@0"]


@pytest.mark.rule("R-CLIENT-3")
def test_a_newer_producer_epoch_numbers_anew_and_an_older_one_is_refused() -> None:
    brokers = ThreeBrokers()
    brokers.produce_stamped(1, "0", 0, 0)
    assert error(brokers.produce_stamped(1, "x", 1, 1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert brokers.produce_stamped(1, "1", 1, 0).open
    assert error(brokers.produce_stamped(1, "2", 0, 1)) is ErrorCode.INVALID_PRODUCER_EPOCH


@pytest.mark.rule("R-CLIENT-3")
def test_a_new_leader_knows_the_batches_from_its_log() -> None:
    brokers = ThreeBrokers()
    brokers.produce_stamped(1, "0", 0, 0)
    brokers.fetch_by(2, 3)
    brokers.fail(1, successor=2)
    brokers.fetch_by(3, 3)
    assert error(brokers.produce_stamped(2, "0", 0, 0)) is ErrorCode.NONE
    assert brokers.values(2) == ["0@0"]


@pytest.mark.rule("R-CLIENT-3")
def test_what_was_cut_away_is_forgotten() -> None:
    brokers = ThreeBrokers()
    brokers.produce_stamped(1, "0", 0, 0)
    brokers.of(1).truncate(0)
    brokers.produce_stamped(1, "0", 0, 0)
    assert brokers.values(1) == ["0@0"]


@pytest.mark.rule("R-CLIENT-3")
def test_more_than_one_request_in_flight_without_idempotence_reorders() -> None:
    program = Program(ThreeBrokers(), PLAIN)
    batches = [program.producer.send("a"), program.producer.send("b")]
    lost, _ = program.on_the_way.pop(0)
    program.arrive_and_answer()
    program.producer.take(lost, None)
    program.arrive_and_answer()
    assert all(batch.outcome and batch.outcome.error is ErrorCode.NONE for batch in batches)
    assert program.brokers.values(1) == ["b@0", "a@0"]


@pytest.mark.rule("R-CLIENT-3")
def test_a_batch_that_came_too_early_is_sent_again_after_the_one_before_it() -> None:
    brokers = ThreeBrokers()
    brokers.produce_stamped(1, "before", 0, 0)
    brokers.fetch_by(2, 3, 2, 3)
    program = Program(brokers, IDEMPOTENT)
    program.producer.send("before")
    program.arrive_and_answer()
    first, second = program.producer.send("a"), program.producer.send("b")
    lost, _ = program.on_the_way.pop(0)
    program.arrive_and_answer()
    assert second.outcome is None
    program.producer.take(lost, None)
    while program.on_the_way:
        program.arrive_and_answer()
    assert brokers.values(1) == ["before@0", "a@0", "b@0"]
    assert first.outcome is not None


@pytest.mark.rule("R-CLIENT-3")
def test_when_retries_are_spent_the_batch_has_failed_and_those_after_it_are_numbered_anew() -> None:
    brokers = ThreeBrokers()
    program = Program(brokers, ProducerSettings(retries=1, max_in_flight=1))
    first, second = program.producer.send("a"), program.producer.send("b")
    for _ in range(2):
        batch, _ = program.on_the_way.pop(0)
        program.producer.take(batch, None)
    assert first.outcome is not None
    assert first.outcome.error is ErrorCode.NETWORK_EXCEPTION
    program.arrive_and_answer()
    assert (second.outcome and second.outcome.error, brokers.values(1)) == (ErrorCode.NONE, ["b@0"])


@pytest.mark.rule("R-CLIENT-3")
def test_no_more_requests_are_in_flight_than_the_settings_allow() -> None:
    program = Program(ThreeBrokers(), ProducerSettings(max_in_flight=2))
    for value in "abcd":
        program.producer.send(value)
    assert len(program.on_the_way) == 2


@pytest.mark.rule("R-CLIENT-3")
@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"acks": ACKS_LEADER}, "needs acks=all"), ({"max_in_flight": 6}, "at most 5 requests in flight")],
)
def test_settings_that_idempotence_cannot_have_are_refused(settings: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ProducerSettings(**settings)
