"""Known facts about Kafka's replication: each with the searches that show it, what loses and what mends.

The facts lie in facts.json. What a search must answer, its states and its shortest trace are written there by machine (see
tests/support/facts_table.py), never by hand; what it is about, and which verdict is expected, by hand, never by machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from neverlost.model.core import Model, ModelError, Profile

from .versions import version_named

WITNESSES = ("acknowledged", "elected_after_acknowledgement", "faults_survived")
"""What must be seen to happen wherever a property holds, so that nothing holds because nothing happened."""


@dataclass(frozen=True, kw_only=True)
class RecordedSearch:
    """One search of a version with `settings` other than its own, explored up to renaming of replicas, until it is decided.

    `steps` is the shortest trace that decides the property, None where every state was explored. `confirmed_by` names the
    engines that reached these figures.
    """

    profile: str
    bounds: Mapping[str, int]
    settings: Mapping[str, bool | int | str]
    property: str
    verdict: str
    distinct: int
    depth: int
    steps: tuple[str, ...] | None
    confirmed_by: tuple[str, ...]

    @cached_property
    def label(self) -> str:
        """The search as test names show it: `kafka-0.8 log_matching crashes=2`."""
        shown = [self.profile, self.property, *(f"{name}={value}" for name, value in self.settings.items())]
        return " ".join(shown)

    @cached_property
    def trace_length(self) -> int | None:
        """The states of the deciding trace, the initial one included."""
        return None if self.steps is None else len(self.steps) + 1

    def model(self) -> Model:
        """The model to search. Raises ModelError for a setting that the version does not have or cannot have so."""
        profile = version_named(self.profile)
        chosen = {name: _choice(profile, name, value) for name, value in self.settings.items()}
        return profile.bounded(**self.bounds, **chosen)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that is known about Kafka: which rules it is about, what real brokers were `seen` to do, and what mends it."""

    name: str
    title: str
    rules: tuple[str, ...]
    statement: str
    seen: str | None
    mend: str | None
    searches: tuple[RecordedSearch, ...]


def _choice(profile: Profile, name: str, value: bool | int | str) -> int:
    for setting in profile.state.settings:
        if setting.name == name:
            for choice in setting.choices().values():
                plain = setting.plain(choice)
                if plain == value and type(plain) is type(value):
                    return choice
    raise ModelError(f"{profile.name} has no setting {name} with the choice {value!r}")


@cache
def known_facts() -> tuple[Fact, ...]:
    """Every fact, in the order of the file."""
    text = files("neverlost.spec.kafka").joinpath("facts.json").read_text(encoding="utf-8")
    return tuple(_fact(values) for values in json.loads(text))


def _fact(values: Mapping[str, Any]) -> Fact:
    searches = tuple(search_from(search) for search in values["searches"])
    return Fact(**{**values, "rules": tuple(values["rules"]), "searches": searches})


def search_from(values: Mapping[str, Any]) -> RecordedSearch:
    """A search as the files of facts and bugs have it."""
    steps = None if values["steps"] is None else tuple(values["steps"])
    return RecordedSearch(**{**values, "steps": steps, "confirmed_by": tuple(values["confirmed_by"])})
