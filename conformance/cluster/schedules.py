"""What real brokers do between two steps of the model: schedules that are written down, each with its outcome on a release."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from neverlost.model.core import UnknownNameError

Logs = Mapping[str, Mapping[int, tuple[str, ...]]]
"""By partition and broker: the values in the log."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What comes of a schedule: how each produce request was answered, what is in every log in the end, what consumers read."""

    answers: Mapping[str, str]
    logs: Logs
    reads: tuple[tuple[str, ...], ...] = ()

    @property
    def lost(self) -> tuple[str, ...]:
        """The values that were acknowledged and are in no log."""
        there = {value for logs in self.logs.values() for log in logs.values() for value in log}
        return tuple(
            value for value, answer in self.answers.items() if answer.startswith(ACKNOWLEDGED) and value not in there
        )

    @property
    def diverged(self) -> tuple[str, ...]:
        """The partitions whose logs differ at an offset."""
        return tuple(
            partition
            for partition, logs in self.logs.items()
            if any(len(set(row)) > 1 for row in zip(*logs.values(), strict=False))
        )

    @property
    def in_words(self) -> str:
        """What came of it, in a few words."""
        words = [f"lost: {', '.join(self.lost)}"] if self.lost else []
        words += [f"logs differ: {', '.join(self.diverged)}"] if self.diverged else []
        acknowledged = any(answer.startswith(ACKNOWLEDGED) for answer in self.answers.values())
        return "; ".join(words) or ("kept" if acknowledged else "nothing acknowledged")


ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A topic that a schedule needs: the replicas of each partition, the preferred leader first."""

    partitions: tuple[tuple[int, ...], ...]
    min_isr: int


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Steps on a cluster of its own, and what comes of them on each release; `control_of` names what it is the control of."""

    name: str
    about: str
    topics: Mapping[str, Topic]
    steps: tuple[str, ...]
    outcomes: Mapping[str, Outcome]
    directories: int = 1
    debugged: tuple[int, ...] = ()
    control_of: str | None = None

    @property
    def commands(self) -> tuple[tuple[str, list[str], dict[str, str]], ...]:
        """Each step: its command, its arguments, and its options."""
        return tuple(map(read_step, self.steps))


def read_step(step: str) -> tuple[str, list[str], dict[str, str]]:
    """A step `command argument option=value`."""
    command, *words = shlex.split(step)
    options = dict(word.split("=", 1) for word in words if "=" in word)
    return command, [word for word in words if "=" not in word], options


def _outcomes(rows: Sequence[Mapping[str, Any]]) -> dict[str, Outcome]:
    return {
        place: Outcome(
            answers=row["answers"],
            logs={
                partition: {int(broker.removeprefix("r")): tuple(log) for broker, log in logs.items()}
                for partition, logs in row["logs"].items()
            },
            reads=tuple(map(tuple, row.get("reads", ()))),
        )
        for row in rows
        for place in row["releases"]
    }


@cache
def _all() -> dict[str, Schedule]:
    rows = tomllib.loads((files(__package__) / "schedules.toml").read_text(encoding="utf-8"))
    return {
        name: Schedule(
            name=name,
            about=row["about"],
            topics={
                topic: Topic(partitions=tuple(map(tuple, shape["partitions"])), min_isr=shape["min_isr"])
                for topic, shape in row["topics"].items()
            },
            steps=tuple(row["steps"]),
            outcomes=_outcomes(row["outcomes"]),
            directories=row.get("directories", 1),
            debugged=tuple(row.get("debugged", ())),
            control_of=row.get("control_of"),
        )
        for name, row in rows.items()
    }


def schedules(names: Sequence[str] = ()) -> list[Schedule]:
    """The schedules of these names, all if none is given. Raises UnknownNameError."""
    known = _all()
    for name in names:
        if name not in known:
            raise UnknownNameError("schedule", name, known)
    return [schedule for name, schedule in known.items() if not names or name in names]
