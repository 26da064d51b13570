"""Mutants of a model that is one module: copies of it and of its profile in which one guard is gone."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from mutation import Mutation, mutated, mutations

from neverlost.model.core import Profile


def guards_of(model: ModuleType) -> list[Mutation]:
    """Every `require` of the module, left out."""
    return [m for m in mutations([Path(str(model.__file__))]) if m.is_require]


def mutant_of(mutation: Mutation, model: ModuleType, spec: ModuleType, folder: Path) -> Profile:
    """The profile of the `spec` module over a copy of the model in which the mutation is made.

    The copies are imported from `folder` under names that no other mutant has.
    """
    short = model.__name__.rpartition(".")[2]
    name = f"{short}_{mutation.start[0]}_{mutation.start[1]}"
    source = Path(str(model.__file__)).parent
    (folder / f"{name}_model.py").write_text(mutated(mutation, source), encoding="utf-8")
    text = Path(str(spec.__file__)).read_text(encoding="utf-8")
    text = text.replace(f"from neverlost.model.kafka import {short}", f"import {name}_model as {short}")
    text = text.replace(model.__name__, f"{name}_model")
    (folder / f"{name}_spec.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        profile: Profile = getattr(importlib.import_module(f"{name}_spec"), short.upper())
    finally:
        sys.path.remove(str(folder))
        for module in (f"{name}_model", f"{name}_spec"):
            sys.modules.pop(module, None)
    return profile
