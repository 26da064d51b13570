"""Variables of container images that run a broker, and files of them: KEY=VALUE lines, as `docker run --env-file` takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..catalogue import catalogue, slip_of
from ..configuration_file import ConfigEntry, ConfigurationFile, SourceText, duplicates
from ..defaults import all_keys_that_matter
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from ..unasked import HAZARDS
from .foreign import is_known
from .foreign_keys import decides_elsewhere
from .images import BITNAMI, COMMON, Image

FORM = "variables of an image"
LINE = re.compile(r"[A-Z][A-Z0-9_]*(=.*)?")
OF_A_BROKER = re.compile(r"^KAFKA_[A-Z0-9_]+=", re.MULTILINE)
LEAVE_OUT = "Leave it out of a copy, if no broker and no client reads it."


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable of a container with its value, which is a reference if it is taken from where the container is started.

    `defaulted` says which defaults of references are in the value.
    """

    name: str
    value: str
    file: str
    line: int
    defaulted: str = ""

    def notice(self, what: str, why: str = "", advice: str = "") -> Notice:
        """A notice about this variable."""
        return Notice(what=what, why=why, advice=advice, key=self.name, file=self.file, line=self.line)


def is_env_file(source: SourceText) -> bool:
    """Is some line a variable that begins with KAFKA_?"""
    return OF_A_BROKER.search(source.text) is not None


def read_env_file(source: SourceText) -> list[ConfigurationFile]:
    """The broker that a file of variables configures. Raises ConfigurationError with everything that is not understood."""
    problems: list[Notice] = []
    variables = list(_variables(source, problems))
    for variable in variables:
        if variable.name.startswith("KAFKA_CREATE_TOPICS"):
            what = "this is a variable of wurstmeister/kafka, and this file does not name the image."
            problems.append(variable.notice(what, WHY, "Write the variables into a compose file, with the image."))
    bitnami = any(variable.name.startswith(BITNAMI.prefix) for variable in variables)
    entries = list(entries_of(variables, BITNAMI if bitnami else COMMON, problems))
    problems += duplicates(entries, "It is not certain which of them the container gets.")
    if problems:
        raise ConfigurationError(problems)
    return [ConfigurationFile(path=source.path, form=FORM, role="broker", entries=tuple(entries))]


def _variables(source: SourceText, problems: list[Notice]) -> Iterator[Variable]:
    for number, line in enumerate(source.text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if LINE.fullmatch(line):
            yield Variable(name=name, value=value if equals else f"${{{name}}}", file=source.path, line=number)
        else:
            what = "this is no line of a file of variables, which has others of a broker's."
            advice = "Write NAME=VALUE, with a name in capital letters, and what is no variable into a file of its own."
            problems.append(source.notice(what, WHY, advice, line=number))


def entries_of(variables: Sequence[Variable], image: Image, problems: list[Notice]) -> Iterator[ConfigEntry]:
    """Kafka's keys that an image sets from its variables. What is not understood, and could decide, goes to `problems`."""
    for variable in variables:
        key = image.key(variable.name)
        if key is None:
            problems += _not_taken(variable, image)
            continue
        entry = ConfigEntry(key=key, value=variable.value, file=variable.file, line=variable.line)
        problems += _not_understood(entry, variable)
        yield entry


def _not_taken(variable: Variable, image: Image) -> Iterator[Notice]:
    """That an image does not take a variable for a key, where someone may believe that it does."""
    meant = decides_elsewhere(variable.name)
    if variable.name in image.scripts:
        yield variable.notice("this command may change the configuration.", WHY, "Write what it does into variables.")
    elif variable.name.startswith("CONNECT_"):
        what, why = "this is a variable of Kafka Connect.", "Its producers and consumers have defaults of their own."
        yield variable.notice(what, why, "Audit Kafka Connect by itself.")
    elif not image.has(variable.name):
        name = f"{image.prefix}{variable.name.removeprefix('KAFKA_')}"
        what, advice = (
            "this image is not known to have such a variable.",
            f"Write {name}, if it is one of Kafka's keys.",
        )
        yield variable.notice(what, WHY, advice)
    elif meant is not None and not variable.name.startswith("CONFLUENT_"):
        what = f"the image does not take this for a key of Kafka's, and it ends as one that decides: {meant}."
        name = f"{image.prefix}{meant.upper().replace('.', '_').replace(' ', '_')}"
        yield variable.notice(what, f"{meant} is then not set.", f"Write {name}. {LEAVE_OUT}")


def _not_understood(entry: ConfigEntry, variable: Variable) -> Iterator[Notice]:
    """That a variable sets a key that Kafka does not have, but that ends as one that decides, or a reference where it matters."""
    meant = decides_elsewhere(entry.key)
    unknown = not is_known(entry.key) and slip_of(entry.key, all_keys_that_matter()) is None
    if unknown and meant is not None:
        what = f"Kafka has no key {entry.key}, and it ends as one that decides: {meant}."
        yield variable.notice(what, WHY, LEAVE_OUT)
    elif "$" in entry.value and any(entry.key in hazard.keys for hazard in HAZARDS):
        what = f"{entry.value!r} is a reference."
        yield variable.notice(what, "What stands for it cannot be seen here.", "Write the value itself into a copy.")


def names_a_broker(variable: Variable) -> bool:
    """Would some image take the variable for a key that only brokers have?"""
    keys = (image.key(variable.name) for image in (COMMON, BITNAMI))
    return any(key is not None and catalogue().roles_of(key) == ("broker",) for key in keys)
