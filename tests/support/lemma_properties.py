"""Lemmas as properties that a search decides: each says that the lemma is true for all values of its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from written_models import imported

from neverlost.model.core import Lemma, Profile


def deciding_lemmas(profile: Profile, folder: Path) -> Profile:
    """The same protocol, its properties those that `PREFIX` and the name of a lemma make: what a search says of each lemma.

    They are written to a file below `folder`, for engines read the source of what they decide.
    """
    text = "from neverlost.model.core import always\n" + "".join(map(_written, profile.lemmas))
    module = imported(folder, text)
    properties = tuple(getattr(module, PREFIX + lemma.name) for lemma in profile.lemmas)
    return profile.replacing(
        f"{profile.name}/lemmas", "What the lemmas say.", properties=properties, probes=(), on_request=(), lemmas=()
    )


PREFIX = "always_"


def _written(lemma: Lemma) -> str:
    return "\n".join([*_imports(lemma), *_function(lemma), ""])


def _imports(lemma: Lemma) -> Iterator[str]:
    module, state = lemma.function.__module__, next(iter(lemma.function.__annotations__.values()))
    yield f"from {module} import {state}, {lemma.name}"
    for _, index in lemma.parameters:
        yield f"from {index.__module__} import {index.__name__}"
    yield f"says_{lemma.name} = {lemma.name}.function"


def _function(lemma: Lemma) -> Iterator[str]:
    state = next(iter(lemma.function.__annotations__.values()))
    yield f"@always('For all its parameters: {lemma.name}.')"
    yield f"def {PREFIX}{lemma.name}(s: {state}) -> bool:"
    indent = "    "
    for name, index in lemma.parameters:
        yield f"{indent}for {name} in s.each({index.__name__}):"
        indent += "    "
    yield f"{indent}if not says_{lemma.name}({', '.join(['s', *(name for name, _ in lemma.parameters)])}):"
    yield f"{indent}    return False"
    yield "    return True"
