"""What Java clients log when they start: `ProducerConfig values:` and `ConsumerConfig values:`, with every value that they use.

AbstractConfig.logAll of Kafka writes each key with its value in the order of the keys, after ProducerConfig.postProcessParsedConfig has
put in what follows from other keys. The version that AppInfoParser logs next is that of the client, and says nothing of the brokers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from neverlost.model.arguments import argument

from ..clients import JAVA
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, duplicates
from ..defaults import keys_that_matter
from ..notices import ConfigurationError, Notice
from ..producer_rules import WITHOUT_DEFAULT_IDEMPOTENCE
from .other_brokers import of_service, service_at

FORM = "a client's log"
HEADING = re.compile(r"\b(?P<role>Producer|Consumer)Config values:")
ANOTHER = re.compile(r"\b[A-Z]\w*Config values:")
VALUE = re.compile(r"^(?:[^=|\]]*[|\]])?[ \t]+(?P<key>[a-z][a-z0-9]*(?:[._][a-z0-9]+)*) = (?P<value>.*?)[ \t]*$")
"""A line of the block, after what docker compose logs and kubectl logs put before it."""
IN_JSON = re.compile(r"\\n\\t")
"""What stands between the lines of the block in a log whose records are JSON."""
VERSION = re.compile(r"\bKafka version ?: ?(?P<version>\d+\.\d+[\w.-]*)")

COMPLETE = {
    "producer": ("acks", "retries", "max.in.flight.requests.per.connection", "value.serializer"),
    "consumer": ("auto.offset.reset", "enable.auto.commit", "value.deserializer"),
}
"""Keys of every version of the client, from the first part of the block to its end."""
SINCE_THEN = {"producer": {"enable.idempotence": "false"}, "consumer": {}}
"""What a client that is too old to have a key does."""


@dataclass
class _Block:
    """The values of one client."""

    role: str
    line: int
    entries: list[ConfigEntry] = field(default_factory=list)

    @property
    def behaviour(self) -> dict[str, str]:
        """What distinguishes clients: the values of keys that matter; of an ID for transactions, that there is one."""
        given = {entry.key: entry.value for entry in self.entries if entry.key in keys_that_matter(self.role)}
        return {**given, "transactional.id": ""} if "transactional.id" in given else given


def is_client_log(source: SourceText) -> bool:
    """Has a client logged its values here?"""
    return HEADING.search(source.text) is not None


def read_client_log(source: SourceText) -> list[ConfigurationFile]:
    """The producer and the consumer of a log. Raises ConfigurationError for values that are cut off, and for clients that differ."""
    blocks = list(_blocks(source))
    versions = list(dict.fromkeys(found["version"] for found in VERSION.finditer(source.text)))
    problems = [problem for block in blocks for problem in _cut_off(block, source)]
    found: dict[object, _Block] = {}
    for block in blocks:
        found.setdefault((block.role, *sorted(block.behaviour.items())), block)
    if problems:
        raise ConfigurationError(problems)
    return [
        ConfigurationFile(
            path=source.path,
            form=FORM,
            role=block.role,
            entries=tuple(_as_it_is(block.entries, versions)),
            warnings=(*_version(source, versions), *_of_idempotence(block.entries, versions)),
            client=JAVA,
            client_release=versions[0] if len(versions) == 1 else "",
            printed=True,
        )
        for block in found.values()
    ]


def _blocks(source: SourceText) -> Iterator[_Block]:
    block: _Block | None = None
    for number, written in enumerate(source.text.splitlines(), start=1):
        parts = [part if at == 0 else f"\t{part}" for at, part in enumerate(IN_JSON.split(written))]
        for part in parts:
            heading, value = HEADING.search(part), VALUE.match(part.split("\\n")[0])
            if heading is not None or ANOTHER.search(part):
                if block is not None:
                    yield _whole(block, source)
                block = None if heading is None else _Block(heading["role"].lower(), number)
            elif block is not None and value is not None:
                if value["value"] != "null":
                    block.entries.append(
                        ConfigEntry(
                            key=value["key"],
                            value=value["value"],
                            file=source.path,
                            line=number,
                        )
                    )
            elif block is not None:
                yield _whole(block, source)
                block = None
    if block is not None:
        yield _whole(block, source)


def _whole(block: _Block, source: SourceText) -> _Block:
    """The block with what a client does that is too old to have a key."""
    keys = {entry.key for entry in block.entries}
    for key, value in SINCE_THEN[block.role].items():
        if key not in keys:
            block.entries.append(ConfigEntry(key=key, value=value, file=source.path, line=block.line))
    return block


def _cut_off(block: _Block, source: SourceText) -> Iterator[Notice]:
    """That not all values of a client are there, or some are there twice."""
    keys = {entry.key for entry in block.entries}
    missing = [key for key in COMPLETE[block.role] if key not in keys]
    if missing:
        what = f"the {block.role} logs no {missing[0]} here: its values are cut off."
        advice = "Write the log into the file unchanged, one value in each line."
        yield source.notice(what, "What is missing would be taken for a default.", advice, line=block.line)
    for entry in block.entries:
        service = service_at(entry.value) if entry.key == "bootstrap.servers" else None
        if service is not None:
            yield of_service(service, source.path, entry.line or block.line)
    yield from duplicates(block.entries, "A client logs each once: these may be two clients, mixed.")


def _as_it_is(entries: Sequence[ConfigEntry], versions: Sequence[str]) -> Iterator[ConfigEntry]:
    """The entries, without idempotence that the client only logs."""
    transactional = any(entry.key == "transactional.id" for entry in entries)
    too_much = not transactional and any(version in WITHOUT_DEFAULT_IDEMPOTENCE for version in versions)
    for entry in entries:
        yield replace(entry, value="false") if too_much and _is_idempotence(entry) else entry


def _is_idempotence(entry: ConfigEntry) -> bool:
    return entry.key == "enable.idempotence" and entry.value.strip().lower() == "true"


def _of_idempotence(entries: Sequence[ConfigEntry], versions: Sequence[str]) -> Iterator[Notice]:
    """What is to be said of clients of 3.0.0 and 3.1.0: they log idempotence, and have it only if the program sets it (KAFKA-13598)."""
    known = [version for version in versions if version in WITHOUT_DEFAULT_IDEMPOTENCE]
    if any(entry.key == "transactional.id" for entry in entries) or (versions and not known):
        return
    for entry in filter(_is_idempotence, entries):
        if known:
            what = f"a client of {known[0]} logs this also where it is not idempotent: false is audited."
        else:
            what = (
                "no version of the client is logged, and 3.0.0 and 3.1.0 log this also where they are not idempotent."
            )
        advice = "Write enable.idempotence=true into the program's configuration, and say it in a file of its own."
        yield entry.notice(what, "They are only if the program sets it (KAFKA-13598).", advice, decides=not known)


def _version(source: SourceText, versions: Sequence[str]) -> Iterator[Notice]:
    if versions:
        what = f"the client is of Kafka {' and '.join(versions)}, which says nothing of the brokers."
        yield source.notice(what, advice=f"Say the brokers' version: {argument('kafka_version', 'N.N')}.")
