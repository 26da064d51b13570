"""What a configuration file says, in whichever form it is written: entries with their places, and whose configuration they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from .catalogue import OLD_NAMES, ROLES, catalogue
from .clients import JAVA, Client
from .defaults import all_keys_that_matter
from .notices import Notice, place_of

DASH, STANDARD_INPUT = "-", "standard input"
"""The argument that stands for standard input, and how it is called as a file."""


@dataclass(frozen=True, kw_only=True)
class ConfigEntry:
    """One key with its value and where it stands; `layer` says which part of the cluster set it, if the file says it.

    `line` is None where there are no lines: a running cluster said it, and `file` says what of. `separator` is what stands between key
    and value: "=", ":", or "" for blanks or nothing. `written` is the line as it stands in the file, if the entry is that one line and
    nothing in it is escaped; so the line can be replaced. `line_end` is what ends it: nothing may end the last line of a file.
    """

    key: str
    value: str
    file: str
    line: int | None
    layer: str | None = None
    separator: str = "="
    written: str | None = field(default=None, repr=False, compare=False)
    line_end: str = field(default="\n", repr=False, compare=False)

    @property
    def place(self) -> str:
        """Where it stands."""
        return place_of(self.file, self.line)

    def notice(self, what: str, why: str = "", advice: str = "", *, decides: bool = False) -> Notice:
        """A notice about this entry."""
        return Notice(what=what, why=why, advice=advice, key=self.key, file=self.file, line=self.line, decides=decides)


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """The text of a file, with what its argument and the command say of it: whose it is, and which client reads it.

    `beside` are the other files of the same application that are in force whenever this one is.
    """

    path: str
    text: str
    role: str | None = None
    client: Client | None = None
    beside: tuple[SourceText, ...] = ()

    def notice(self, what: str, why: str = "", advice: str = "", *, line: int | None = None) -> Notice:
        """A notice about this file."""
        return Notice(what=what, why=why, advice=advice, file=self.path, line=line)


@dataclass(frozen=True, kw_only=True)
class ConfigurationFile:
    """What a file says of one broker, topic, producer or consumer, which is its `role`.

    `form` is the format: "properties", "Strimzi", the tool that printed it. `name` is that of the topic or the broker, `release` the
    version of Kafka that it names, `client_release` the one that its Java client names, `cluster` the name of its cluster.
    `client` is the client that reads it, if something says it. `printed`: a running cluster knows these keys, people did not write
    them. `policy` is what a worker of Kafka Connect lets its connectors set, and `creation` whether it creates topics for them;
    `creates` are the topics that a connector has it create.
    `needs` are entries that a version takes only from another one on. `brokers` is how many brokers the file tells of, if it does: of a
    running cluster that is printed all. `beyond` are entries that lead to something that the model does not have, with its name.
    `apart`: topics that a program creates for itself, which are other ones than those that are described, unless their names begin so.
    `passes_failed` has a consumer go on behind a record whose processing fails, `keeps_failed` has such a record kept elsewhere.
    `commits_before` has it commit a record before that is processed; `begins_anew` is why it does not begin where it has ended.
    `forgets` says where it stands that whatever restarts the node loses its disk. `on_one_machine` is how many of its brokers run
    on one machine, none if it shows no two.
    `created_by` is the path and the name of the client's file that has a topic created: no other program writes to it.
    `over_spring` is what containers set over the file of an application of Spring's, where such a file is: doubts, and what is refused.
    `namespace` is where a resource of Kubernetes lies, `applies_of` where those lie that its operator applies to these brokers or
    workers, `applies_none` what is missing if it applies none.
    """

    path: str
    form: str
    role: str
    entries: tuple[ConfigEntry, ...]
    warnings: tuple[Notice, ...] = ()
    name: str | None = None
    release: ConfigEntry | None = None
    cluster: str | None = None
    client: Client | None = None
    client_release: str = ""
    printed: bool = False
    policy: ConfigEntry | None = None
    creation: ConfigEntry | None = None
    creates: tuple[ConfigurationFile, ...] = ()
    needs: tuple[tuple[str, ConfigEntry], ...] = ()
    brokers: int | None = None
    beyond: tuple[tuple[str, ConfigEntry], ...] = ()
    apart: str | None = None
    passes_failed: ConfigEntry | None = None
    keeps_failed: ConfigEntry | None = None
    commits_before: ConfigEntry | None = None
    begins_anew: str = ""
    created_by: tuple[str, str | None] | None = None
    forgets: ConfigEntry | None = None
    over_spring: tuple[Notice, ...] = ()
    on_one_machine: int = 0
    namespace: str | None = None
    applies_of: str | None = None
    applies_none: str = ""

    @cached_property
    def is_old_client(self) -> bool:
        """Does it configure the producer or the consumer of 0.8 in Scala? A key of theirs may be left over in a newer file."""
        keys = {entry.key for entry in self.entries}
        return (
            self.client in (None, JAVA) and bool(keys & catalogue().old[self.role]) and "bootstrap.servers" not in keys
        )

    def canonical(self, key: str) -> str:
        """Kafka's name of a key, which an old client or librdkafka calls otherwise."""
        if self.client is not None and key in self.client.aliases:
            return self.client.aliases[key]
        return OLD_NAMES.get(self.role, {}).get(key, key)


def entries_of(files: Iterable[ConfigurationFile], *roles: str) -> list[ConfigEntry]:
    """Every entry of the files of these roles, in their order."""
    return [entry for file in files if file.role in roles for entry in file.entries]


def role_and_path(argument: str) -> tuple[str | None, str]:
    """What an argument names: a path, with the role that stands before it in `role:path`."""
    matched = re.match(rf"({'|'.join(ROLES)}):(.+)$", argument, flags=re.DOTALL)
    return (matched[1], matched[2]) if matched else (None, argument)


def argument_of(path: str, role: str) -> str:
    """The argument that names a file with a role."""
    return f"{role}:{DASH if path == STANDARD_INPUT else path}"


def below(entries: Iterable[ConfigEntry], prefix: str) -> list[ConfigEntry]:
    """The entries whose keys begin with a prefix, without it."""
    own = (entry for entry in entries if entry.key.startswith(prefix))
    return [replace(entry, key=entry.key.removeprefix(prefix), written=None) for entry in own]


def duplicates(
    entries: Sequence[ConfigEntry], takes: str = "Java takes the last one and says nothing."
) -> list[Notice]:
    """Every key that is there again; `takes` says what its reader does then."""
    first: dict[str, ConfigEntry] = {}
    found = []
    for entry in entries:
        before = first.setdefault(entry.key, entry)
        if before is not entry:
            what = f"set again to {entry.value!r}; line {before.line} has {before.value!r}."
            if entry.key not in all_keys_that_matter():  # it may be a password
                what = f"set again; line {before.line} has it already."
            found.append(entry.notice(what, takes, "Keep one of them."))
    return found
