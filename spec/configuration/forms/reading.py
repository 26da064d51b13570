"""One configuration file: in which form it is, by what is in it, and what it says of whose configuration.

What is in no form that is known, and what is another program's, is refused before anybody's name is put on it: `role:path` says whose
configuration a file is, not in which form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..catalogue import ROLES, catalogue
from ..clients import LIBRDKAFKA, Client
from ..configuration_file import (
    DASH,
    STANDARD_INPUT,
    ConfigEntry,
    ConfigurationFile,
    SourceText,
    argument_of,
    duplicates,
    role_and_path,
)
from ..notices import ConfigurationError, Notice
from . import librdkafka
from .client_logs import is_client_log, read_client_log
from .client_objects import COMMON, entries_of_object, is_client_object, is_sections, sections_of
from .compose import is_compose, read_compose
from .connect import is_connector, is_worker, read_connector, read_worker
from .describe import is_description, read_descriptions
from .foreign import refuse_foreign, refuse_other_syntax
from .helm_values import is_values, read_values
from .kubernetes import is_kubernetes, read_kubernetes
from .mirrors import is_mirror, read_mirror
from .other_brokers import refuse_other_brokers
from .properties_file import FORM as PROPERTIES
from .properties_file import parse_properties, read_standard_input, read_text
from .spring import read_spring
from .spring_properties import applications_beside, is_spring, profile_of, with_files_beside
from .streams import is_streams, read_streams
from .terraform import is_terraform, read_terraform
from .variables import is_env_file, read_env_file

PROSE = re.compile(r"(?i)(?:readme|license|changelog)(?:\..*)?|.*\.(?:md|rst|adoc)")
"""Files in a folder that are for people to read."""
OF_CLIENTS = ("producer", "consumer")
NAMES = {"producer": "producer", "consumer": "consumer", "topic": "topic", "server": "broker", "broker": "broker"}
"""Words in a file's name that show a role, where its content does not."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of configuration: `recognises` knows it by what is in a text, `read` says what the text means or refuses it.

    `mark` says in words by what it is recognised, and `holds` whose configuration it is. `takes_role`: its role may be said.
    """

    name: str
    mark: str
    holds: str
    recognises: Callable[[SourceText], bool]
    read: Callable[[SourceText], list[ConfigurationFile]]
    takes_role: bool = False


def _object(source: SourceText) -> list[ConfigurationFile]:
    entries = entries_of_object(source)
    return [of_one_client(source, "JSON", entries, (), librdkafka.client_of(source, entries))]


def _sections(source: SourceText) -> list[ConfigurationFile]:
    """The client of each section; of a file with [default] alone the one that its keys or its name show."""
    found = sections_of(source)
    client = librdkafka.client_of(source, [entry for entries in found.values() for entry in entries])
    return [
        of_one_client(source if name == COMMON else replace(source, role=name), "INI", entries, (), client)
        for name, entries in found.items()
        if source.role in (None, name) or name == COMMON
    ]


KUBERNETES = Form(
    name="Strimzi's resources",
    mark="`apiVersion: kafka.strimzi.io/...` in a document of YAML or JSON, a workload such as a `StatefulSet` with an image of "
    "Kafka, or a `ConfigMap` with a `.properties` or `.yml` file",
    holds="`Kafka`: brokers; `KafkaTopic`: a topic; `KafkaConnect`, `KafkaConnector`: as those of Kafka Connect; workloads: brokers, "
    "and topics that their commands create; the files of a `ConfigMap`",
    recognises=is_kubernetes,
    read=lambda source: read_kubernetes(source, read_source),
)
"""Every document of it must be a resource, so what is in a resource may look like any other form."""

OF_MANY_CLIENTS = (
    KUBERNETES.name,
    "services of a compose file",
    "resources of Terraform",
    "what Java clients log",
    "MirrorMaker 2",
)
"""Forms with clients of other brokers too, which are not read."""

FORMS = (
    Form(
        name="the output of Kafka's tools",
        mark="`... configs for topic orders are:`, or lines that begin with `Topic:` or `Feature:`",
        holds="topics with their replicas, and which of them were in sync; brokers; the version and ELR",
        recognises=is_description,
        read=read_descriptions,
        takes_role=True,
    ),
    KUBERNETES,
    Form(
        name="what Java clients log",
        mark="`ProducerConfig values:` or `ConsumerConfig values:`",
        holds="producer, consumer: every value that they use",
        recognises=is_client_log,
        read=read_client_log,
    ),
    Form(
        name="a client's JSON object",
        mark="a flat JSON object with a producer's or a consumer's key",
        holds="producer or consumer",
        recognises=is_client_object,
        read=_object,
        takes_role=True,
    ),
    Form(
        name="a client's INI sections",
        mark="a first line `[default]`, `[producer]` or `[consumer]`",
        holds="producer, consumer",
        recognises=is_sections,
        read=_sections,
        takes_role=True,
    ),
    Form(
        name="an application of Spring Boot",
        mark="`spring:` at the left margin of YAML, or keys that begin with `spring.`",
        holds="producer, consumer; with Spring Cloud Stream the topics that it creates",
        recognises=is_spring,
        read=read_spring,
    ),
    Form(
        name="a worker of Kafka Connect",
        mark="`offset.storage.topic`, `offset.storage.file.filename`, `config.storage.topic` or `status.storage.topic`",
        holds="the producer of sources, the consumer of sinks",
        recognises=is_worker,
        read=read_worker,
    ),
    Form(
        name="a connector of Kafka Connect",
        mark="`connector.class`, in properties or in JSON",
        holds="the producer of a source, or the consumer of a sink",
        recognises=is_connector,
        read=read_connector,
    ),
    Form(
        name="MirrorMaker 2",
        mark="a key of a direction, `a->b.enabled`",
        holds="the producer of each direction; topics that it creates",
        recognises=is_mirror,
        read=read_mirror,
    ),
    Form(
        name="an application of Kafka Streams",
        mark="`application.id`",
        holds="producer, consumer; topics that it creates",
        recognises=is_streams,
        read=read_streams,
    ),
    Form(
        name="services of a compose file",
        mark="`services:` at the left margin, and a service with `image`, `build`, `environment`, `env_file` or `extends`",
        holds="brokers; topics that wurstmeister's image or a command with `kafka-topics --create` creates",
        recognises=is_compose,
        read=read_compose,
    ),
    Form(
        name="values of a Helm chart",
        mark="keys of Bitnami's `kafka` or of Confluent's `cp-kafka`, such as `configurationOverrides`, `extraConfig`, "
        "`overrideConfiguration` and `defaultReplicationFactor`",
        holds="brokers; topics that `provisioning` creates",
        recognises=is_values,
        read=read_values,
    ),
    Form(
        name="variables of a container image",
        mark="a line that begins with `KAFKA_...=`",
        holds="brokers",
        recognises=is_env_file,
        read=read_env_file,
    ),
    Form(
        name="resources of Terraform",
        mark="JSON of `terraform show -json`, with a `format_version`",
        holds="topics; clusters of Amazon MSK and Aiven",
        recognises=is_terraform,
        read=read_terraform,
    ),
)
"""Every form but .properties, which has no mark of its own."""


def read_configuration(argument: str, client: Client | None = None) -> list[ConfigurationFile]:
    """What is in the file that an argument names: a path, or `role:path` to say whose it is. Raises ConfigurationError.

    The path `-` is standard input, which can be read once.
    """
    role, path = role_and_path(argument)
    text = read_standard_input() if path == DASH else read_text(path)
    path = STANDARD_INPUT if path == DASH else path
    return read_source(with_files_beside(SourceText(path=path, text=text, role=role, client=client)))


def files_of(argument: str) -> list[str]:
    """The arguments that an argument stands for: a folder for the files in it, in the order of their names."""
    role, path = role_and_path(argument)
    folder = Path(path)
    if role is not None or not folder.is_dir():
        return [argument]
    inside = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    deeper = [file for file in inside if file.is_dir()]
    if deeper:
        what, advice = (
            f"it holds the folder {deeper[0].name}, which is not looked into.",
            f"Name {deeper[0]} too, or its files.",
        )
        raise ConfigurationError([Notice(what=what, advice=advice, file=path)])
    below = {beside for file in inside if _is_of_a_profile(file) for beside in applications_beside(str(file))}
    found = [str(file) for file in inside if not PROSE.fullmatch(file.name) and file not in below]
    if not found:
        what, advice = "this folder is empty.", "Name the files of a deployment."
        raise ConfigurationError([Notice(what=what, advice=advice, file=path)])
    return found


def _is_of_a_profile(file: Path) -> bool:
    """Is it the file of a profile of Spring's, with which the application's own file is read?"""
    if profile_of(file.name) is None:
        return False
    try:
        return is_spring(SourceText(path=str(file), text=read_text(str(file))))
    except ConfigurationError:
        return False


def read_source(source: SourceText) -> list[ConfigurationFile]:
    """What a text says, in the one form that recognises it. Raises ConfigurationError."""
    found = [KUBERNETES] if is_kubernetes(source) else [form for form in FORMS if form.recognises(source)]
    if not any(form.name in OF_MANY_CLIENTS for form in found):
        refuse_other_brokers(source)
    if len(found) > 1:
        what = f"this may be {' or '.join(form.name for form in found)}."
        raise ConfigurationError([source.notice(what, advice="Put each into a file of its own.")])
    if not found:
        return [_properties(source)]
    if source.role is not None and not found[0].takes_role:
        what = f"these are {found[0].name}, which show their roles."
        raise ConfigurationError([source.notice(what, advice=f"Name the file without `{source.role}:`.")])
    return found[0].read(source)


def _properties(source: SourceText) -> ConfigurationFile:
    entries, warnings = parse_properties(source.text, source.path)
    if not entries:
        what, why = "it holds nothing but comments.", "Every value would be a default."
        raise ConfigurationError([source.notice(what, why, "Leave the file out, or fill it.")])
    client = librdkafka.client_of(_to_a_client(source, entries), entries)
    if client is LIBRDKAFKA:
        refuse_other_syntax(source.text, entries, source.path, librdkafka.is_key)
    else:
        refuse_foreign(source.text, entries, source.path)
    return of_one_client(source, PROPERTIES, entries, warnings, client)


def _to_a_client(source: SourceText, entries: Sequence[ConfigEntry]) -> SourceText:
    """The source, without the client that is said for the others if this is a broker's or a topic's file."""
    try:
        role = source.role or role_of(entries, source.path)
    except ConfigurationError:
        return source
    return source if role in OF_CLIENTS else replace(source, client=None)


def of_one_client(
    source: SourceText,
    form: str,
    entries: tuple[ConfigEntry, ...],
    warnings: tuple[Notice, ...],
    client: Client | None,
) -> ConfigurationFile:
    """The file with these plain keys and values. Raises ConfigurationError for a key that is there twice, or an unclear role."""
    problems, role = duplicates(entries), source.role
    try:
        role = role or role_of(entries, source.path, librdkafka.roles_of if client is LIBRDKAFKA else None)
    except ConfigurationError as error:
        raise ConfigurationError([*problems, *error.problems]) from None
    if client is LIBRDKAFKA:
        problems += librdkafka.unknown_keys(entries)
        if role not in OF_CLIENTS:
            what = f"it holds keys of {LIBRDKAFKA.about}, which is no {role}."
            problems.append(
                source.notice(
                    what, advice=f"Name it {' or '.join(argument_of(source.path, role) for role in OF_CLIENTS)}."
                )
            )
    if problems:
        raise ConfigurationError(problems)
    return ConfigurationFile(
        path=source.path,
        form=form,
        role=role,
        entries=entries,
        warnings=warnings,
        client=client if role in OF_CLIENTS else None,
    )


def role_of(entries: Sequence[ConfigEntry], path: str, roles_of: Callable[[str], tuple[str, ...]] | None = None) -> str:
    """Whose configuration the entries are: by keys that only one role has, else by the file's name. Raises ConfigurationError.

    `roles_of` gives the roles that have a key; those of Kafka if not given.
    """
    votes = Counter[str]()
    for entry in entries:
        roles = (roles_of or catalogue().roles_of)(entry.key)
        votes.update(roles if len(roles) == 1 else ())
    if len(votes) == 1:
        return next(iter(votes))
    named = {role for word, role in NAMES.items() if word in Path(path).name.lower()}
    if len(named) == 1:
        return named.pop()
    what = "it is not clear whose configuration this is"
    what += f": it holds keys of {' and of '.join(sorted(votes))}." if votes else ": it holds no key that only one has."
    *others, last = (argument_of(path, role) for role in (ROLES if roles_of is None else OF_CLIENTS))
    advice = f"Say it: {', '.join(others)} or {last}."
    raise ConfigurationError([Notice(what=what, advice=advice, file=path)])
