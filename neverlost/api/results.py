"""The results of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from neverlost.explorer.no_return import with_no_return_shown
from neverlost.explorer.result import DecidedProperty, Result
from neverlost.explorer.result_json import result_values
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Model, UnknownNameError
from neverlost.reports.check.verdict import headline_words
from neverlost.reports.layout import wrapped

from .shown import Judged, Shown
from .traces import Trace


class PropertyNotHeldError(AssertionError):
    """A property is violated, or a search could not decide it. The text has the story."""


class UnknownPropertyError(UnknownNameError, KeyError):
    """A check has not decided a property of that name."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, repr=False)
class Finding(Judged):
    """A property with its verdict: `holds`, `violated` or `undecided`; and the trace that decides it, if one does."""

    found: DecidedProperty

    def __repr__(self) -> str:
        return f"<Finding {self.name}: {self.verdict}>"

    @property
    def name(self) -> str:
        return self.found.property.name

    @property
    def statement(self) -> str:
        """The statement of the property."""
        return self.found.property.statement

    @property
    def verdict(self) -> str:
        return self.found.verdict.value

    @property
    def holds(self) -> bool:
        """Whether it holds in every state; False if that is undecided."""
        return self.verdict == Verdict.HOLDS

    @property
    def trace(self) -> Trace | None:
        """The shortest violation, or for a `sometimes` property the shortest witness."""
        return None if self.found.trace is None else Trace(self.found.trace)

    def assert_holds(self) -> None:
        """Raises PropertyNotHeldError with the story unless the property holds."""
        if self.holds:
            return
        story = "" if self.trace is None else f"\n\n{self.trace.text()}"
        raise PropertyNotHeldError(f"{self.name} is {self.verdict}: {self.statement}{story}")


@dataclass(frozen=True, repr=False)
class CheckResult(Judged, Shown, Mapping[str, Finding]):
    """What a search found, by the name of each property.

    >>> import neverlost as nl
    >>> result = nl.check(nl.profile("kafka-3.7").model(acks="1", leader_moves=1), ["acked_never_lost"])
    >>> result.verdict, result["acked_never_lost"].holds
    ('violated', False)
    >>> result.assert_holds()
    Traceback (most recent call last):
        ...
    neverlost.api.results.PropertyNotHeldError: acked_never_lost is violated: ...
    """

    found: Result

    def __repr__(self) -> str:
        return f"<CheckResult {self.model.profile.name}: {self.verdict}, {counted(self.distinct, 'state')}>"

    def __getitem__(self, name: str) -> Finding:
        if name not in self.found.findings:
            raise UnknownPropertyError("property of this check", name, self.found.findings)
        return Finding(self.found.findings[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.found.findings)

    def __len__(self) -> int:
        return len(self.found.findings)

    @property
    def model(self) -> Model:
        return self.found.model

    @property
    def verdict(self) -> str:
        """The verdict of all asserted properties together: `holds`, `violated` or `undecided`."""
        return self.found.verdict.value

    @property
    def holds(self) -> bool:
        """Whether all asserted properties hold; False if that is undecided."""
        return self.verdict == Verdict.HOLDS

    @property
    def complete(self) -> bool:
        """Whether every state was explored."""
        return self.found.complete

    @property
    def distinct(self) -> int:
        """How many states were explored; with symmetry, up to renaming."""
        return self.found.distinct

    @property
    def stopped_by(self) -> str | None:
        """The limit that ended the search early: `states`, `depth`, `memory`, `disk`, `time` or `interrupt`; None if nothing did."""
        return self.found.stopped_by

    def assert_holds(self) -> None:
        """Raises PropertyNotHeldError, with the story, unless every asserted property holds."""
        for name, finding in self.found.findings.items():
            if finding.asserted:
                self[name].assert_holds()
        if not self.holds:
            raise PropertyNotHeldError("there is no property to decide")

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values, as `neverlost check --json` writes it."""
        return result_values(with_no_return_shown(self.found))

    def text(self) -> str:
        """The verdict, every asserted property, and the shortest story of one that does not hold."""
        return self._verdicts() if self._shown is None else f"{self._verdicts()}\n\n{self._shown.text()}"

    def _repr_html_(self) -> str:
        picture = "" if self._shown is None else self._shown._repr_html_()
        return f"<pre>{escape(self._verdicts())}</pre>{picture}"

    @property
    def _shown(self) -> Trace | None:
        return None if self.holds or self.found.shown is None else Finding(self.found.shown).trace

    def _verdicts(self) -> str:
        asserted = [Finding(f) for f in self.found.findings.values() if f.asserted]
        head = wrapped(headline_words(self.found), "  ")
        return "\n".join([head, *(f"  {finding.name:30}{finding.verdict}" for finding in asserted)])
