"""Finite domains: the values of fields, of their indexes, and of the parameters of actions.

At run time every value is a plain `int`. The classes here give the values a name for readers, for mypy and for the packed layout.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, cast

from .errors import ModelError

NONE: Any = -1
"""The value of an `optional` domain that means "nothing": no leader, no epoch."""


class Named(type):
    """The names of a domain's members as its attributes: `Stage.COMMITTED` is the number of "committed"."""

    _constants: dict[str, int]

    def __getattr__(cls: type[Member], name: str) -> Member:  # type: ignore[misc]  # no other class has it
        known = cls.constants() if "names" in cls.__dict__ else {}
        if name in known:
            return cast(Member, known[name])
        raise AttributeError(f"{cls.__name__} has no member {name}" + (f"; it has {', '.join(known)}" if known else ""))

    def constants(cls) -> dict[str, int]:
        """The members that have a name, by that name in capitals: {"COMMITTED": 1}."""
        found: dict[str, int] | None = cls.__dict__.get("_constants")
        if found is None:
            names: tuple[str, ...] = cls.__dict__["names"]
            # An action that names a member asks for it each time that it is tried.
            found = {re.sub(r"\W+", "_", name).upper(): number for number, name in enumerate(names)}
            cls._constants = found
        return found


class Index(int, metaclass=Named):
    """A finite set 0..n-1, named by a subclass; n is the bound that the subclass names, plus `more`.

    A set that no bound changes has a fixed number of `members` instead, or `names`, one for each member: "in doubt" is the member
    `IN_DOUBT` of the class.
    A bound may be 0 if it is `optional`: then nothing of it exists. `absent` says, as a clause, what a verdict then assumes, if that
    must not be overlooked: "no exchange is delayed". `present` says what one assumes where it is not 0. It is 0 also where other bounds
    are made as large as a log may need, if it is `on_request`.
    `whose` says whose fault each member is, if it is one.
    `symmetric` says that no action distinguishes members (beyond the first `distinguished` ones), so that only one of the
    states that differ by renaming members must be explored.
    """

    bound: ClassVar[str] = ""
    more: ClassVar[int] = 0
    names: ClassVar[tuple[str, ...]] = ()
    prefix: ClassVar[str] = ""
    first: ClassVar[int] = 0
    symmetric: ClassVar[bool] = False
    distinguished: ClassVar[int] = 0
    optional: ClassVar[bool] = False
    on_request: ClassVar[bool] = False
    absent: ClassVar[str] = ""
    present: ClassVar[str] = ""
    whose: ClassVar[str] = ""

    def __init_subclass__(
        cls,
        *,
        bound: str = "",
        more: int = 0,
        members: int = 0,
        names: tuple[str, ...] = (),
        prefix: str = "",
        first: int = 0,
        symmetric: bool = False,
        distinguished: int = 0,
        optional: bool = False,
        on_request: bool = False,
        absent: str = "",
        present: str = "",
        whose: str = "",
    ) -> None:
        cls.bound, cls.more, cls.names = bound, members or len(names) or more, names
        cls.prefix, cls.first = prefix, first
        cls.symmetric, cls.distinguished = symmetric, distinguished
        cls.optional, cls.on_request = optional, on_request
        cls.absent, cls.present, cls.whose = absent, present, whose

    @classmethod
    def base(cls) -> type[Index]:
        """The domain whose members a permutation renames: itself, or for subsets the domain of their members."""
        return cls

    @classmethod
    def described(cls) -> str:
        """The domain's definition without the names of its members."""
        return f"{cls.__name__}({cls.base().__name__}, {cls.bound}, {cls.more}, {cls.symmetric}, {cls.distinguished})"

    @classmethod
    def size(cls, bounds: Mapping[str, int]) -> int:
        """How many members there are within `bounds`."""
        return (bounds[cls.bound] if cls.bound else 0) + cls.more

    @classmethod
    def show(cls, value: int, bounds: Mapping[str, int]) -> str:
        """The member as text for people: `r2`, `0`, or its name."""
        return cls.names[value] if cls.names else f"{cls.prefix}{value + cls.first}"

    @classmethod
    def renamed(cls, value: int, permutation: Sequence[int]) -> int:
        """The member after renaming each base member m to permutation[m]."""
        return permutation[value]


class SubsetOf(Index):
    """The subsets of an index domain, each a bit mask: bit m is set when m is a member."""

    of: ClassVar[type[Index]]

    def __init_subclass__(cls, *, of: type[Index]) -> None:
        super().__init_subclass__(bound=of.bound)
        cls.of = of

    @classmethod
    def base(cls) -> type[Index]:
        return cls.of

    @classmethod
    def size(cls, bounds: Mapping[str, int]) -> int:
        return 1 << cls.of.size(bounds)

    @classmethod
    def show(cls, value: int, bounds: Mapping[str, int]) -> str:
        members = (m for m in range(cls.of.size(bounds)) if value >> m & 1)
        return "{" + ", ".join(cls.of.show(m, bounds) for m in members) + "}"

    @classmethod
    def renamed(cls, value: int, permutation: Sequence[int]) -> int:
        return sum(1 << permutation[m] for m in range(len(permutation)) if value >> m & 1)


