"""Lemmas: predicates that are true in every reachable state and, unlike properties, are only for proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .parameters import Parameters, combinations, ensure_stated, ranging_parameters, show_call


@dataclass(frozen=True, kw_only=True)
class Lemma:
    """A predicate in Model Python, true in every reachable state for all values of its parameters, and the reason why it is.

    The function takes the state first; every other parameter is annotated with the index domain that it ranges over. A lemma
    with parameters is proven for one combination of them at a time: many small queries are faster than a large one.
    """

    name: str
    reason: str
    function: Callable[..., bool]
    parameters: Parameters

    def combinations(self, bounds: Mapping[str, int]) -> list[tuple[int, ...]]:
        """Every combination of values of the parameters, the last one fastest."""
        return combinations(self.parameters, bounds)

    def is_empty(self, bounds: Mapping[str, int]) -> bool:
        """Does the lemma say nothing within these bounds, because a domain of its parameters has no members?"""
        return any(index.size(bounds) == 0 for _, index in self.parameters)

    def show(self, arguments: tuple[int, ...], bounds: Mapping[str, int]) -> str:
        """One instance as text for people: `high_watermark_within_log(replica=r2)`."""
        return show_call(self.name, self.parameters, arguments, bounds)


def lemma(reason: str) -> Callable[[Callable[..., bool]], Lemma]:
    """Declare a lemma; `reason` says why it is true, in the words of the protocol.

    Raises ModelError for a parameter without an index domain, and if there is no `reason`.
    """
    ensure_stated("lemma", reason)

    def decorate(function: Callable[..., bool]) -> Lemma:
        return Lemma(name=function.__name__, reason=reason, function=function, parameters=ranging_parameters(function))

    return decorate
