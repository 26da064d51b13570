"""Stories whose steps are written down: what a search says of their property, and how far a version of the model takes the steps.

Families share this. What plays the steps, and what is then judged, is their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from neverlost.explorer.search import explore
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import Model, NeverlostError, Packed, Profile, Refused, Step, UnknownNameError
from neverlost.spec import profiles

from .releases import ClusterError, release_at

T = TypeVar("T")


class StoryError(NeverlostError):
    """A story has no run, or none on a release."""


class NotDoneError(ClusterError):
    """A step is not done: what runs does not lead there."""


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """A step of a story in the model: the state before it, and the one behind it, or why the model refuses it."""

    step: Step
    before: Packed
    after: Packed | None
    refusal: str = ""


@dataclass(frozen=True, kw_only=True)
class PlayedStep:
    """A step as it went on what runs: was it done, and what was said."""

    step: str
    done: bool
    said: str


@dataclass(frozen=True, kw_only=True)
class On:
    """What a story is played on, with which settings, in which steps, and on which releases. In a control its property holds."""

    where: str
    settings: dict[str, Any]
    steps: tuple[str, ...]
    releases: tuple[str, ...]
    control: bool


OnT = TypeVar("OnT", bound=On)


@dataclass(frozen=True, kw_only=True)
class PathStory(Generic[OnT]):
    """What happens: the property that it violates, within bounds, and what it is played on."""

    name: str
    about: str
    property: str
    bounds: dict[str, int]
    on: tuple[OnT, ...]


StoryT = TypeVar("StoryT", bound=PathStory[Any])


@dataclass(frozen=True, kw_only=True)
class PlannedPath(Generic[StoryT, OnT]):
    """A story on a release: what the search of its version found, and how far the version takes the steps."""

    story: StoryT
    on: OnT
    place: str
    judged: tuple[str, ...]
    """The properties that must show where the model shows them, and nowhere else."""
    version: str
    verdict: Verdict
    length: int | None
    """How many steps the shortest run has that decides it; None if it holds, or is never witnessed."""
    model: Model
    path: tuple[PathStep, ...]

    @property
    def expected(self) -> frozenset[str]:
        """What the model violates, or witnesses, along the steps."""
        taken = [(at.before, at.after) for at in self.path if at.after is not None]
        return frozenset(name for name in self.judged if self._shows(name, taken))

    def _shows(self, name: str, taken: Sequence[tuple[Packed, Packed]]) -> bool:
        prop = self.model.profile.property_named(name)
        if prop.over_steps:
            return any(not self.model.holds(prop, *both) for both in taken)
        return any(self.model.holds(prop, after) == prop.seeks for _, after in taken)

    @property
    def said(self) -> str:
        """What the search says of the property, in a few words."""
        if self.model.profile.property_named(self.story.property).seeks:
            return "never happens" if self.length is None else f"happens in {self.length} steps"
        return "holds" if self.length is None else f"violated in {self.length} steps"

    @property
    def done(self) -> int:
        """How many steps the model takes."""
        return sum(1 for at in self.path if at.after is not None)


@dataclass(frozen=True, kw_only=True)
class PlayedPath:
    """A run: its steps, and what was seen that does not hold, and when; and why it did not come to its end, if so."""

    steps: tuple[PlayedStep, ...]
    seen: dict[str, tuple[int, str]]
    trouble: str = ""

    @property
    def done(self) -> int:
        """How many steps were done."""
        return sum(1 for step in self.steps if step.done)


PlannedT = TypeVar("PlannedT", bound=PlannedPath[Any, Any])
PlayedT = TypeVar("PlayedT", bound=PlayedPath)


@dataclass(frozen=True, kw_only=True)
class PathRun(ABC, Generic[PlannedT, PlayedT]):
    """A story on a release, played several times."""

    planned: PlannedT
    runs: tuple[PlayedT, ...]

    @property
    def as_expected(self) -> bool:
        """Did every run do the steps that the model takes, no more, and show what it shows, nothing else?"""
        return all(self.is_as_expected(run) for run in self.runs)

    def is_as_expected(self, run: PlayedT) -> bool:
        """Did a run do so?"""
        shown = frozenset(run.seen) & frozenset(self.planned.judged)
        return not run.trouble and run.done == self.planned.done and shown == self.planned.expected

    @property
    def release(self) -> str:
        """What runs."""
        return str(release_at(self.planned.place))

    @property
    def outcome(self) -> str:
        """What came of it, in a few words."""
        return " / ".join(dict.fromkeys(self._in_words(run) for run in self.runs))

    def _in_words(self, run: PlayedT) -> str:
        if run.trouble:
            return run.trouble
        seen = (self.shown(run, name) for name in self.planned.judged if name in run.seen)
        return ", ".join([f"{run.done} of {len(self.planned.on.steps)} steps", *seen, *self.ends(run)])

    @abstractmethod
    def shown(self, run: PlayedT, name: str) -> str:
        """What was seen of a property, in a few words."""

    @abstractmethod
    def ends(self, run: PlayedT) -> list[str]:
        """What else there is to say of how a run ended."""

    @abstractmethod
    def ending(self, run: PlayedT) -> str:
        """How a run ended, in a sentence."""

    @abstractmethod
    def values(self, run: PlayedT) -> dict[str, Any]:
        """How a run ended, as values for programs."""


def steps_played(found: Iterable[PathRun[Any, Any]]) -> int:
    """How many steps were done."""
    return sum(run.done for one in found for run in one.runs)


def named(kind: str, known: Mapping[str, T], names: Sequence[str]) -> list[T]:
    """The stories of these names, all if none is given. Raises UnknownNameError."""
    for name in names:
        if name not in known:
            raise UnknownNameError(kind, name, known)
    return [story for name, story in known.items() if not names or name in names]


def placed(kind: str, wanted: Iterable[StoryT], places: Collection[str]) -> list[tuple[StoryT, Any, str]]:
    """Each story with each of what it is played on, on its releases, or on those of them that are wanted.

    Raises UnknownNameError and ClusterError for a release that cannot be run, StoryError if none of the stories is known of one.
    """
    chosen = list(wanted)
    for place in places:
        release_at(place)
        if not any(place in on.releases for story in chosen for on in story.on):
            raise StoryError(f"none of these stories of {kind} is played on {place}")
    return [
        (story, on, place)
        for story in chosen
        for on in story.on
        for place in on.releases
        if not places or place in places
    ]


def with_instead(steps: Iterable[str], instead: Mapping[str, str]) -> tuple[str, ...]:
    """The steps of a story with what takes their place; nothing does where that is empty."""
    return tuple(found for step in steps if (found := instead.get(step, step)))


def searched(
    name: str,
    version: str,
    property_: str,
    bounds: Mapping[str, int],
    settings: Mapping[str, Any],
    *,
    symmetry: bool,
) -> tuple[Model, Verdict, int | None]:
    """The model of a version, what its search says of a property, and how long the shortest run is that decides it.

    Raises StoryError if the search does not decide it.
    """
    profile: Profile = profiles()[version]
    model = profile.bounded(**profile.read(bounds, settings))
    finding = explore(model, properties=[property_], symmetry=symmetry).findings[property_]
    if finding.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        raise StoryError(f"{name}: the search of {version} does not decide {property_}: {finding.verdict}")
    return model, finding.verdict, None if finding.trace is None else len(finding.trace.steps)


def path_along(model: Model, steps: Sequence[str]) -> tuple[PathStep, ...]:
    """The steps of a story in a version of the model, up to the first that it refuses, which is the last of them."""
    found: list[PathStep] = []
    state = model.initial_states()[0]
    for text in steps:
        step = model.parse_step(text)
        try:
            after = model.apply(state, step)
        except Refused:
            refused = PathStep(step=step, before=state, after=None, refusal=str(model.refusal(state, step)))
            return (*found, refused)
        found.append(PathStep(step=step, before=state, after=after))
        state = after
    return tuple(found)
