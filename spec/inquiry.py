"""What a protocol family asks of files in a section of its own of an audit: of a client, of a group, of the controllers.

Replication asks about topics with their brokers and programs (`exposure`). Other families ask about something else, and their faults
are their own: the loss of a controller's disk is not the loss of a broker's. Each fault belongs to the family whose budget it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import ClassVar, TypeVar

from neverlost.model.core import Budget, Model

from .configuration import ConfigurationFile, Notice
from .configuration.version_choice import ChosenVersion
from .exposure import Danger
from .faults import Faults
from .kafka.releases import span_of

RELEASE = "release"
"""The way that says which release the brokers are of."""
Counts = Mapping[str, int]
"""How many times something may happen in a run, by the name of the budget."""
Named = tuple[str, Faults]
"""Faults to survive together in a run, under the name of an event or their own."""


REPLACED = "a coordinator that was replaced, perhaps while it read its log, answers nobody any more"
"""What sections rest on that ask about a coordinator: the models replace it in one step."""


def no_several_faults(topic: str) -> str:
    """What sections rest on whose log is a topic: single faults of its brokers are asked about, and no others."""
    return f"{topic} loses no record by several faults together, such as a rolling restart"


@dataclass(frozen=True, kw_only=True)
class OpenPoint:
    """What files leave open: `ways` are the answers, as `--assume NAME=WAY` takes them, each in words, the usual one first.

    `of_people`: no file could say it, because a program or an operator does it. The usual way is then what documentation says.
    """

    name: str
    about: str
    ways: Mapping[str, str]
    of_people: bool = False


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A question: can the danger happen in this model? `with_what` is what else happens in a run, in words.

    `usual`: it should be survived. `given` are questions about what makes it possible: it counts as usual only if one of these happens.
    `several`: it is asked because topics should survive several faults.
    """

    danger: Danger
    model: Model
    counts: Counts
    with_what: str
    usual: bool
    given: tuple[Ask, ...] = ()
    several: bool = False

    def within(self, other: Ask) -> bool:
        """Is it about the same danger, with at most the other's faults?"""
        if self.danger != other.danger:
            return False
        return all(count <= other.counts.get(name, 0) for name, count in self.counts.items())


@dataclass(frozen=True, kw_only=True)
class Case(ABC):
    """One reading of the files: what the family's model makes of them. `faults` are the family's.

    `ways` are those of the open points, by name. `release` is that of the brokers. `stands_for` has every release that comes to the
    same model, `release` too, each with the last one after it that behaves as it does. `survived` is what topics should survive.
    """

    faults: ClassVar[tuple[Budget, ...]]
    ways: Mapping[str, str]
    release: str
    stands_for: Mapping[str, str]
    survived: tuple[Named, ...] = ()

    @property
    def releases(self) -> list[str]:
        """Every release of brokers that the case stands for."""
        return [release for span in self.stands_for.items() for release in span_of(*span)]

    @property
    def ways_by_release(self) -> list[Mapping[str, str]]:
        """The ways of each release that the case stands for."""
        if RELEASE not in self.ways:
            return [self.ways]
        return [{**self.ways, RELEASE: release} for release in self.stands_for]

    @property
    @abstractmethod
    def says(self) -> str:
        """What decides, and why it is so, as a sentence."""

    @property
    @abstractmethod
    def asks(self) -> Sequence[Ask]:
        """What is asked, what counts first before what is beyond."""

    @abstractmethod
    def model(self, counts: Counts) -> Model:
        """What the family's model is of the files, with these faults."""

    def ask(self, danger: Danger, counts: Counts, *, usual: bool) -> Ask:
        """Can the danger happen with these faults?"""
        return Ask(
            danger=danger,
            model=self.model(counts),
            counts=counts,
            with_what=words_of(self.faults, counts),
            usual=usual,
        )

    @property
    def searched(self) -> str:
        """Which model, within which bounds."""
        return bounds_of(self.model({}))

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the files have and the model does not, a clause each: what holds in the model is then open."""
        return ()

    @property
    def several(self) -> tuple[str, ...]:
        """The names of what is several faults of the brokers that have the coordinator's log."""
        return ()

    @property
    def left_open(self) -> str:
        """Why it is open whether what holds does so with `several` too, as a clause; empty if nothing is."""
        return ""

    @property
    def assumed_of_log(self) -> tuple[str, ...]:
        """What it rests on that the coordinator's log keeps what it has acknowledged; empty if that decides nothing."""
        return ()

    @abstractmethod
    def remedies(self) -> Sequence[Remedy]:
        """Changes that may help, cheap ones first."""


