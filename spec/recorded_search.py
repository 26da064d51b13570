"""A question that a ledger asks of a profile, by hand, and what a search found, by machine.

What hands write lies in one file: what is asked, and which verdict is expected. What searches found lies beside it, in a file that only
machines write (`NAME.found.json`, by tools/facts_table.py), under a key that says what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from neverlost.model.core import Model, ModelError, Profile
from neverlost.model.core.profile import show_bounds

from .families import profiles


@dataclass(frozen=True, kw_only=True)
class RecordedSearch:
    """One search of a profile with `settings` other than its own, explored up to renaming of replicas, until it is decided.

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
    def key(self) -> str:
        """What is asked, as the files of what was found have it."""
        return question_key(self.profile, self.bounds, self.settings, self.property)

    @cached_property
    def trace_length(self) -> int | None:
        """The states of the deciding trace, the initial one included."""
        return None if self.steps is None else len(self.steps) + 1

    def model(self) -> Model:
        """The model to search. Raises ModelError for a setting that the profile does not have or cannot have so."""
        profile = profiles()[self.profile]
        chosen = {name: _choice(profile, name, value) for name, value in self.settings.items()}
        return profile.bounded(**self.bounds, **chosen)


def _choice(profile: Profile, name: str, value: bool | int | str) -> int:
    for setting in profile.state.settings:
        if setting.name == name:
            for choice in setting.choices().values():
                plain = setting.plain(choice)
                if plain == value and type(plain) is type(value):
                    return choice
    raise ModelError(f"{profile.name} has no setting {name} with the choice {value!r}")


def question_key(profile: str, bounds: Mapping[str, int], settings: Mapping[str, Any], prop: str) -> str:
    """What is asked, in a line: `kafka-4.1 acked_never_lost acks=1 crashes=1 (replicas 3, log_size 2, values 2)`."""
    chosen = (f"{name}={value}" for name, value in settings.items())
    return " ".join((profile, prop, *chosen, f"({show_bounds(bounds)})"))


def search_from(values: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> RecordedSearch:
    """A search as a ledger has it, with what was found. Raises KeyError if nothing was, ModelError if it is not what is expected."""
    key = question_key(values["profile"], values["bounds"], values["settings"], values["property"])
    figures = found[key]
    if figures["verdict"] != values["verdict"]:
        raise ModelError(f"{key}: {figures['verdict']} was found, and {values['verdict']} is expected")
    steps = None if figures["steps"] is None else tuple(figures["steps"])
    return RecordedSearch(**{**values, **figures, "steps": steps, "confirmed_by": tuple(figures["confirmed_by"])})
