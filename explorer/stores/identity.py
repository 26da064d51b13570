"""The identity of a search in a folder: what its result depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from neverlost.model.core import Model, NeverlostError, Profile, Property, WrittenError

from ..compile.generate import kernel_source
from ..symmetry import Symmetry, symmetry_of

REMEDY = "Restore it, or search again in a new folder"


class StoreError(NeverlostError):
    """A store cannot be used: it belongs to another search, is damaged, or does not exist."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The identity of a search: all that its result depends on, and the layout of its store."""

    engine: str
    version: str
    profile: str
    bounds: Mapping[str, int]
    settings: Mapping[str, bool | int | str]
    symmetry: Sequence[str]
    asserted: Sequence[str]
    decided: Sequence[str]
    until: str
    source: str
    words: int

    def differences(self, other: Identity) -> list[str]:
        """The differences to another identity, in words."""
        found = []
        for name, mine in asdict(self).items():
            theirs = asdict(other)[name]
            if mine == theirs or (name == "words" and self.source != other.source):
                continue
            if isinstance(mine, dict):
                keys = dict.fromkeys((*mine, *theirs))
                found += [
                    f"{name}: {k} is {mine.get(k, 'not there')}, not {theirs.get(k, 'there')}"
                    for k in keys
                    if mine.get(k) != theirs.get(k)
                ]
            elif name == "source":
                found.append("source: the actions or properties of the profile, or their compiler, have changed since")
            else:
                found.append(f"{TITLES.get(name, name)}: {_shown(mine)}, not {_shown(theirs)}")
        return found


TITLES = {
    "version": "version of neverlost",
    "asserted": "asserted properties",
    "decided": "properties",
    "words": "words of a state",
    "keep_transitions": "keep transitions",
}


def _shown(value: Any) -> str:
    return (", ".join(value) or "none") if isinstance(value, list | tuple) else str(value)


def identity_values(
    model: Model, symmetry: Symmetry, asserted: Sequence[Property], decided: Sequence[Property], until: str
) -> dict[str, Any]:
    """What every identity of a search of a model has, apart from the engine."""
    return {
        "version": version("neverlost"),
        "profile": model.profile.name,
        "bounds": dict(model.bounds),
        "settings": dict(model.plain_settings),
        "symmetry": tuple(symmetry.names),
        "asserted": tuple(p.name for p in asserted),
        "decided": tuple(p.name for p in decided),
        "until": until,
        "source": source_digest(kernel_source(model, symmetry)),
        "words": model.layout.words,
    }


def source_digest(kernel_text: str) -> str:
    """The digest of a kernel's text: a different text means a different model."""
    return hashlib.sha256(kernel_text.encode()).hexdigest()


def refuse_another(folder: Path, found: Identity, wanted: Identity) -> None:
    """Refuse to resume another search. Raises StoreError, with the differences."""
    differences = found.differences(wanted)
    if differences:
        raise StoreError(
            f"{folder} holds another search. It has " + "; ".join(differences) + ". Give a new folder for this search"
        )


def model_of(identity: Identity, folder: Path, profile_named: Callable[[str], Profile]) -> Model:
    """The model that a store names, with the current profile. Raises StoreError, and what `profile_named` raises."""
    found = profile_named(identity.profile)
    try:
        return found.bounded(**found.read(identity.bounds, identity.settings))
    except WrittenError as error:
        raise StoreError(f"{folder} is a search of another model: {error}. {REMEDY}") from error


def ensure_of(model: Model, folder: Path, identity: Identity, counts: Sequence[Sequence[int]]) -> None:
    """Raises StoreError, with the differences, if a store is not about the current model. `counts` are its generated states."""
    symmetry = symmetry_of(model, identity.symmetry, [])
    now = replace(
        identity,
        bounds=dict(model.bounds),
        settings=dict(model.plain_settings),
        source=source_digest(kernel_source(model, symmetry)),
        words=model.layout.words,
    )
    found = identity.differences(now)
    if found:
        raise StoreError(f"{folder} is a search of another model. It has {'; '.join(found)}. {REMEDY}")
    if any(len(generated) != len(model.profile.actions) for generated in counts):
        raise StoreError(f"{folder} counts the steps of other actions than {model.profile.name} has. {REMEDY}")


@dataclass(frozen=True, kw_only=True)
class KeptSearch:
    """The search in a store, as arguments of `explore`. `properties` is None for those of the profile and its probes."""

    model: Model
    properties: Sequence[str] | None
    until: str
    symmetry: Sequence[str]


def kept_search(folder: Path, identity: Identity, profile_named: Callable[[str], Profile]) -> KeptSearch:
    """The search of a store's identity; `profile_named` finds the profile that it names. Raises StoreError."""
    model = model_of(identity, folder, profile_named)
    usual = [p.name for p in (*model.profile.properties, *model.profile.probes)]
    return KeptSearch(
        model=model,
        properties=None if list(identity.decided) == usual else identity.asserted,
        until=identity.until,
        symmetry=identity.symmetry,
    )