OwnCase = TypeVar("OwnCase", bound=Case)


def add_case(found: dict[object, OwnCase], key: object, case: OwnCase) -> None:
    """Put a case with those that were found. Of cases with one key the first stays, and stands for the releases of all."""
    known = found.get(key)
    found[key] = case if known is None else replace(known, stands_for={**known.stands_for, **case.stands_for})


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A change, in words, and the case after it. `place` is where a file sets it now."""

    words: str
    case: Case
    place: tuple[str, int | None] | None = None


@dataclass(frozen=True, kw_only=True)
class Read:
    """What was read: the files, the releases that they may be of, newest first, and what was said of what they leave open.

    `tolerances` are the faults of each family that are to be survived together, where the user said so. `survived` are those of topics.
    """

    files: Sequence[ConfigurationFile]
    versions: Sequence[ChosenVersion]
    said: Mapping[str, str] = field(default_factory=dict)
    tolerances: Mapping[str, Counts] = field(default_factory=dict)
    survived: tuple[Named, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What a section is about, and each case that the files may mean, the usual one first. `about` is what it is called.

    `doubts` are what could change the verdict, and no case has. `place` is where the files say what leads to it. `client` is the path
    of the client's file, with its name there; None for what each cluster has one of.
    """

    about: str
    cases: tuple[Case, ...]
    place: tuple[str, int | None]
    doubts: tuple[Notice, ...] = ()
    client: tuple[str, str | None] | None = None


class Inquiry(ABC):
    """What a family has an audit ask in a section of its own.

    `title` heads the section. `points` are what files may leave open, beside the release. `answers` are the names of what an audit of
    topics calls unchecked, and this checks. `not_asked` says what would lead to the question. `assumes` is what every verdict rests on.
    `topic` is the one of the cluster's own that has the log of what is asked about. `of_consumers`: each consumer's file leads to it.
    """

    family: ClassVar[str]
    title: ClassVar[str]
    dangers: ClassVar[tuple[Danger, ...]]
    faults: ClassVar[tuple[Budget, ...]]
    points: ClassVar[tuple[OpenPoint, ...]]
    answers: ClassVar[frozenset[str]] = frozenset()
    not_asked: ClassVar[str]
    assumes: ClassVar[tuple[str, ...]]
    topic: ClassVar[str] = ""
    of_consumers: ClassVar[bool] = False

    def assumed_of(self, case: Case) -> Sequence[str]:
        """What a verdict on a case rests on, beside what the ledger says of its releases.

        That several faults of the brokers take nothing from its log is assumed only if they are not asked about.
        """
        of_several = (no_several_faults(self.topic),) if self.topic and not case.several else ()
        return (*self.rests_on(case), *of_several, *case.assumed_of_log)

    def rests_on(self, case: Case) -> Sequence[str]:
        """What every verdict on a case rests on."""
        return self.assumes

    def why_not_asked(self, read: Read) -> str:
        """What is missing in files that lead to no question."""
        return self.not_asked

    @abstractmethod
    def subjects(self, read: Read) -> Sequence[Subject]:
        """What the files lead to; nothing if they lead to none of it. Raises ConfigurationError for values that Kafka refuses."""


def words_of(faults: Iterable[Budget], counts: Counts) -> str:
    """`1 held-up request + 2 transaction timeouts`; `no fault`."""
    return " + ".join(fault.words(counts[fault.name]) for fault in faults if counts.get(fault.name)) or "no fault"


def bounds_of(model: Model) -> str:
    """`kafka-quorum-4.0 with controllers 3, epochs 2, log size 4`."""
    bounds = ", ".join(f"{name.replace('_', ' ')} {size}" for name, size in model.bounds.items() if size)
    return f"{model.profile.name} with {bounds}"


def all_within(largest: Counts) -> list[Counts]:
    """Every number of faults within these, fewer ones first."""
    ranges = [range(count + 1) for count in largest.values()]
    found = [{n: c for n, c in zip(largest, counts, strict=True) if c} for counts in product(*ranges)]
    return sorted(found, key=lambda counts: sum(counts.values()))
