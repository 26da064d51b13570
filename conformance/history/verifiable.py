"""What Kafka's own VerifiableProducer and VerifiableConsumer print, as operations of a history.

The events are those of org.apache.kafka.tools.VerifiableProducer and VerifiableConsumer: one JSON object a line, with its `name`. Every
`startup_complete` begins another client, so that the outputs of several may stand one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, ClassVar

from ..malformed import MalformedLine
from .malformed import Note, Numbered

EVENTS = "one of startup_complete, producer_send_success, producer_send_error, tool_data, record_data, records_consumed"
NO_OFFSET = -1
SILENT = frozenset(("shutdown_complete", "partitions_assigned", "partitions_revoked", "offsets_committed"))
"""Events that say nothing of a record."""


def as_operations(forms: Iterator[Numbered], note: Note) -> Iterator[Numbered]:
    """The forms as they are, or the operations that they mean, if the first is an event of these tools."""
    first = next(forms, None)
    if first is None:
        return
    whole = chain((first,), forms)
    event = first[1]
    known = isinstance(event, dict) and "type" not in event and _name(event) in {*_Tools.HANDLERS, *SILENT}
    yield from _Tools(note).read(whole) if known else whole


class _Wrong(Exception):
    """An event is wrong: what is wrong, and what was expected."""


class _Tools:
    """Reads the events of one client after the other."""

    def __init__(self, note: Note) -> None:
        self.note = note
        self.client, self.acknowledged, self.listed = 0, 0, 0
        self.promises = True
        self.failed: dict[tuple[str, str], int] = {}
        """Sends of which it is unknown whether they were written, and where to; by topic and value, with their producer."""
        self.seen: dict[tuple[str, str], dict[str, Any]] = {}
        """The first read of each value, which shows the partition of a failed send that is listed after it."""

    def read(self, forms: Iterator[Numbered]) -> Iterator[Numbered]:
        """The operations of the events; wrong ones are noted and left out."""
        for line, event in forms:
            name = _name(event)
            if name in SILENT:
                continue
            handler = self.HANDLERS.get(name)
            try:
                if handler is None:
                    raise _Wrong(f"{event!r:.60} is no event", EVENTS)
                for operation in handler(self, event):
                    yield line, operation
            except _Wrong as wrong:
                self.note(MalformedLine(line=line, what=wrong.args[0], expected=wrong.args[1]))

    def _started(self, _: dict[str, Any]) -> Iterator[dict[str, Any]]:
        self.client, self.acknowledged, self.listed = self.client + 1, 0, 0
        yield from ()

    def _sent(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """An acknowledged send. Offset -1: the broker had the record already and gave no offset, or acks=0 promises nothing."""
        known = event.get("offset") != NO_OFFSET
        self.promises = known if self.acknowledged == 0 else self.promises
        self.acknowledged += 1
        outcome = "ok" if known or self.promises else "info"
        yield _operation(
            "produce", outcome, f"producer {self.client}", event, _whole(event, "offset") if known else None
        )

    def _failed(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        about = (_topic(event), str(event.get("value")))
        read = self.seen.get(about)
        if read is None:
            self.failed.setdefault(about, self.client)
        else:
            yield _operation("produce", "info", f"producer {self.client}", read, None)

    def _ended(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        acknowledged = _whole(event, "acked")
        if acknowledged != self.acknowledged:
            what = f"{acknowledged:,} sends were acknowledged, and {self.acknowledged:,} lines say so"
            raise _Wrong(what, "the whole output")
        yield from ()

    def _read(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """A record that was read; before it the send that was answered with an error, for its partition is known now."""
        self.listed += 1
        offset, about = _whole(event, "offset"), (_topic(event), str(event.get("value")))
        self.seen.setdefault(about, event)
        sender = self.failed.pop(about, None)
        if sender is not None:
            yield _operation("produce", "info", f"producer {sender}", event, None)
        yield _operation("consume", "ok", f"consumer {self.client}", event, offset)

    def _summed_up(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        partitions = event.get("partitions")
        parts = partitions if isinstance(partitions, list) else []
        count = sum(_whole(part, "count") for part in parts)
        listed, self.listed = self.listed, 0
        if count > listed:
            what = f"{count:,} records were read, and {listed:,} of them are listed"
            raise _Wrong(what, "a line for each; run VerifiableConsumer with --verbose")
        yield from ()

    HANDLERS: ClassVar[dict[str, Callable[[_Tools, dict[str, Any]], Iterator[dict[str, Any]]]]] = {
        "startup_complete": _started,
        "producer_send_success": _sent,
        "producer_send_error": _failed,
        "tool_data": _ended,
        "record_data": _read,
        "records_consumed": _summed_up,
    }


def _name(event: Any) -> str:
    """The name of an event; empty if it has none."""
    name = event.get("name") if isinstance(event, dict) else None
    return name if isinstance(name, str) else ""


def _operation(function: str, outcome: str, process: str, event: dict[str, Any], offset: int | None) -> dict[str, Any]:
    key = f"{_topic(event)}-{_whole(event, 'partition')}"
    found = {"type": outcome, "f": function, "process": process, "key": key, "value": event.get("value")}
    return found if offset is None else {**found, "offset": offset}


def _topic(event: dict[str, Any]) -> str:
    topic = event.get("topic")
    if not isinstance(topic, str):
        raise _Wrong(f"topic is {topic!r:.60}", "the name of a topic")
    return topic


def _whole(event: Any, key: str) -> int:
    number = event.get(key) if isinstance(event, dict) else None
    if type(number) is not int or number < 0:
        raise _Wrong(f"{key} is {number!r:.60}", "a whole number from 0 on")
    return number
