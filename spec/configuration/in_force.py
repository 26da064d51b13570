"""The value of one key that a family reads by itself: what is in force, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .configuration_file import ConfigurationFile
from .defaults import ConfigurationKey
from .layers import set_by
from .notices import ConfigurationError, place_of
from .values import SourcedValue, normal, value_problem


def in_force(key: ConfigurationKey, files: Sequence[ConfigurationFile], version: str) -> SourcedValue | None:
    """What the files set, or what this version takes by default; None if it does not have the key.

    Raises ConfigurationError for a value that Kafka refuses.
    """
    found = set_by(key, files)
    problems = [wrong for one in found if (wrong := value_problem(key, one.entry)) is not None]
    if problems:
        raise ConfigurationError(problems)
    if found:
        entry = found[0].entry
        value = normal(key, entry.value)
        return SourcedValue(value=value, layer=found[0].layer, key=key.key, file=entry.file, line=entry.line)
    default = key.default(version)
    return None if default is None else SourcedValue(value=default, layer="default", key=key.key)


def without_others(
    files: Iterable[ConfigurationFile], own: Sequence[ConfigurationFile], role: str
) -> list[ConfigurationFile]:
    """The files without those of other clients of the same role."""
    return [file for file in files if file.role != role or any(file is one for one in own)]


def with_place(source: SourcedValue) -> str:
    """`acks=all at producer.properties:3`, or `acks=all by default`."""
    place = place_of(source.file, source.line)
    return f"{source.key}={source.value} {f'at {place}' if place else 'by default'}"
