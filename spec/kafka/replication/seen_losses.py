"""The losses of the matrix with acks=all, and what searches found of each: the shortest run that brokers can be made to do.

docs/losses-on-brokers.md has them all; tools/losses_on_brokers.py searches for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from neverlost.model.core import Model
from neverlost.model.kafka.replication.state import ACKS_ALL as ALL
from neverlost.spec.families import profiles
from neverlost.spec.recorded_search import question_key

from .versions import replicating_like

RECORD = Path(__file__).with_name("losses_on_brokers.found.json")
LOSS = "acked_never_lost"
SAME, LONGER, GONE, NOT_FOUND = "same", "longer", "gone", "not found"
OF_PRODUCERS = ("idempotence", "pipelined", "retries")
"""What the record asks only with the versions' own values: a producer that sends each record once."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A loss with acks=all: the version, its settings, and the faults that happen at most."""

    version: str
    min_isr: int
    unclean: int
    faults: tuple[tuple[str, int], ...]

    @property
    def settings(self) -> dict[str, int]:
        """All that is other than the version's own."""
        return {"acks": ALL, "min_isr": self.min_isr, "unclean": self.unclean, **dict(self.faults)}

    @property
    def key(self) -> str:
        """What is asked, as the record has it."""
        return question_key(self.version, {}, self.settings, LOSS)

    def model(self) -> Model:
        """The model to search."""
        return profiles()[self.version].bounded(**self.settings)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The lengths of the version's shortest run and of the shortest that brokers can be made to do, and what became of the loss.

    `why` is what stands in the way of the version's own run.
    """

    wider: int
    outcome: str
    narrower: int | None
    why: str

    @property
    def text(self) -> str:
        """Both lengths: `11`, `11 → 13`, `11 → none`."""
        if self.narrower == self.wider:
            return str(self.wider)
        return f"{self.wider} → {'none' if self.outcome == GONE else self.narrower or '?'}"


@cache
def record() -> dict[str, Answered]:
    """What was found, by what was asked."""
    return {key: Answered(**values) for key, values in json.loads(RECORD.read_text(encoding="utf-8")).items()}


def faults_of(words: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Faults in the order of their names."""
    return tuple(sorted((name, count) for name, count in words.items() if count))


def recorded(model: Model) -> tuple[Answered, bool] | None:
    """What the record has of a model's loss; None if it was not asked. Whether the producer is the record's, too: it sends once."""
    profile, settings = model.profile, model.settings
    if settings["acks"] != ALL:
        return None
    faults = faults_of({fault.name: settings[fault.name] for fault in profile.state.faults})
    asked = Asked(
        version=replicating_like(profile).name,
        min_isr=settings["min_isr"],
        unclean=settings["unclean"],
        faults=faults,
    )
    found = record().get(asked.key)
    usual = profile.bounded(**asked.settings)
    differing = {name for name, value in usual.settings.items() if settings[name] != value}
    if found is None or model.bounds != usual.bounds or not differing <= {*OF_PRODUCERS}:
        return None
    return found, not differing
