"""Profiles and models: a protocol without bounds, and a finite model of it that can be explored."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, cached_property, partial
from math import prod
from types import FunctionType
from typing import Any

from .actions import Action, Refused, Step, parse_step
from .domains import MAX_MEMBERS, Index
from .errors import BoundsError, ModelError, UnknownNameError, WrittenError
from .guards import Guard, guard_of, place_of
from .language import check_function
from .lemmas import Lemma
from .lowering import lowered
from .message import is_kind
from .packing import WORD_BITS, Layout, Packed, words_needed
from .parameters import hints_of
from .picture import PLACEHOLDER, Arrow, Picture
from .properties import Property
from .reading import domains_of, trees_of
from .state import Budget, Messages, Setting, State
from .tree import written_by

MAX_WORDS = 16
"""Packed states wider than this are refused: a search over them would not fit a machine."""

MAX_STEPS = 4096
"""More steps than this (actions times parameters) are refused."""

MAX_FOLLOWED = 1_000_000
"""More elements and steps than this are refused even for following single runs: their layout takes a GiB and half a minute."""

MAX_BOUND = 1 << 20


@dataclass(frozen=True, kw_only=True, repr=False)
class Profile:
    """A protocol version: a state schema, its initial states, actions and properties, without bounds.

    `properties` are asserted: they decide the verdict of a check. `probes` are also decided and reported, but do not
    change the verdict: published statements that are known to be false, and witnesses that need larger
    bounds. Properties `on_request` are decided only if they are named, because they cost more.
    `lemmas` are for proofs of the properties, and `assumptions` are what the lemmas assume about the settings.
    `settings` are the values of the state's settings where they are not the lowest. `picture` says how runs are drawn. `family`
    names the protocol that it is a profile of, for the studies that go over all of them. `proviso` is a clause that every verdict
    assumes: "no exchange is delayed". `unfit` says why bounds do not go together; an empty text if they do. `lacks` has, for a
    setting, the choices that this version does not know, each with the reason. `clash` says why settings do not go with the bounds.
    Building a profile refuses functions outside Model
    Python (LanguageError).
    """

    name: str
    statement: str
    state: type[State]
    initial: Callable[..., None]
    actions: tuple[Action, ...]
    properties: tuple[Property, ...]
    probes: tuple[Property, ...] = ()
    on_request: tuple[Property, ...] = ()
    lemmas: tuple[Lemma, ...] = ()
    assumptions: tuple[Lemma, ...] = ()
    default_bounds: Mapping[str, int]
    settings: Mapping[str, int] = field(default_factory=dict)
    notes: str = ""
    picture: Picture | None = None
    family: str = ""
    proviso: str = ""
    unfit: Callable[[Mapping[str, int]], str] | None = None
    lacks: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    clash: Callable[[Mapping[str, int], Mapping[str, int]], str] | None = None

    def __post_init__(self) -> None:
        for part, kind in PARTS.items():
            several = getattr(self, part)
            if isinstance(several, list):
                object.__setattr__(self, part, tuple(several))
            _ensure_kind(self.name, part, getattr(self, part), kind)
        if self._has_messages:
            self._lower()
        check_function(self.initial, self.state, "effect")
        for action in self.actions:
            check_function(action.function, self.state, "effect")
        for prop in self.all_properties:
            for function in (*prop.functions, *([prop.harmless.function] if prop.harmless else [])):
                check_function(function, self.state, "value")
            for name in (*prop.weak, *prop.strong):
                if name not in (known := [a.name for a in self.actions]):
                    raise UnknownNameError(f"action of {self.name}, which {prop.name} calls fair,", name, known)
        for lemma in (*self.lemmas, *self.assumptions):
            check_function(lemma.function, self.state, "value")
        names = [a.name for a in self.actions] + [p.name for p in self.all_properties] + [x.name for x in self.lemmas]
        for name, count in Counter(names).items():
            if count > 1:
                raise ModelError(f"profile {self.name} has two things named {name!r}")
        for name, value in self.settings.items():
            self._refuse_setting(name, value)
        for index in self.domains:
            if not index.base().bound and not index.base().more:
                named = index.base().__name__
                raise ModelError(
                    f"profile {self.name} uses {named}, which has no members; give it a bound, as in"
                    f' `class {named}(Index, bound="...")`, or a fixed number of `members`, or `names`'
                )
        missing = [name for name in self.bound_names if name not in self.default_bounds]
        if missing:
            raise ModelError(f"profile {self.name} has no default for {', '.join(missing)}; add it to default_bounds")
        for action in self.actions:
            for message in action.messages:
                self._ensure_drawable(action, message)

    @property
    def _has_messages(self) -> bool:
        """Whether the state holds messages, or a parameter is one."""
        functions: list[Callable[..., object]] = [action.function for action in self.actions]
        functions += [lemma.function for lemma in (*self.lemmas, *self.assumptions)]
        return any(isinstance(declared, Messages) for declared in self.state.fields) or any(
            map(_takes_messages, functions)
        )

    def _lower(self) -> None:
        """Put functions without messages in place of those with them."""
        found: dict[str, object] = {"initial": lowered(self.initial)}
        found["actions"] = tuple(replace(action, function=lowered(action.function)) for action in self.actions)
        for part in ("properties", "probes", "on_request"):
            found[part] = tuple(map(_lowered_property, getattr(self, part)))
        for part in ("lemmas", "assumptions"):
            found[part] = tuple(map(lowered_lemma, getattr(self, part)))
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def replacing(self, name: str, statement: str, /, **changes: Any) -> Profile:
        """This profile under another name, with some actions replaced (by their names here; None removes one).

        A keyword that is a field of Profile (`probes=...`) replaces that field instead.
        Raises UnknownNameError for an action that the profile does not have.
        """
        known = {a.name: a for a in self.actions}
        own = {key: changes.pop(key) for key in list(changes) if key in Profile.__dataclass_fields__}
        for old in changes:
            if old not in known:
                raise UnknownNameError(f"action of {self.name}", old, known)
        actions = tuple(changes.get(a.name, a) for a in self.actions)
        kept = tuple(a for a in actions if a is not None)
        return replace(self, **{"name": name, "statement": statement, "actions": kept, **own})

    def switched(self, name: str, statement: str, /, **settings: int) -> Profile:
        """This profile under another name, with some settings changed. Raises BoundsError for an impossible one."""
        return replace(self, name=name, statement=statement, settings={**self.settings, **settings})

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The settings that only bound what may happen in a run: of faults, and of what clients do only so often."""
        return self.state.budgets

    @cached_property
    def counters(self) -> frozenset[str]:
        """The fields that say how many times something may still happen: no rule of the system reads them."""
        return frozenset(budget.counter for budget in self.budgets)

    def _ensure_drawable(self, action: Action, message: Arrow) -> None:
        """Raises ModelError for a message between lanes that there are not, or that carries what there is not."""
        parameters, fields = dict(action.parameters), {field.name: field for field in self.state.fields}
        sends = (
            f"{action.name} of {self.name} sends {message.carries!r} from {message.sender!r} to {message.receiver!r}"
        )
        lanes = [*parameters, *self.state.owners, *(self.picture.lanes if self.picture else ())]
        for end in (message.sender, message.receiver):
            if end not in lanes and not any(_is_member(end, index) for index in self.domains):
                raise ModelError(f"{sends}, and {end!r} is neither a parameter nor a lane; known: {', '.join(lanes)}")
        if message.lost_by and message.lost_by not in parameters:
            raise ModelError(
                f"{sends}, lost by {message.lost_by!r}, which is no parameter; known: {', '.join(parameters)}"
            )
        for found in PLACEHOLDER.finditer(message.carries):
            name, of = found.groups()
            indexes = len(fields[name].indexes) if name in fields else -1
            if not (of is None and (name in parameters or indexes == 0)) and not (of in parameters and indexes == 1):
                raise ModelError(
                    f"{sends}, and {found[0]} is neither a parameter nor a field with its parameters:"
                    " write {value}, {field}, or {field[parameter]} for a field with one index"
                )

    @cached_property
    def _spent(self) -> frozenset[str]:
        """The fields that some action writes."""
        parts = (part for tree in trees_of([action.function for action in self.actions]) for part in tree.parts)
        return frozenset(written.field for part in parts if (written := written_by(part)) is not None)

    @property
    def default_settings(self) -> dict[str, int]:
        """The default value of every setting."""
        return {s.name: self.settings.get(s.name, s.domain.low) for s in self.state.settings}

    def not_its_own(self, settings: Mapping[str, int]) -> list[tuple[Setting, int]]:
        """The settings that differ from the profile's own, with their values."""
        own = self.default_settings
        return [(s, settings[s.name]) for s in self.state.settings if settings[s.name] != own[s.name]]

    def in_words(self, settings: Mapping[str, int]) -> str:
        """The settings that differ from the profile's own, as `model` takes them: `acks="1", crashes=1`; empty if none does."""
        plain = ((s.name, s.plain(value)) for s, value in self.not_its_own(settings))
        return ", ".join(f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in plain)

    def has_no_faults(self, settings: Mapping[str, int], bounds: Mapping[str, int] | None) -> bool:
        """Whether the profile has faults, and none may happen. `bounds` is None if they may be any."""
        faults = self.faults_at_most(settings, bounds)
        return bool(faults) and not any(faults)

    def faults_at_most(self, settings: Mapping[str, int], bounds: Mapping[str, int] | None) -> list[int]:
        """How many times each fault may happen; at least once where `bounds` is None, so that they may be any."""
        counted = [settings[fault.name] for fault in self.state.faults]
        return counted + [1 if bounds is None else bounds[index.bound] for index in self.domains if index.whose]

    def read(self, bounds: Mapping[str, object], settings: Mapping[str, object]) -> dict[str, int]:
        """Bounds and settings from a file or a user, for `bounded`.

        Raises WrittenError for a bound that is not a whole number, an unknown setting, and a value that a setting cannot have.
        """
        values: dict[str, int] = {}
        for name, number in bounds.items():
            if not isinstance(number, int) or isinstance(number, bool):
                raise WrittenError(f"bounds.{name}", f"is {number!r:.60}, not a whole number")
            values[name] = number
        for name, written in settings.items():
            values[name] = self._setting_read(name, partial(Setting.read, written=written))
        return values

    def _setting_read(self, name: str, read: Callable[[Setting], int]) -> int:
        known = {s.name: s for s in self.state.settings}
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise WrittenError(f"settings.{name}", f"is not a setting of {self.name}{hint}")
        try:
            return read(known[name])
        except BoundsError as error:
            raise WrittenError(f"settings.{name}", str(error)) from error

    def __repr__(self) -> str:
        return f"<Profile {self.name}: {self.statement}>"

    def model(self, **words: bool | int | str) -> Model:
        """The model with bounds and settings in words: `acks="all", min_isr=2, log_size=3`; the others have their defaults.

        What turns a setting off may be given by its own word, as on the command line: `clean=True` is `unclean=False`.

        Raises BoundsError as `bounded` does, WrittenError for a value that a setting cannot have, UnknownNameError for any other name.
        """
        return self.bounded(**self.meant(words))

    def meant(self, words: Mapping[str, bool | int | str]) -> dict[str, int]:
        """The bounds and settings that words mean, for `bounded`. Raises as `model` does, but for bounds that do not go together."""
        settings = {s.name: s for s in self.state.settings}
        off = {s.off: s.name for s in self.state.settings if s.off}
        values: dict[str, int] = {}
        for name, word in words.items():
            if name in off:
                if off[name] in words:
                    raise BoundsError(f"{name} is the opposite of {off[name]}; give one of them")
                values[off[name]] = 1 - self._setting_read(off[name], partial(Setting.read_word, written=word))
            elif name in settings:
                values[name] = self._setting_read(name, partial(Setting.read_word, written=word))
            elif name in self.bound_names:
                values |= self.read({name: word}, {})
            else:
                raise UnknownNameError(f"bound or setting of {self.name}", name, [*self.bound_names, *settings, *off])
        return values

    def _refuse_setting(self, name: str, value: object) -> None:
        known = {s.name: s for s in self.state.settings}
        if name not in known:
            raise UnknownNameError(f"setting of {self.name}", name, known)
        choices = known[name].choices()
        if not isinstance(value, int) or value not in choices.values():
            raise BoundsError(f"{name} is {value!r}; it must be one of {', '.join(choices)}")
        reason = self.lacks.get(name, {}).get(value)
        if reason:
            raise BoundsError(f"{self.name} has no {name} {known[name].show(value)}: {reason}")

    def adding(self, *actions: Action) -> Profile:
        """This profile with more actions."""
        return replace(self, actions=(*self.actions, *actions))

    @cached_property
    def domains(self) -> tuple[type[Index], ...]:
        """The index domains that the state, the actions and the bodies of all functions use, in order of appearance."""
        used: list[type[Index]] = []
        for declared in self.state.fields:
            used += declared.indexes
            used += [declared.domain.index] if declared.domain.index else []
        for action in self.actions:
            used += [index for _, index in action.parameters]
        for lemma in self.lemmas:
            used += [index for _, index in lemma.parameters]
        functions: list[Callable[..., Any]] = [self.initial, *(a.function for a in self.actions)]
        functions += [function for p in self.all_properties for function in p.functions]
        functions += [lemma.function for lemma in self.lemmas]
        for function in functions:
            used += domains_of(function)
        return tuple(dict.fromkeys(used))

    @cached_property
    def bound_names(self) -> tuple[str, ...]:
        """The bounds that the domains depend on, in order of appearance."""
        return tuple(dict.fromkeys(index.base().bound for index in self.domains if index.base().bound))

    @cached_property
    def optional_bounds(self) -> dict[str, str]:
        """The bounds that may be 0, and what a verdict then assumes, as a clause or empty."""
        return {index.base().bound: index.base().absent for index in self.domains if index.base().optional}

    @cached_property
    def bounds_on_request(self) -> frozenset[str]:
        """The optional bounds that are 0 unless somebody says otherwise."""
        return frozenset(index.base().bound for index in self.domains if index.base().on_request)

    @property
    def all_properties(self) -> tuple[Property, ...]:
        """The asserted properties, then the probes, then those on request."""
        return (*self.properties, *self.probes, *self.on_request)

    @property
    def about_bounds(self) -> tuple[Property, ...]:
        """The properties that are false where the bounds leave too little of something."""
        return tuple(prop for prop in self.all_properties if prop.runs_out is not None)

    def property_named(self, name: str) -> Property:
        """The property of that name, asserted or not. Raises UnknownNameError."""
        known = {p.name: p for p in self.all_properties}
        if name not in known:
            raise UnknownNameError(f"property of {self.name}", name, known)
        return known[name]

    def bounded(self, **bounds: int) -> Model:
        """The model within `bounds`, which may name settings too; the others have the profile's defaults.

        Raises BoundsError for an unknown bound, one below 1, bounds that do not go together, a setting out of its choices, or a state
        too wide to explore.
        """
        chosen, settings = self._chosen(bounds)
        self._refuse_clash(chosen, settings)
        self._ensure_spendable(settings)
        self._refuse(_unfit, chosen, "would do")
        if (sizes := tuple(chosen.values())) not in self._known_to_fit:
            self._refuse(_too_large, chosen, "would fit the packed state")
            self._known_to_fit.add(sizes)
        return Model(self, chosen, settings)

    @cached_property
    def _known_to_fit(self) -> set[tuple[int, ...]]:
        """Bounds that have been found to be not too large, in the order of their names: studies ask for the same ones very often."""
        return set()

    @cached_property
    def _known_choices(self) -> set[tuple[str, int]]:
        """Settings that have been found to be possible, with their values."""
        return set()

    def _refuse_clash(self, chosen: Mapping[str, int], settings: Mapping[str, int]) -> None:
        """Raises BoundsError if settings do not go with the bounds."""
        problem = self.clash(chosen, settings) if self.clash else ""
        if problem:
            raise BoundsError(f"{self.name} {problem}")

    def _ensure_spendable(self, settings: Mapping[str, int]) -> None:
        """Raises BoundsError for a budget that no action can spend: a search would say nothing about it."""
        for budget in self.budgets:
            if settings[budget.name] > 0 and budget.counter not in self._spent:
                raise BoundsError(
                    f"{budget.name} is {settings[budget.name]}, but no action of {self.name} counts {budget.counter} down;"
                    f" is an action missing in its `actions`?"
                )

    def bounded_to_follow(self, **bounds: int) -> Model:
        """The same for following single runs with the interpreter: it may be too wide to explore.

        Raises BoundsError for an unknown bound, one below 1, bounds that do not go together, more members than a set takes, a setting
        out of its choices, or a state too large even so.
        """
        chosen, settings = self._chosen(bounds)
        self._refuse_clash(chosen, settings)
        self._refuse(_unfit, chosen, "would do")
        self._refuse(_too_large_to_follow, chosen, "would do")
        return Model(self, chosen, settings)

    def _refuse(self, problem_of: Problem, chosen: Mapping[str, int], is_possible: str) -> None:
        """Raises BoundsError if there is a problem with bounds; says which value of each bound alone is possible."""
        problem = problem_of(self, chosen)
        if problem:
            fits = {name: _largest_fitting(problem_of, self, chosen, name) for name in chosen}
            advice = [f"{name} {fit}" for name, fit in fits.items() if fit is not None]
            hint = f"Lower one bound: {' or '.join(advice)} {is_possible}." if advice else "Lower several bounds."
            raise BoundsError(f"{self.name} with {show_bounds(chosen)} {problem}. {hint}")

    def _chosen(self, bounds: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
        """The value of every bound and of every setting."""
        settings, given = self.default_settings, dict(bounds)
        for name in [name for name in given if name in settings]:
            value = given.pop(name)
            if type(value) is not int or (name, value) not in self._known_choices:
                self._refuse_setting(name, value)
                self._known_choices.add((name, int(value)))
            settings[name] = int(value)
        for name, value in given.items():
            if name not in self.bound_names:
                known = ", ".join(self.bound_names)
                also = f", its settings {', '.join(settings)}" if settings else ""
                raise BoundsError(f"{self.name} has no bound {name!r}; its bounds are {known}{also}")
            least = 0 if name in self.optional_bounds else 1
            if not isinstance(value, int) or not least <= value <= MAX_BOUND:
                raise BoundsError(f"{name} is {value!r}; it must be at least {least} and at most {MAX_BOUND}")
        return {name: given.get(name, self.default_bounds[name]) for name in self.bound_names}, settings


def _lowered_property(prop: Property) -> Property:
    """The property without messages."""
    return replace(
        prop,
        function=lowered(prop.function),
        after=None if prop.after is None else lowered(prop.after),
        harmless=prop.harmless and replace(prop.harmless, function=lowered(prop.harmless.function)),
    )


def lowered_lemma(lemma: Lemma) -> Lemma:
    """The lemma without messages."""
    return replace(lemma, function=lowered(lemma.function))


PARTS: Mapping[str, type[Action] | type[Property] | type[Lemma]] = {
    "actions": Action,
    "properties": Property,
    "probes": Property,
    "on_request": Property,
    "lemmas": Lemma,
    "assumptions": Lemma,
}
"""The parts of a profile that are several, and what each of them is."""


def _is_member(name: str, index: type[Index]) -> bool:
    """Is it the name of a member that a domain may have?"""
    return name in index.names or (bool(index.prefix) and name.removeprefix(index.prefix).isdigit())


def _ensure_kind(profile: str, part: str, several: object, kind: type) -> None:
    """Raises ModelError for a part of a profile that is not several things, or holds something of another kind."""
    if not isinstance(several, tuple):
        raise ModelError(
            f"{part} of profile {profile} is {_called(several)}; write a tuple, also of one: {part}=(name,)"
        )
    for one in several:
        if not isinstance(one, kind):
            raise ModelError(f"{part} of profile {profile} has {_called(one)}, which is no {kind.__name__.lower()}")


def _called(given: object) -> str:
    """What something is, in words: `the lemma held`, `the function held, without a decorator`."""
    if isinstance(given, Action | Property | Lemma):
        return f"the {type(given).__name__.lower()} {given.name}"
    if isinstance(given, FunctionType):
        return f"the function {given.__name__}, without a decorator"
    return f"{given!r:.60}"


Problem = Callable[[Profile, Mapping[str, int]], str]
"""The problem of a profile within bounds; an empty text if there is none."""


def show_bounds(bounds: Mapping[str, int]) -> str:
    """`replicas 3, log_size 2`; bounds of 0 are left out, as what they count does not exist then."""
    return ", ".join(f"{name} {value}" for name, value in bounds.items() if value)


def _unfit(profile: Profile, bounds: Mapping[str, int]) -> str:
    """Why the bounds do not go together, or an empty text."""
    return profile.unfit(bounds) if profile.unfit else ""


def _too_large(profile: Profile, bounds: Mapping[str, int]) -> str:
    """Why the model would be too large, or an empty text."""
    problem = _too_many_members(profile, bounds)
    if problem:
        return problem
    bits = 0
    for declared in profile.state.fields:
        bits += prod(declared.shape(bounds)) * max(1, (declared.domain.size(bounds) - 1).bit_length())
    if bits > MAX_WORDS * WORD_BITS:
        return f"needs {bits} bits a state; the limit is {MAX_WORDS} words of {WORD_BITS} bits"
    words = words_needed(profile.state, bounds)
    if words > MAX_WORDS:
        return f"needs {words} words a state; the limit is {MAX_WORDS} of {WORD_BITS} bits"
    steps = _steps(profile, bounds)
    if steps > MAX_STEPS:
        return f"has {steps} steps to try in every state; the limit is {MAX_STEPS}"
    return ""


def _too_large_to_follow(profile: Profile, bounds: Mapping[str, int]) -> str:
    """Why single runs of the model could not be followed either, or an empty text."""
    problem = _too_many_members(profile, bounds)
    if problem:
        return problem
    needed = sum(prod(declared.shape(bounds)) for declared in profile.state.fields) + _steps(profile, bounds)
    if needed > MAX_FOLLOWED:
        return f"has {needed:,} elements of the state and steps; the limit is {MAX_FOLLOWED:,}"
    return ""


def _steps(profile: Profile, bounds: Mapping[str, int]) -> int:
    """How many steps must be tried in a state."""
    return sum(prod(index.size(bounds) for _, index in a.parameters) for a in profile.actions)


def _too_many_members(profile: Profile, bounds: Mapping[str, int]) -> str:
    """Whether a set would have more members than fit a word, or an empty text."""
    for index in profile.domains:
        if index.base() is not index and index.base().size(bounds) > MAX_MEMBERS:
            return f"has sets of {index.base().size(bounds)} members; the limit is {MAX_MEMBERS}"
    return ""


def _largest_fitting(problem_of: Problem, profile: Profile, bounds: Mapping[str, int], name: str) -> int | None:
    """The largest value of one bound, the others kept, at which the model fits; None if none does, or if it is 0 already."""
    low, high = 0, bounds[name]
    while low < high:
        middle = (low + high + 1) // 2
        if problem_of(profile, {**bounds, name: middle}):
            high = middle - 1
        else:
            low = middle
    if low:
        return low
    may_be_none = bounds[name] and name in profile.optional_bounds
    return 0 if may_be_none and not problem_of(profile, {**bounds, name: 0}) else None


@cache
def _takes_messages(function: Callable[..., object]) -> bool:
    """Whether a parameter is a message."""
    return any(is_kind(hint) for hint in hints_of(function).values())


class _Scratch(threading.local):
    """Two states to work on, separate for each thread: several threads may use a model at once."""

    def __init__(self, layout: Layout) -> None:
        self.states = layout.blank(), layout.blank()


class Model:
    """A profile within bounds, its settings chosen: finite, explorable.

    This is the interpreter: every other engine must agree with these methods.
    """

    def __init__(self, profile: Profile, bounds: Mapping[str, int], settings: Mapping[str, int]) -> None:
        self.profile, self.bounds, self.settings = profile, dict(bounds), dict(settings)
        self.actions = {a.name: a for a in profile.actions}

    def __repr__(self) -> str:
        chosen = self.profile.in_words(self.settings)
        return f"<Model {self.profile.name} ({show_bounds(self.bounds)}){', with ' * bool(chosen)}{chosen}>"

    @cached_property
    def layout(self) -> Layout:
        """How the states are packed. Many models are only asked for their name: an audit looks their answers up."""
        return Layout(self.profile.state, {**self.bounds, **self.settings})

    @cached_property
    def _scratch(self) -> _Scratch:
        return _Scratch(self.layout)

    @cached_property
    def steps(self) -> list[Step]:
        """Every step: each action with each assignment of its parameters."""
        return [Step(a, arguments) for a in self.profile.actions for arguments in a.combinations(self.bounds)]

    def has_steps_of(self, action: Action) -> bool:
        """Whether the action exists within these bounds: none of its parameters ranges over a bound of 0."""
        return all(index.size(self.bounds) for _, index in action.parameters)

    def initial_states(self) -> list[Packed]:
        """The packed initial states, each once, in ascending order."""
        return [self._initial]

    @cached_property
    def _initial(self) -> Packed:
        state = self.layout.blank()
        self.profile.initial(state)
        for budget in self.profile.budgets:
            if getattr(state, budget.counter) != self.settings[budget.name]:
                raise ModelError(
                    f"{budget.counter} is not {budget.name} in the initial state: it counts what may still happen"
                )
        return self.layout.pack(state)

    @property
    def assumed(self) -> tuple[str, ...]:
        """What a verdict assumes, because bounds are 0 or because the profile says so, as clauses: `no exchange is delayed`."""
        left_out = [c for name, c in self.profile.optional_bounds.items() if c and self._leaves_out(name)]
        taken = {index.present: None for index in self.profile.domains if index.present and self.bounds[index.bound]}
        return (*left_out, *taken, *filter(None, [self.profile.proviso]))

    def _leaves_out(self, name: str) -> bool:
        """Whether a bound is 0, and the settings would allow 1."""
        clash = self.profile.clash
        return not self.bounds[name] and not (clash and clash({**self.bounds, name: 1}, self.settings))

    @property
    def proviso(self) -> str:
        """The same as the end of a sentence: `, if no exchange is delayed`; empty if nothing is assumed."""
        return f", if {' and '.join(self.assumed)}" if self.assumed else ""

    @property
    def plain_settings(self) -> dict[str, bool | int | str]:
        """The value of every setting, as JSON has it."""
        return {s.name: s.plain(self.settings[s.name]) for s in self.profile.state.settings}

    def state(self, words: Packed) -> State:
        """The state that `words` pack."""
        return self.layout.unpack(words)

    def passing(self, words: Packed, other: bool = False) -> State:
        """The same for short use: the next call, or the next tried step, overwrites it. `other` gives a second one."""
        return self.layout.unpack(words, self._scratch.states[other])

    def successors(self, words: Packed, among: Iterable[int] | None = None) -> list[tuple[int, Packed]]:
        """The steps that may happen in a state: (number of the step in `steps`, packed state after it), in order.

        Only the steps of the numbers in `among` are tried, if given.
        """
        return list(self._tried(words, range(len(self.steps)) if among is None else among))

    def step_to(self, words: Packed, goals: Container[Packed]) -> tuple[int, Packed]:
        """The first step from a state to one of some states, as `successors` has it; there must be one."""
        return next(found for found in self._tried(words, range(len(self.steps))) if found[1] in goals)

    def _tried(self, words: Packed, numbers: Iterable[int]) -> Iterator[tuple[int, Packed]]:
        state = self.passing(words)
        for number in numbers:
            step = self.steps[number]
            try:
                step.action.function(state, *step.arguments)
                after = self.layout.pack_changes(words, state)
            except Refused:
                continue
            except ModelError as error:
                raise ModelError(f"{step.show(self.bounds)}: {error}{place_of(error, step.action.function)}") from error
            finally:
                if state.journal:
                    state.undo()
            yield number, after

    def apply(self, words: Packed, step: Step) -> Packed:
        """The state after `step`. Raises Refused if a guard forbids it, ModelError if the action leaves a domain."""
        state = self.passing(words)
        try:
            step.action.function(state, *step.arguments)
            return self.layout.pack_changes(words, state)
        finally:
            state.undo()

    def refusal(self, words: Packed, step: Step) -> Guard | None:
        """The guard that forbids `step` in a state; None if the step may happen. Raises ModelError if it leaves a domain."""
        state = self.passing(words)
        try:
            step.action.function(state, *step.arguments)
        except Refused as refused:
            return guard_of(refused)
        finally:
            state.undo()
        return None

    def parse_step(self, text: str) -> Step:
        """The step printed as `text`. Raises UnknownNameError or ModelError."""
        return parse_step(text, self.actions, self.bounds)

    def holds(self, prop: Property, *words: Packed) -> bool:
        """The value of a property's predicate on a packed state, or on the two of a step. Raises ModelError if it leaves a domain."""
        try:
            return bool(prop.function(*(self.passing(w, number > 0) for number, w in enumerate(words))))
        except ModelError as error:
            raise ModelError(f"{prop.name}: {error}{place_of(error, prop.function)}") from error
