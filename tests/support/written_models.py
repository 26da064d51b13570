"""Model functions written to a file, as a user would write them, and imported from there."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

HEADER = """\
from neverlost.model.core import *
from neverlost.model.core import EMPTY, NONE

class Box(Index, bound="boxes"):
    pass

class BoxSet(SubsetOf, of=Box):
    pass

class Colour(Index, names=("red", "dark blue")):
    pass

class Boxes(State):
    ball = per(Box, flag())
    weight = per(Box, Box, up_to(Box))
    picked = optional(Box)
    chosen = any_of(BoxSet)
    count = up_to(Box)
    colour = any_of(Colour)

LIMIT = 2
TABLE = [1, 2]

"""
FIRST_LINE = HEADER.count("\n") + 1
"""The line on which what follows the header begins."""

_numbers = itertools.count()


def written(folder: Path, text: str) -> ModuleType:
    """The module made of the header and `text`, in a file below `folder`."""
    return imported(folder, HEADER + text)


def imported(folder: Path, text: str) -> ModuleType:
    """The module made of `text`, in a file below `folder`."""
    name = f"written_model_{next(_numbers)}"
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
