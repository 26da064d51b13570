"""Lemmas as text in Model Python: made into functions here, and printed so that they can be pasted into a specification."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

from neverlost.model import core
from neverlost.model.core import Index, Lemma, Model, SubsetOf
from neverlost.model.core.source import defined

from ..loading import USER
from .grammar import STATE, Clause, Context, Variable, clause_text, clause_variables

LINE = 110
"""The length of a line of printed code, beyond which a condition is broken up."""


WORDS = ("EMPTY", "NONE", "contains", "is_subset", "lemma")
"""The names of Model Python that lemmas are written with."""

_NUMBERS = count(1)
"""Each text has a place of its own."""


@dataclass(frozen=True, kw_only=True)
class WrittenLemma:
    """A lemma made from a clause: its text in Model Python, and the condition in it."""

    lemma: Lemma
    text: str
    condition: str


def written_lemmas(
    model: Model, name: str, reason: str, clauses: Iterable[tuple[Context, Clause]], taken: Iterable[str] = ()
) -> list[WrittenLemma]:
    """Some clauses as lemmas with the same reason; they are called by the name and a number above those taken."""
    conditions = [(clause_variables(*each), clause_text(*each)) for each in clauses]
    numbers = re.findall(rf"\b{name}_(\d+)\b", " ".join(taken))
    texts = [
        lemma_text(model, f"{name}_{number}", reason, variables, condition)
        for number, (variables, condition) in enumerate(conditions, start=1 + max(map(int, numbers), default=0))
    ]
    return [
        WrittenLemma(lemma=lemma, text=text, condition=condition)
        for lemma, text, (_, condition) in zip(loaded_lemmas(model, texts), texts, conditions, strict=True)
    ]


def lemma_functions(model: Model, conditions: Iterable[tuple[Sequence[Variable], str]]) -> list[Lemma]:
    """A lemma for each condition and its parameters."""
    texts = [
        lemma_text(model, f"candidate_{number}", "A candidate.", variables, condition)
        for number, (variables, condition) in enumerate(conditions)
    ]
    return loaded_lemmas(model, texts)


def loaded_lemmas(model: Model, texts: Sequence[str]) -> list[Lemma]:
    """The lemmas that some texts define, in order."""
    if not texts:
        return []
    # The model's own classes, not those of their module: a file that was loaded again has others of the same names.
    known = {each.__name__: each for each in (model.profile.state, *_domains(model))}
    known |= {name: getattr(core, name) for name in WORDS} | {"__name__": "neverlost_lemmas"}
    names = defined("\n\n\n".join(texts), f"<lemmas {next(_NUMBERS)}>", known)
    return [found for found in names.values() if isinstance(found, Lemma)]


def module_text(model: Model, texts: Sequence[str]) -> str:
    """A module of lemmas: their imports, then their texts."""
    body = "\n\n\n".join(texts)
    words = set(re.findall(r"(?<!\.)\b\w+", body))
    used = [name for name in WORDS if name in words]
    named: dict[str, set[str]] = {model.profile.state.__module__: {model.profile.state.__name__}}
    for domain in _domains(model):
        if domain.__name__ in words:
            named.setdefault(domain.__module__, set()).add(domain.__name__)
    own = model.profile.state.__module__.startswith(USER)
    imports = [f"from neverlost.{'modelling' if own else 'model.core'} import {', '.join(used)}"]
    for module, names in sorted(named.items()):
        imports.append(f"from {module.removeprefix(USER)} import {', '.join(sorted(names))}")
    return "from __future__ import annotations\n\n" + "\n".join(imports) + f"\n\n\n{body}\n"


def _domains(model: Model) -> dict[type[Index], None]:
    """The index domains of a model, and the domains of its sets."""
    found: dict[type[Index], None] = {}
    for domain in model.profile.domains:
        found[domain] = None
        if issubclass(domain, SubsetOf):
            found[domain.of] = None
    return found


def lemma_text(model: Model, name: str, reason: str, variables: Sequence[Variable], condition: str) -> str:
    """The text of one lemma in a specification."""
    parameters = ", ".join(
        [f"{STATE}: {model.profile.state.__name__}", *(f"{v.name}: {v.domain.__name__}" for v in variables)]
    )
    line = f"    return {condition}"
    if len(line) > LINE:
        line = "    return (\n        " + condition.replace(" or ", "\n        or ") + "\n    )"
    return f'@lemma("{reason}")\ndef {name}({parameters}) -> bool:\n{line}'
