"""Configuration of librdkafka, and of the clients of other languages that hand it theirs.

librdkafka.json lists its keys by the role that has them, out of the CONFIGURATION.md of the version that it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from neverlost.model.arguments import argument

from ..catalogue import catalogue, slip_of
from ..clients import JAVA, LIBRDKAFKA, OLD_LIBRDKAFKA, Client
from ..configuration_file import ConfigEntry, SourceText
from ..defaults import all_keys_that_matter
from ..notices import ConfigurationError, Notice
from .foreign_keys import JAVA_MARKS

BOTH = "both"
OF_LIBRDKAFKA = (LIBRDKAFKA, OLD_LIBRDKAFKA)
OF_WRAPPERS = ("go.", "dotnet.", "js.")
"""How the keys begin that the clients for Go, .NET and JavaScript keep for themselves."""


@cache
def librdkafka_keys() -> Mapping[str, str]:
    """Every key of librdkafka with the role that has it: "producer", "consumer", or "both"."""
    text = files("neverlost.spec.configuration").joinpath("librdkafka.json").read_text(encoding="utf-8")
    return {key: role for role, keys in json.loads(text)["roles"].items() for key in keys}


def is_key(key: str) -> bool:
    """Does librdkafka, or a client that is built on it, have this key?"""
    return key in librdkafka_keys() or key.startswith(OF_WRAPPERS)


@cache
def marks() -> frozenset[str]:
    """The keys that librdkafka has, and nothing of Kafka's."""
    return frozenset(key for key in librdkafka_keys() if not catalogue().roles_of(key))


def has_mark(key: str) -> bool:
    """Does this key show that librdkafka reads it?"""
    return key in marks() or key.startswith(OF_WRAPPERS)


def client_of(source: SourceText, entries: Sequence[ConfigEntry]) -> Client | None:
    """The client that is named, or that the keys show; None if neither. Raises ConfigurationError where they show another."""
    own = next((entry for entry in entries if has_mark(entry.key)), None)
    java = next((entry for entry in entries if entry.key in JAVA_MARKS), None)
    said = source.client
    if java is not None and (own is not None or said not in (None, JAVA)):
        name = LIBRDKAFKA.name if own is not None or said is None else said.name
        beside = (
            f"line {own.line} has {own.key} of librdkafka"
            if own is not None
            else f"{argument('assume', f'client={name}')} is said"
        )
        advice = "Keep the configuration of one client in one file."
        what = f"this is a key of Kafka's Java client, and {beside}."
        raise ConfigurationError([java.notice(what, f"{name} does not start with it.", advice)])
    if own is not None and said not in (None, *OF_LIBRDKAFKA):
        whose = "the Java client" if said is JAVA else said.name
        what = f"this is a key of librdkafka, which {whose} does not have."
        raise ConfigurationError(
            [own.notice(what, "Their defaults differ.", f"Say {argument('assume', f'client={LIBRDKAFKA.name}')}.")]
        )
    return LIBRDKAFKA if own is not None else JAVA if java is not None else said


def roles_of(key: str) -> tuple[str, ...]:
    """The roles that have the key, as in the catalogue of Kafka's own keys."""
    role = librdkafka_keys().get(key)
    return () if role is None else ("producer", "consumer") if role == BOTH else (role,)


def unknown_keys(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """Every key with which librdkafka does not start."""
    for entry in entries:
        if not is_key(entry.key):
            meant = slip_of(entry.key, all_keys_that_matter())
            advice = f"Did you mean {meant}?" if meant else "Leave it out, or give it where it belongs."
            yield entry.notice("librdkafka has no such key.", "It does not start with it.", advice)
