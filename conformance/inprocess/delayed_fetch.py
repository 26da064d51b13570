"""A fetch that waits for records (R-DF-1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .errors import BrokerError, ErrorCode
from .messages import FetchedPartition, FetchRequest
from .protocol import TopicPartition
from .purgatory import DelayedOperation

Fetched = Mapping[TopicPartition, FetchedPartition]


class DelayedFetch(DelayedOperation):
    """Completes when there is enough to read, or no reason to wait; the log is then read again for the response.

    `read` reads one partition now. A consumer waits for the high watermark to grow, a follower for the log end: `read` shows both.
    """

    def __init__(
        self,
        *,
        request: FetchRequest,
        read: Callable[[TopicPartition], FetchedPartition],
        respond: Callable[[Fetched], None],
    ) -> None:
        super().__init__(request.max_wait_ms)
        self._request, self._read, self._respond = request, read, respond

    def try_complete(self) -> bool:
        found = read_all(self._request, self._read)
        return enough(self._request, found) and self.force_complete()

    def on_expiration(self) -> None:
        """Nothing more than completing: the answer has what there is by then."""

    def on_complete(self) -> None:
        self._respond(read_all(self._request, self._read))


def read_all(request: FetchRequest, read: Callable[[TopicPartition], FetchedPartition]) -> Fetched:
    """Read every partition of a fetch; an error is the answer for its partition."""
    found = {}
    for partition in request.positions:
        try:
            found[partition] = read(partition)
        except BrokerError as error:
            found[partition] = FetchedPartition(error=error.code)
    return found


def enough(request: FetchRequest, found: Fetched) -> bool:
    """Is there no reason to wait: enough records, an error (the broker no longer leads), or a position that was cut away?"""
    if any(f.error is not ErrorCode.NONE or f.diverging is not None for f in found.values()):
        return True
    return sum(f.count for f in found.values()) >= request.min_records
