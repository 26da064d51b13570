"""Asking Z3: a portfolio of solver settings, tried one after the other in rounds with growing time limits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import z3

from .terms import Truth


class QueryResult(StrEnum):
    """What came of a query: its claim is true everywhere, or has a counterexample, or no solver knows in time."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Configuration:
    """One way to set up Z3: its name in reports, the logic that chooses the solver (none: Z3's general one), and its options."""

    name: str
    logic: str | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def solver(self, context: Any = None) -> Any:
        """A new solver, for terms of a context."""
        solver = z3.SimpleSolver(ctx=context) if self.logic is None else z3.SolverFor(self.logic, ctx=context)
        for option, value in self.options:
            solver.set(option, value)
        return solver


PORTFOLIO = (
    Configuration("general"),
    Configuration("bit-blasting", logic="QF_FD"),
    Configuration("general, no relevancy", options=(("relevancy", 0),)),
)
"""Z3's general solver settles nearly everything, three to four times as fast as direct bit-blasting to SAT; the others are for the
remaining queries."""

ROUNDS = (1.0, 5.0, 30.0)
"""Seconds for each configuration, round by round; a query that no configuration settles in the last round is unknown."""


def milliseconds(seconds: float) -> int:
    """In Z3's unit; at least one, because 0 means no limit."""
    return max(1, int(seconds * 1000))


@dataclass(frozen=True)
class SolverAnswer:
    """The answer to a query: whether its negation has a model, which configuration found this, and in what time."""

    result: QueryResult
    configuration: str
    seconds: float
    model: Any = None


@dataclass
class SolverSession:
    """Decides queries that share their assumptions: each configuration has one solver that learns from query to query."""

    assumptions: Sequence[Truth]
    rounds: Sequence[float] = ROUNDS
    portfolio: Sequence[Configuration] = PORTFOLIO
    solvers: dict[str, Any] = field(default_factory=dict)

    def always(self, claim: Truth, where: Iterable[Truth] = ()) -> SolverAnswer:
        """Whether the claim is true in every state in which the assumptions and those in `where` are."""
        began = time.perf_counter()
        if claim is True:
            return SolverAnswer(QueryResult.HOLDS, "folded", 0.0)
        extra = [*where, z3.Not(claim) if not isinstance(claim, bool) else z3.BoolVal(True)]
        for seconds in self.rounds:
            for configuration in self.portfolio:
                found = self._ask(configuration, extra, seconds)
                if found is not None:
                    result, model = found
                    return SolverAnswer(result, configuration.name, time.perf_counter() - began, model)
        return SolverAnswer(QueryResult.UNKNOWN, "all", time.perf_counter() - began)

    def _ask(
        self, configuration: Configuration, extra: Sequence[Any], seconds: float
    ) -> tuple[QueryResult, Any] | None:
        solver = self._solver(configuration)
        solver.set("timeout", milliseconds(seconds))
        solver.push()
        try:
            solver.add(*[e for e in extra if e is not True])
            verdict = solver.check()
            if verdict == z3.unsat:
                return QueryResult.HOLDS, None
            return (QueryResult.FAILS, solver.model()) if verdict == z3.sat else None
        finally:
            solver.pop()

    def _solver(self, configuration: Configuration) -> Any:
        if configuration.name not in self.solvers:
            solver = configuration.solver()
            solver.add(*[a for a in self.assumptions if a is not True])
            self.solvers[configuration.name] = solver
        return self.solvers[configuration.name]
