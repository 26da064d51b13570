"""Finding profiles: by name among the known ones, or as `path/to/file.py:NAME` in a user's own file."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from neverlost.model.core import NeverlostError, Profile, UnknownNameError


class LoadingError(NeverlostError):
    """A file with a profile cannot be loaded."""


def find_profile(reference: str, known: Mapping[str, Profile]) -> Profile:
    """The profile that `reference` names. Raises UnknownNameError, or LoadingError for a file."""
    if in_file(reference):
        return profile_from_file(reference)
    if reference not in known:
        raise UnknownNameError("profile", reference, known)
    return known[reference]


def in_file(reference: str) -> bool:
    """Does the reference name a profile in a Python file?"""
    return reference.split(":", maxsplit=1)[0].endswith(".py")


def profile_from_file(reference: str) -> Profile:
    """The profile NAME of the file in `path/to/file.py:NAME`, under that reference as its name. Runs the file.

    Raises LoadingError when the file cannot be read or run, UnknownNameError when it has no such profile.
    """
    path, _, name = reference.rpartition(":") if ":" in reference else (reference, "", "")
    module = load_module(Path(path))
    found = {key: value for key, value in vars(module).items() if isinstance(value, Profile)}
    if not found:
        raise LoadingError(f"{path} defines no Profile")
    if name not in found:
        if not name:
            raise LoadingError(f"{path} needs the name of a profile: {' or '.join(f'{path}:{n}' for n in found)}")
        raise UnknownNameError(f"profile in {path}", name, found)
    return replace(found[name], name=reference)


def load_module(path: Path) -> ModuleType:
    """A Python file as a module, run. Raises LoadingError when it cannot be read or run."""
    if not path.is_file():
        raise LoadingError(f"there is no file {path}")
    name = f"neverlost_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadingError(f"{path} cannot be loaded as a Python module")
    module = importlib.util.module_from_spec(spec)
    # Python finds what a module's classes and functions mean through sys.modules, as their annotations need.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except NeverlostError:
        raise
    except (Exception, SystemExit) as error:
        raise LoadingError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module
