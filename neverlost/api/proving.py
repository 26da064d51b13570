"""Proofs for any number of steps. It needs the extra `prove`."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import Model
from neverlost.reports.layout import wrapped

from .arguments import ArgumentError, ensure_model, ensure_name
from .limits import sensible
from .results import PropertyNotHeldError
from .shown import Judged, Shown
from .traces import Trace

if TYPE_CHECKING:
    from neverlost.explorer.symbolic.any_bounds.proof import AnyProof
    from neverlost.explorer.symbolic.proof import Proof as FoundProof


@dataclass(frozen=True, repr=False)
class Proof(Judged, Shown):
    """The result of an attempt to prove a property: `proven`, `violated` or `undecided`."""

    found: FoundProof | AnyProof
    asked = ("proven", "assert_proven")

    def __repr__(self) -> str:
        return f"<Proof {self.found.claim.name}: {self.verdict}, from {counted(len(self.lemmas), 'lemma')}>"

    @property
    def verdict(self) -> str:
        return self.found.verdict.value

    @property
    def proven(self) -> bool:
        """Whether the property holds after any number of steps, within the model's bounds or for any."""
        return self.verdict == Verdict.PROVEN

    @property
    def for_any_bounds(self) -> bool:
        """Whether this is about all bounds at once; then there is no trace, and nothing is suggested."""
        from neverlost.explorer.symbolic.any_bounds.proof import AnyProof

        return isinstance(self.found, AnyProof)

    @property
    def lemmas(self) -> list[str]:
        """The names of the lemmas that the proof rests on."""
        return [lemma.name for lemma in self.found.lemmas]

    @property
    def failing(self) -> list[str]:
        """The queries of the induction that have a counterexample, in words."""
        return [query.text for query in self.found.failing]

    @property
    def trace(self) -> Trace | None:
        """A violation, if one was found."""
        found = getattr(self.found, "trace", None)
        return None if found is None else Trace(found)

    def text(self) -> str:
        """The verdict in a sentence, what else stops the proof, a violation if one was found, and what may help if none was."""
        from neverlost.explorer.symbolic.proof import Proof as FoundProof
        from neverlost.reports.prove.verdict import any_bounds_words, verdict_words

        found = self.found
        words = verdict_words(found) if isinstance(found, FoundProof) else any_bounds_words(found)
        left = [wrapped(f"  {query}", "    ") for query in self.failing if query not in words]
        others = ["These fail too:", *left] if left else []
        story = [] if self.trace is None else ["", self.trace.text()]
        may_help = self.failing and self.trace is None and not self.for_any_bounds
        advice = ["suggestions() searches for lemmas that exclude the first counterexample."] if may_help else []
        return "\n".join([wrapped(words, "  "), *others, *story, *advice])

    def _repr_html_(self) -> str:
        picture = "" if self.trace is None else self.trace._repr_html_()
        return f"<pre>{escape(self.text())}</pre>{picture}"

    def suggestions(self) -> list[str]:
        """Lemmas in Model Python that would exclude the first counterexample, true in all states searched; none is proven."""
        from neverlost.explorer.symbolic.proof import Proof as FoundProof
        from neverlost.explorer.symbolic.suggesting import suggestions

        if not isinstance(self.found, FoundProof):
            return []
        suggested = suggestions(self.found)
        return [] if suggested is None else [written.text for written in suggested.found]

    def assert_proven(self) -> None:
        """Raises PropertyNotHeldError, with the violation or what is not proven, unless the property is proven."""
        if not self.proven:
            why = self.trace.text() if self.trace is not None else "\n".join(["not proven:", *self.failing])
            raise PropertyNotHeldError(f"{self.found.claim.name} is {self.verdict}\n\n{why}")


def prove(
    model: Model, property_name: str, *, k: int = 1, limits: Limits | None = None, any_bounds: bool = False
) -> Proof:
    """Prove a property for any number of steps, by k-induction with the profile's lemmas.

    If a query fails, the states within `limits` are searched for a violation. With `any_bounds` it is proven for all bounds at once,
    whatever those of the model are, with the model's settings; it takes neither `k` nor `limits`, and is proven or undecided.
    Raises UnknownNameError, UnprovableError for a property that is not of the kind `always` or, for `k` 1, `step_always`, and
    UntranslatableError for a model with functions that have no form for any bounds.

    >>> import neverlost as nl
    >>> fenced = nl.profile("published/kip-320").model(replicas=3, log_size=1, records=1, leader_epochs=2)
    >>> nl.prove(fenced, "strong_isr").verdict
    'proven'
    """
    ensure_model(model)
    ensure_name(property_name, "property_name")
    if any_bounds:
        if k != 1 or limits is not None:
            raise ArgumentError(
                "any_bounds proves by induction over one step, and searches no states; leave out k and limits"
            )
        from neverlost.explorer.symbolic.any_bounds.proof import prove_for_any_bounds
        from neverlost.spec.families import unbounded_of

        return Proof(prove_for_any_bounds(unbounded_of(model.profile), property_name, settings=model.settings))
    from neverlost.explorer.symbolic.proof import prove as prove_by_induction

    within = sensible(limits)
    return Proof(prove_by_induction(model, property_name, k=k, until="all", limits=within))
