"""Error codes of Kafka's protocol, under their present names."""

from __future__ import annotations

from enum import IntEnum


class ErrorCode(IntEnum):
    """What a response says about a partition; the numbers are those of the protocol."""

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    UNKNOWN_TOPIC_OR_PARTITION = 3
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    NETWORK_EXCEPTION = 13
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    INVALID_REQUIRED_ACKS = 21
    ILLEGAL_GENERATION = 22
    UNKNOWN_MEMBER_ID = 25
    REBALANCE_IN_PROGRESS = 27
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    INVALID_PRODUCER_ID_MAPPING = 49
    CONCURRENT_TRANSACTIONS = 51
    TRANSACTION_COORDINATOR_FENCED = 52
    KAFKA_STORAGE_ERROR = 56
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    PRODUCER_FENCED = 90
    INVALID_UPDATE_VERSION = 95
    INELIGIBLE_REPLICA = 107
    FENCED_MEMBER_EPOCH = 110
    STALE_MEMBER_EPOCH = 113
    TRANSACTION_ABORTABLE = 120

    @property
    def older_name(self) -> str:
        """The former name; for most errors it is the same."""
        return OLDER_NAMES.get(self, self.name)


OLDER_NAMES = {ErrorCode.NOT_LEADER_OR_FOLLOWER: "NOT_LEADER_FOR_PARTITION"}


class BrokerError(Exception):
    """A request that a broker answers with an error code."""

    def __init__(self, code: ErrorCode, why: str) -> None:
        super().__init__(f"{code.name}: {why}")
        self.code = code


class StorageError(Exception):
    """The disk failed."""
