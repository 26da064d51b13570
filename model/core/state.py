"""The state schema: named fields over finite domains, and the state object that the interpreter runs on."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast, overload

from .domains import Domain, Index, Member, Scalar
from .errors import BoundsError, ModelError
from .message import M, Message, Network, copies, fields_of
from .parsing import parsed

FAULTS_LEFT = "faults left"
"""The owner of the counters of faults, for readers."""

Value = TypeVar("Value")
Read = TypeVar("Read", covariant=True)


@dataclass(frozen=True)
class Field:
    """One field: a value of `domain` for each combination of `indexes` (none: a single value)."""

    name: str
    indexes: tuple[type[Index], ...]
    domain: Domain

    def shape(self, bounds: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(index.size(bounds) for index in self.indexes)

    def positions(self, bounds: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
        """Every combination of index values, the last index fastest."""
        return product(*(range(size) for size in self.shape(bounds)))

    def place(self, position: Sequence[int], bounds: Mapping[str, int]) -> str:
        """The element as text for people: `isr[r2]`."""
        return self.name + "".join(f"[{i.show(p, bounds)}]" for i, p in zip(self.indexes, position, strict=True))


@dataclass(frozen=True)
class Setting(Field):
    """A value that is chosen before a run and is the same in all its states: a configuration of the system, or a number of faults.

    It is not part of a state, and one kernel serves every choice. `off` names the choice 0 of a yes-or-no setting.
    """

    off: str = ""

    def show(self, value: int) -> str:
        """The value as text for people: `all`, `2`, `yes`."""
        return self.domain.show(value, {})

    def plain(self, value: int) -> bool | int | str:
        """The value as JSON has it: a truth value, the name of a choice, or a number."""
        if self.domain.index is None:
            return bool(value)
        return self.show(value) if self.domain.index.names or value < 0 else value

    def choices(self) -> dict[str, int]:
        """Every value by its text for people."""
        low = self.domain.low
        return {self.show(value): value for value in range(low, low + self.domain.size({}))}

    def read(self, written: object) -> int:
        """The value for the output of `plain`, as in a file of JSON. Raises BoundsError with the possible values."""
        for value in self.choices().values():
            plain = self.plain(value)
            if written == plain and type(written) is type(plain):
                return value
        known = ", ".join(repr(self.plain(value)) for value in self.choices().values())
        raise BoundsError(f"is {written!r:.60}; it must be one of {known}")

    def read_word(self, written: bool | int | str) -> int:
        """The value that a person means by a truth value, or by a number or text as the command line takes it. Raises BoundsError."""
        if isinstance(written, bool) or self.domain.index is None:
            return self.read(written)
        value = self.choices().get(str(written).strip())
        return self.read(written) if value is None else value


def setting(domain: Scalar[Value], /, off: str = "") -> Scalar[Value]:
    """A setting with one value of a domain that depends on no bound."""
    return cast(Scalar[Value], Setting("", (), cast(Domain, domain), off))


@dataclass(frozen=True)
class Budget(Setting):
    """How many times something may happen in a run. It bounds the search: no rule of the system reads it.

    `whose` says whose fault it is; empty, it is none, as the retries of a client. `singular` is what happens, in words, and `counter`
    the field of the state that says how many times it may still happen.
    """

    singular: str = ""
    whose: str = ""
    counter: str = ""

    @property
    def plural(self) -> str:
        """Several of them in words: `power losses`, `moves of the coordinator`, `restored copies`."""
        what, of, whose = self.singular.partition(" of ")
        ending = "es" if what.endswith(("s", "sh", "ch", "x")) else "s"
        several = f"{what[:-1]}ies" if re.search("[^aeiou]y$", what) else f"{what}{ending}"
        return f"{several}{of}{whose}"

    def words(self, count: int) -> str:
        """`1 power loss`, `2 power losses`."""
        return f"{count} {self.singular if count == 1 else self.plural}"


def budget(domain: Scalar[Value], /, *, singular: str, whose: str = "") -> Scalar[Value]:
    """A setting that says how many times something may happen; a field `counter` says how many times it still may."""
    return cast(Scalar[Value], Budget("", (), cast(Domain, domain), "", singular, whose))


@dataclass(frozen=True)
class Counter(Field):
    """How many times something may still happen; `of` is its budget as it was declared."""

    of: Budget


def counter(of: Scalar[Value], /) -> Scalar[Value]:
    """The field that says how many times something of a budget may still happen. At the start it is the budget."""
    declared = cast(Budget, of)
    return cast(Scalar[Value], Counter("", (), declared.domain, declared))


@dataclass(frozen=True)
class Messages(Field):
    """The messages of a kind that are under way: for each that there may be a flag or, for a bag, how many of it are."""

    of: type[Message]

    @property
    def is_bag(self) -> bool:
        """Whether several equal messages may be under way."""
        return self.domain.index is not None


def messages(of: type[M], /, *, at_most: int | None = None) -> Network[M]:
    """A field of the messages of a kind that are under way: a set, or a bag with `at_most` so many of equal ones.

    Raises ModelError for a field of the message without a domain, and for an impossible number.
    """
    domain = Domain("flag") if at_most is None else Domain("up_to", copies(at_most))
    return cast(Network[M], Messages("", tuple(fields_of(of).values()), domain, of))


class Elements(Protocol[Read]):
    """How type checkers see an indexed field: elements are read as members of the domain, and written as any integer."""

    def __getitem__(self, position: int, /) -> Read: ...
    def __setitem__(self, position: int, value: int, /) -> None: ...
    def __iter__(self) -> Iterator[Read]: ...
    def __len__(self) -> int: ...


@overload
def per(first: type[Index], domain: Scalar[Value], /) -> Elements[Value]: ...
@overload
def per(first: type[Index], second: type[Index], domain: Scalar[Value], /) -> Elements[Elements[Value]]: ...
@overload
def per(
    first: type[Index], second: type[Index], third: type[Index], domain: Scalar[Value], /
) -> Elements[Elements[Elements[Value]]]: ...
@overload
def per(
    first: type[Index], second: type[Index], third: type[Index], fourth: type[Index], domain: Scalar[Value], /
) -> Elements[Elements[Elements[Elements[Value]]]]: ...
def per(*arguments: Any) -> Any:
    """A field with one value of the last argument, a domain, for each combination of the index domains before it."""
    *indexes, domain = arguments
    return Field("", tuple(indexes), domain)


@dataclass(frozen=True, kw_only=True)
class View:
    """A text for some fields, under a name, for readers. The covered fields are not shown one by one."""

    name: str
    covers: tuple[str, ...]
    owner: type[Index] | str
    each: type[Index] | None
    show: Callable[..., str]


def view(
    owner: type[Index] | str, *covers: str, each: type[Index] | None = None
) -> Callable[[Callable[..., str]], View]:
    """Show the fields in `covers` as one text: for each member of `owner` (the function gets it), or under the name `owner`.

    Under a name there may be a text for each member of another index, `each`; the function gets that member.
    """

    def decorate(function: Callable[..., str]) -> View:
        each_member = owner if isinstance(owner, type) else each
        return View(name=function.__name__, covers=covers, owner=owner, each=each_member, show=function)

    return decorate


_element = list.__getitem__


def _plain(value: Any, depth: int) -> Any:
    """The elements of a field with so many indexes as plain nested lists of integers."""
    if depth > 1:
        return [_plain(inner, depth - 1) for inner in value]
    return [*map(int, value)] if depth else int(value)


class Row(list[Any]):
    """The elements of a field, or of one index value of it. Refuses indexes outside the domain, and records overwritten values."""

    __slots__ = ("journal", "members", "name", "slots")

    def __init__(self, elements: Iterable[Any], name: str, index: type[Index], journal: list[Any]) -> None:
        super().__init__(elements)
        self.name, self.members, self.journal = name, index, journal
        self.slots: Sequence[Any] = ()

    def __getitem__(self, position: Any) -> Any:
        if position >= 0:
            try:
                return _element(self, position)
            except IndexError:
                pass
        raise ModelError(f"{self.name}[{position}] was used, but {self.members.__name__} is 0..{len(self) - 1}")

    def __setitem__(self, position: Any, value: Any) -> None:
        old = self[position]
        if not isinstance(value, int):
            raise ModelError(f"{self.name}[{position}] was set to {value!r}, which is not an integer")
        if self.slots:
            self.slots[position].refuse_unless_within(value)
        self.journal.append((self, position, old))
        list.__setitem__(self, position, value)


class State:
    """One state of a model. A subclass declares the fields; every field starts at the lowest value of its domain.

    `owners` names, for readers, the owners of fields that no index shows: `{"controller": ("controller_leader", "next_epoch")}`.
    The counters of faults go under a name of their own. `budgets` are the settings that only bound what may happen, `faults` those
    of them that are somebody's fault, in the order in which reports name them.
    A text literal after a field or setting gives its meaning. Settings are read like fields, and never written.
    """

    fields: ClassVar[tuple[Field, ...]] = ()
    settings: ClassVar[tuple[Setting, ...]] = ()
    budgets: ClassVar[tuple[Budget, ...]] = ()
    faults: ClassVar[tuple[Budget, ...]] = ()
    views: ClassVar[tuple[View, ...]] = ()
    owners: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    _setting_names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        for name, declared in vars(cls).items():
            known = hasattr(State, name) or name in State.__annotations__
            if known and isinstance(declared, Domain | Field | View):
                raise ModelError(
                    f"{cls.__name__} has a field {name!r}; every state has something of that name, so choose another"
                )
        fields = {f.name: f for f in cls.fields}
        views = {v.name: v for v in cls.views}
        settings = {s.name: s for s in cls.settings}
        counters = {id(d.of): name for name, d in vars(cls).items() if isinstance(d, Counter)}
        for name, declared in list(vars(cls).items()):
            if isinstance(declared, Domain):
                fields[name] = Field(name, (), declared)
            elif isinstance(declared, Budget):
                if id(declared) not in counters:
                    raise ModelError(f"budget {name} of {cls.__name__} has no counter: a field `counter({name})`")
                settings[name] = replace(declared, name=name, counter=counters[id(declared)])
            elif isinstance(declared, Setting):
                settings[name] = Setting(name, (), declared.domain, declared.off)
            elif isinstance(declared, Messages):
                fields[name] = replace(declared, name=name)
            elif isinstance(declared, Field):
                fields[name] = Field(name, declared.indexes, declared.domain)
            elif isinstance(declared, View):
                views[name] = declared
            else:
                continue
            delattr(cls, name)
        cls.fields, cls.views = tuple(fields.values()), tuple(views.values())
        cls.settings, cls._setting_names = tuple(settings.values()), frozenset(settings)
        cls.budgets = tuple(s for s in cls.settings if isinstance(s, Budget))
        cls.faults = tuple(b for b in cls.budgets if b.whose)
        if cls.faults:
            cls.owners = {**cls.owners, FAULTS_LEFT: tuple(fault.counter for fault in cls.faults)}

    def __init__(self, bounds: Mapping[str, int]) -> None:
        held = self.__dict__
        held.update(bounds=bounds, journal=[], slots={}, cells=(), innermost=[], _ranges={})
        for declared in self.fields:
            held[declared.name] = self._lowest(declared.domain.low, declared.name, declared.indexes)
        for chosen in self.settings:
            held[chosen.name] = bounds[chosen.name]

    def _lowest(self, low: int, name: str, indexes: tuple[type[Index], ...]) -> Any:
        if not indexes:
            return low
        index, within = indexes[0], indexes[1:]
        size = index.size(self.bounds)
        if within:
            return Row([self._lowest(low, f"{name}[{i}]", within) for i in range(size)], name, index, self.journal)
        row = Row([low] * size, name, index, self.journal)
        self.innermost.append(row)
        return row

    bounds: Mapping[str, int]
    """The sizes of the index domains, and the values of the settings."""
    journal: list[tuple[Any, Any, int]]
    slots: Mapping[str, Any]
    innermost: list[Row]
    """The rows that hold elements, of all fields in order."""
    cells: Sequence[tuple[int, int, int, int, Row, int]]
    """Where a state that a layout made has them packed: word, shift, mask and lowest value of each, and its place."""
    _ranges: dict[type[Index], range]

    def __setattr__(self, name: str, value: Any) -> None:
        old = self.__dict__.get(name)
        if name in self._setting_names:
            raise ModelError(f"{name} is a setting: it is the same in every state, and cannot be set")
        if not isinstance(old, int) or not isinstance(value, int):
            raise ModelError(
                f"{name} was set to {value!r}; only a declared field, element by element, takes an integer"
            )
        if name in self.slots:
            self.slots[name].refuse_unless_within(value)
        self.journal.append((self, name, old))
        self.__dict__[name] = value

    def each(self, index: type[Member]) -> Iterable[Member]:
        """Every member of `index`, in order."""
        found = self._ranges.get(index)
        if found is None:
            found = self._ranges[index] = range(index.size(self.bounds))
        return cast(Iterable[Member], found)

    def size(self, index: type[Index]) -> int:
        """How many members `index` has."""
        return index.size(self.bounds)

    def all_of(self, index: type[Index]) -> Any:
        """The set of all members of `index`."""
        return (1 << index.size(self.bounds)) - 1

    def undo(self) -> None:
        """Take back every write since the journal was last empty."""
        while self.journal:
            row, position, old = self.journal.pop()
            if row is self:
                self.__dict__[position] = old
            else:
                list.__setitem__(row, position, old)

    def element(self, declared: Field, position: Sequence[int]) -> int:
        """The value of one element of a field."""
        value = self.__dict__[declared.name]
        for index in position:
            value = list.__getitem__(value, index)
        return int(value)

    def put(self, declared: Field, position: Sequence[int], value: int) -> None:
        """Set one element of a field, unjournaled: for building states, not for actions."""
        if not position:
            self.__dict__[declared.name] = value
            return
        row = self.__dict__[declared.name]
        for index in position[:-1]:
            row = list.__getitem__(row, index)
        list.__setitem__(row, position[-1], value)

    def values(self, names: Collection[str] | None = None) -> dict[str, Any]:
        """The state, or some fields of it, as plain nested lists of integers, by field name."""

        held = self.__dict__
        return {f.name: _plain(held[f.name], len(f.indexes)) for f in self.fields if names is None or f.name in names}

    def readable(self) -> dict[str, Any]:
        """The state for programs that people write: nested lists of truth values, counts and names, by field name; None for none."""

        def plain(value: Any, domain: Domain) -> Any:
            return (
                [plain(v, domain) for v in value] if isinstance(value, list) else domain.plain(int(value), self.bounds)
            )

        return {f.name: plain(self.__dict__[f.name], f.domain) for f in self.fields}

    def written(self) -> set[str]:
        """The fields that were written since the journal was last empty, even with unchanged values."""
        return {position if row is self else row.name.partition("[")[0] for row, position, _ in self.journal}

    @classmethod
    def fault_words(cls, chosen: Mapping[str, int]) -> str:
        """The faults of a choice of settings in words: `1 crash + 2 leader moves`; `no fault`."""
        return " + ".join(f.words(chosen[f.name]) for f in cls.faults if chosen.get(f.name)) or "no fault"

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """What each field and view means, by name: the text literal after a field, the first line of a view's docstring."""
        found = {}
        for declaring in reversed(cls.__mro__[: cls.__mro__.index(State)]):
            for declared, text in pairwise(_class_body(declaring)):
                match declared, text:
                    case (
                        ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str() as meaning)),
                    ):
                        found[name] = " ".join(meaning.split())
        return found | {v.name: (v.show.__doc__ or "").strip().split("\n")[0] for v in cls.views}

    @classmethod
    def of(cls, bounds: Mapping[str, int], values: Mapping[str, Any]) -> Self:
        """The state with these `values`, as `values()` gives them.

        Raises ModelError when a field is missing, unknown, of the wrong shape or outside its domain.
        """
        state = cls(bounds)
        names = {f.name for f in cls.fields}
        if set(values) != names:
            odd = sorted(set(values) ^ names)
            raise ModelError(f"the state has other fields than the profile: {', '.join(odd)}")
        for declared in cls.fields:
            low, size = declared.domain.low, declared.domain.size(bounds)
            for position in declared.positions(bounds):
                value = values[declared.name]
                try:
                    for index in position:
                        value = value[index]
                except (TypeError, IndexError, KeyError):
                    value = None
                if not isinstance(value, int) or not low <= value < low + size:
                    place = declared.place(position, bounds)
                    raise ModelError(f"{place} is {value!r}, outside {low}..{low + size - 1}")
                state.put(declared, position, value)
            if _plain(state.__dict__[declared.name], len(declared.indexes)) != values[declared.name]:
                raise ModelError(f"{declared.name} has more elements than its indexes allow")
        return state


def _class_body(declared: type) -> list[ast.stmt]:
    try:
        source = textwrap.dedent(inspect.getsource(declared))
    except (OSError, TypeError):
        return []
    node = parsed(source).body[0]
    return node.body if isinstance(node, ast.ClassDef) else []
