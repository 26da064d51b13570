"""Symmetry: exploring one state of each class of states that differ only by renaming members of symmetric domains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import factorial, prod

from neverlost.model.core import Index, Model, Packed, Property, SymmetryError, UnknownNameError, check_equivariance
from neverlost.model.core.packing import Move
from neverlost.model.core.profile import show_bounds

MAX_RENAMINGS = 5040
"""With more renamings than this, those of 7 replicas, symmetry costs more than it saves."""

Renaming = Mapping[type[Index], Sequence[int]]


@dataclass(frozen=True)
class Symmetry:
    """A group of renamings of a model; the identity alone is no reduction."""

    model: Model
    names: tuple[str, ...] = ()
    domains: tuple[type[Index], ...] = ()
    renamings: tuple[Renaming, ...] = ()

    def representative(self, words: Packed) -> Packed:
        """The least packed state of the class of `words`."""
        return min((self.model.layout.moved(words, moves) for moves in self._moves), default=words)

    def members(self, words: Packed) -> set[Packed]:
        """The states of the class of `words`."""
        return {words, *(self.model.layout.moved(words, moves) for moves in self._moves)}

    def states_of_classes(self, keeping: Iterable[int]) -> int:
        """How many states there are in some classes: number k says how many of their representatives k renamings keep as they are."""
        order = len(self.renamings)
        return sum(int(count) * order // kept for kept, count in enumerate(keeping) if count)

    @cached_property
    def keeps_start(self) -> bool:
        """Whether every renaming of an initial state is one; if so, the classes that are reached have no state that is not reached."""
        initial = set(self.model.initial_states())
        return all(self.model.layout.moved(words, moves) in initial for words in initial for moves in self._moves)

    @cached_property
    def _moves(self) -> list[list[Move]]:
        return [self.model.layout.moves(renaming) for renaming in self.renamings]


def symmetric_domains(model: Model) -> dict[str, type[Index]]:
    """The domains that the profile declares symmetric, by lower-case name."""
    used = [index for f in model.profile.state.fields for index in (*f.indexes, f.domain.index) if index is not None]
    used += [index for a in model.profile.actions for _, index in a.parameters]
    return {base.__name__.lower(): base for base in (index.base() for index in dict.fromkeys(used)) if base.symmetric}


def symmetry_of(model: Model, wanted: bool | Sequence[str], properties: Sequence[Property]) -> Symmetry:
    """The symmetry over the domains in `wanted` (True: all that are declared symmetric).

    Raises UnknownNameError for an unknown domain, SymmetryError if the profile has none, if there are too many renamings, if
    an action or one of `properties` may distinguish members of one, or if one of them is an `eventually`.
    """
    if not wanted:
        return Symmetry(model)
    known = symmetric_domains(model)
    if not known:
        raise SymmetryError(f"{model.profile.name} has no symmetric domain; explore it without symmetry")
    names = tuple(known if wanted is True else dict.fromkeys(wanted))
    for name in names:
        if name not in known:
            raise UnknownNameError(f"symmetric domain of {model.profile.name}", name, known)
    over_runs = [p.name for p in properties if p.over_runs]
    if over_runs:
        raise SymmetryError(
            f"{', '.join(over_runs)} cannot be decided with symmetry: fairness is about each step by itself, and states that differ by"
            " renaming count as one; explore without symmetry, or ask for other properties only"
        )
    check_equivariance(model, [known[name] for name in names], properties)
    count = renamings_of(model, [known[name] for name in names])
    if count > MAX_RENAMINGS:
        raise SymmetryError(
            f"{model.profile.name} with {show_bounds(model.bounds)} has {count:,} renamings to compare in every state;"
            f" the limit is {MAX_RENAMINGS:,}. Lower a bound, or explore without symmetry"
        )
    choices = [_permutations(known[name], model) for name in names]
    renamings = tuple(dict(zip((known[n] for n in names), chosen, strict=True)) for chosen in product(*choices))
    return Symmetry(model, names, tuple(known[n] for n in names), renamings)


def renamings_of(model: Model, domains: Iterable[type[Index]]) -> int:
    """How many renamings of the members of some domains there are."""
    return prod(factorial(domain.size(model.bounds) - domain.distinguished) for domain in domains)


def _permutations(index: type[Index], model: Model) -> list[tuple[int, ...]]:
    size, kept = index.size(model.bounds), index.distinguished
    return [(*range(kept), *rest) for rest in permutations(range(kept, size))]
