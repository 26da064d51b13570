"""Finding profiles: by name among the known ones, or as `path/to/file.py:NAME` in a user's own file."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from shlex import quote
from traceback import walk_tb
from types import CodeType, ModuleType

from neverlost.model import core
from neverlost.model.arguments import argument
from neverlost.model.core import NeverlostError, Profile, UnknownNameError
from neverlost.model.core.parsing import parsed
from neverlost.model.core.profile import MAX_BOUND

USER = "neverlost_user_"
"""What the name of a user's module begins with, before the name of its file."""


class LoadingError(NeverlostError):
    """A file with a profile cannot be loaded."""


UNKNOWN_KEYWORD = re.compile(r"Profile\.__init__\(\) got an unexpected keyword argument '(\w+)'")
MISSING_INITIAL = "Profile.__init__() missing 1 required keyword-only argument: 'initial'"


def _line(error: BaseException, path: str) -> str:
    """The last line of the file that was running, where the error does not name one itself."""
    lines = [number for frame, number in walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
    return f", at line {lines[-1]}" if lines else ""


def _hint(error: BaseException) -> str:
    """What to write, where Python's own message does not say it."""
    unknown = UNKNOWN_KEYWORD.fullmatch(str(error))
    if unknown:
        return f": {UnknownNameError('argument of Profile', unknown[1], [one.name for one in fields(Profile)])}"
    if isinstance(error, NameError) and hasattr(core, error.name or ""):
        return f"; write `from neverlost.modelling import {error.name}`"
    if str(error) != MISSING_INITIAL:
        return ""
    return "; write initial=initial, and `def initial(s: YourState) -> None`, which sets what does not begin at its lowest value"


class _FromText(SourceFileLoader):
    """Runs the source file, from which kernels are made too; never a `.pyc`, which may differ from it."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def find_profile(reference: str, known: Mapping[str, Profile]) -> Profile:
    """The profile that `reference` names. Raises UnknownNameError, or LoadingError for a file."""
    if in_file(reference):
        return profile_from_file(reference)
    if reference not in known:
        raise UnknownNameError("profile", reference, known)
    return known[reference]


def recorded_profile(recorded: str, asked: str | None, holder: str, known: Mapping[str, Profile]) -> Profile:
    """The profile that a file of data names, or the user's instead. A Python file runs only if the user names it.

    `holder` says what the data is: `t.json is a trace`.
    Raises what `find_profile` raises, and LoadingError for a file.
    """
    if asked is None and in_file(recorded):
        named = argument("profile_reference", recorded, options=("profile",))
        raise LoadingError(f"{holder} of {quote(recorded)}; add {named} to run that file and load it")
    return find_profile(recorded if asked is None else asked, known)


def in_file(reference: str) -> bool:
    """Whether the reference names a profile in a Python file."""
    return reference.split(":", maxsplit=1)[0].endswith(".py")


def files_of(*references: str | None) -> list[str]:
    """The Python files that references name: `path/to/file.py` of `path/to/file.py:NAME`."""
    named = [reference for reference in references if reference is not None and in_file(reference)]
    return [reference.rpartition(":")[0] if ":" in reference else reference for reference in named]


def profile_from_file(reference: str) -> Profile:
    """The profile NAME of the file in `path/to/file.py:NAME`, under that reference as its name. Runs the file.

    Without a NAME, the file must define one profile only.

    Raises LoadingError when the file cannot be read or run, UnknownNameError when it has no such profile.
    """
    path, _, name = reference.rpartition(":") if ":" in reference else (reference, "", "")
    found = _defined_in(path)
    if not name and len(found) == 1:
        (name,) = found
    if name not in found:
        if not name:
            raise LoadingError(f"{path} needs the name of a profile: {' or '.join(f'{path}:{n}' for n in found)}")
        raise UnknownNameError(f"profile in {path}", name, found)
    for bound, value in found[name].default_bounds.items():
        least = 0 if bound in found[name].optional_bounds else 1
        if type(value) is not int or not least <= value <= MAX_BOUND:
            place = f"{path}:{_line_of(name, Path(path))}"
            raise LoadingError(
                f"{place}: {bound} is {value!r:.60} by default; write a whole number from {least} to {MAX_BOUND}"
            )
    return replace(found[name], name=f"{path}:{name}")


def profiles_from_file(path: str) -> list[Profile]:
    """Every profile that a file defines, under the reference that names it. Runs the file. Raises LoadingError."""
    return [replace(profile, name=f"{path}:{name}") for name, profile in _defined_in(path).items()]


def _defined_in(path: str) -> dict[str, Profile]:
    module = load_module(Path(path))
    found = {key: value for key, value in vars(module).items() if isinstance(value, Profile)}
    if not found:
        raise LoadingError(f"{path} defines no Profile")
    return found


def _line_of(name: str, path: Path) -> int:
    """The line of the last assignment to a name in a file; the first line if there is no `=`."""
    body = parsed(path.read_bytes()).body
    assigned = [node for node in body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [(node, node.targets if isinstance(node, ast.Assign) else [node.target]) for node in assigned]
    return max((n.lineno for n, to in targets if any(isinstance(t, ast.Name) and t.id == name for t in to)), default=1)


def load_module(path: Path) -> ModuleType:
    """A Python file as a module, run. Raises LoadingError when it cannot be read or run."""
    if not path.is_file():
        raise LoadingError(f"there is no file {path}")
    name = f"{USER}{path.stem}"
    loader = _FromText(name, str(path))
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = importlib.util.module_from_spec(spec)
    # Annotations of the module's classes and functions are resolved through sys.modules.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        loader.exec_module(module)
    except (NeverlostError, KeyboardInterrupt):
        raise
    except BaseException as error:
        said = f"{type(error).__name__}: {error}{_hint(error)}"
        raise LoadingError(f"{path} cannot be loaded{_line(error, str(path))}: {said}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module