COUNTS = ("up_to", "one_to")
"""The kinds of domains that count members of their index, so that renaming these changes nothing."""

LOWEST = {"optional": -1, "one_to": 1}
"""The lowest value of each kind of domain that does not begin at 0."""


@dataclass(frozen=True)
class Domain:
    """The values that one field element may hold: low .. low + size - 1."""

    kind: str
    index: type[Index] | None = None

    @property
    def low(self) -> int:
        return LOWEST.get(self.kind, 0)

    def size(self, bounds: Mapping[str, int]) -> int:
        if self.index is None:
            return 2
        return self.index.size(bounds) + (self.kind in ("optional", "up_to"))

    def show(self, value: int, bounds: Mapping[str, int]) -> str:
        """The value as text for people; `none` for NONE."""
        if self.index is None:
            return "yes" if value else "no"
        if self.kind in COUNTS:
            return str(value)
        return "none" if value < 0 else self.index.show(value, bounds)

    def plain(self, value: int, bounds: Mapping[str, int]) -> bool | int | str | None:
        """The value for programs: a truth value, a count, the name of a member or choice, None for NONE; a plain index as a number."""
        if self.index is None:
            return bool(value)
        if self.kind in COUNTS:
            return value
        if value < 0:
            return None
        named = issubclass(self.index, SubsetOf) or self.index.names or self.index.prefix
        return self.index.show(value, bounds) if named else value

    def describe(self, bounds: Mapping[str, int] | None = None) -> str:
        """The domain as text for people: `0..log_size`, `a replica or none`."""
        if self.index is None:
            return "yes or no"
        name = self.index.__name__
        if issubclass(self.index, SubsetOf):
            return f"a set of {self.index.of.__name__}"
        if self.kind in COUNTS:
            return f"{self.low}..{self.index.bound if bounds is None and self.index.bound else self.index.size(bounds or {})}"
        return f"{name} or none" if self.kind == "optional" else name

    def renamed(self, value: int, renaming: Mapping[type[Index], Sequence[int]]) -> int:
        """The value after renaming members of the symmetric domains in `renaming`."""
        if self.index is None or self.kind in COUNTS or value < 0 or self.index.base() not in renaming:
            return value
        return self.index.renamed(value, renaming[self.index.base()])


Member = TypeVar("Member", bound=Index)
Read = TypeVar("Read", covariant=True)


class Scalar(Protocol[Read]):
    """How type checkers see a field with one value: read as a member of its domain, written as any integer.

    At run time a declaration is a `Domain` and the value an `int`; a value outside the domain is refused when it is packed.
    """

    def __get__(self, state: Any, owner: Any = None) -> Read: ...
    def __set__(self, state: Any, value: int) -> None: ...


def _index(word: str, index: Any) -> type[Index]:
    """The class that a declaration ranges over; a domain, or a class of another kind, is refused."""
    if isinstance(index, type) and issubclass(index, Index):
        return index
    if isinstance(index, Domain):
        advice = "a value that may be missing is two fields, a flag() and the value" if word == "optional" else ""
        raise ModelError(f"{word}(...) takes an Index or a SubsetOf, not another domain" + (advice and f"; {advice}"))
    raise ModelError(f"{word}({getattr(index, '__name__', repr(index))}) takes an Index or a SubsetOf, as a class")


def any_of(index: type[Member]) -> Scalar[Member]:
    """Any member of `index`."""
    return cast(Scalar[Member], Domain("member", _index("any_of", index)))


def optional(index: type[Member]) -> Scalar[Member]:
    """Any member of `index`, or NONE."""
    return cast(Scalar[Member], Domain("optional", _index("optional", index)))


def up_to(index: type[Index]) -> Scalar[int]:
    """A count 0..n of members of `index`, n included: an exclusive end, a next value."""
    return cast(Scalar[int], Domain("up_to", _index("up_to", index)))


def one_to(index: type[Index]) -> Scalar[int]:
    """A count 1..n of members of `index`."""
    return cast(Scalar[int], Domain("one_to", _index("one_to", index)))


def flag() -> Scalar[bool]:
    """Yes or no."""
    return cast(Scalar[bool], Domain("flag"))


Members = TypeVar("Members", bound=SubsetOf)


MAX_MEMBERS = 62
"""A set of more members than this does not fit a word."""


def _bit(member: int) -> int:
    if not 0 <= member < MAX_MEMBERS:
        raise ModelError(f"{member} was used as a member of a set; members count from 0")
    return member


def contains(members: SubsetOf, member: int) -> bool:
    """Whether `member` is in the set."""
    return members >> _bit(member) & 1 == 1


def with_member(members: Members, member: int) -> Members:
    """The set and `member`."""
    return cast(Members, members | 1 << _bit(member))


def without(members: Members, member: int) -> Members:
    """The set without `member`."""
    return cast(Members, members & ~(1 << _bit(member)))


def is_subset(members: SubsetOf, of: SubsetOf) -> bool:
    """Whether every member of the first set is in the second."""
    return members & ~of == 0


def only(member: int) -> Any:
    """The set that contains only `member`."""
    return 1 << _bit(member)


EMPTY: Any = 0
"""The empty set."""
