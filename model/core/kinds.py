"""Kinds: how renaming the members of symmetric domains changes a value of a model function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .domains import Index, contains, is_subset

Domains = frozenset[type[Index]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What renaming does to a value: what it does to members, or sets of members, of `domain`; without one, nothing.

    `constants` holds the values when they are known: what stays itself under renaming fits a domain as well.
    """

    domain: type[Index] | None = None
    many: bool = False
    constants: frozenset[int] | None = None

    @property
    def fixed_below(self) -> int:
        """From NONE up to here, exclusive, no value of the kind is renamed: distinguished members, and sets of these."""
        assert self.domain is not None
        return 1 << self.domain.distinguished if self.many else self.domain.distinguished

    def fits(self, wanted: Kind) -> bool:
        """Whether a value of this kind may be used as one of kind `wanted`."""
        if self.domain is None and wanted.domain is not None and self.constants is not None:
            return all(-1 <= value < wanted.fixed_below for value in self.constants)
        return (self.domain, self.many) == (wanted.domain, wanted.many)

    def joined(self, other: Kind) -> Kind | None:
        """The kind of a value that is of either kind; None if there is none."""
        if self.constants is not None and other.constants is not None:
            return Kind(constants=self.constants | other.constants)
        if self.constants is not None:
            return other if self.fits(other) else None
        return self if other.fits(self) else None

    def __str__(self) -> str:
        if self.domain is not None:
            return f"a {'set' if self.many else 'member'} of {self.domain.__name__}"
        if self.constants is not None:
            return f"the number {' or '.join(map(str, sorted(self.constants)))}"
        return "a number"


PLAIN = Kind()


def kind_of(index: type[Index] | None, domains: Domains) -> Kind:
    """The kind of the members of an index domain, when the members of `domains` are renamed."""
    if index is None or index.base() not in domains:
        return PLAIN
    return Kind(domain=index.base(), many=index.base() is not index)


def folded(helper: Callable[..., Any], kinds: Sequence[Kind]) -> Kind:
    """The kind of a set helper's result for arguments that are not renamed: known if each of them is one known number."""
    known = [next(iter(k.constants)) for k in kinds if k.constants is not None and len(k.constants) == 1]
    if helper in (contains, is_subset) or len(known) < len(kinds) or not 0 <= known[-1] < 64:
        return PLAIN
    return Kind(constants=frozenset({int(helper(*known))}))
