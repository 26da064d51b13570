"""The profiles and their properties, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neverlost.explorer.traces.commands import option_name
from neverlost.explorer.words import counted
from neverlost.model.core import Profile

from ..layout import definitions, wrapped

PROFILES, PROPERTIES = "profiles", "properties"


def list_text(known: Sequence[Profile], what: str | None) -> str:
    """The list of `what`, PROFILES or PROPERTIES; both for None."""
    sections = {
        PROFILES: "Profiles\n" + definitions({p.name: f"{p.statement} Bounds: {_bounds(p)}." for p in known}),
        PROPERTIES: "Properties\n" + definitions(_properties(known)),
    }
    return "\n\n".join(text for name, text in sections.items() if what in (None, name))


MORE = "To see one of them, or which properties there are\n  neverlost describe kafka-4.1\n  neverlost list properties"


def overview_text(families: Mapping[str, Sequence[Profile]]) -> str:
    """Every profile with its statement, by family; and what shows more."""
    return "\n\n".join([*(_of_family(name, known) for name, known in families.items()), MORE])


def _of_family(name: str, known: Sequence[Profile]) -> str:
    width = max(len(profile.name) for profile in known) + 4
    lines = (wrapped(f"{f'  {profile.name}':{width}}{profile.statement}", " " * width) for profile in known)
    return "\n".join([name, *lines])


def _bounds(profile: Profile) -> str:
    return ", ".join(option_name(name) for name in profile.bound_names)


def _properties(known: Sequence[Profile]) -> dict[str, str]:
    """Every property with its statement, once for all profiles that share it."""
    users: dict[tuple[str, str, str], list[str]] = {}
    for profile in known:
        for prop in profile.all_properties:
            users.setdefault((prop.name, prop.kind, prop.statement), []).append(profile.name)
    return {f"{name} ({kind}, of {_shared(names)})": text for (name, kind, text), names in users.items()}


def _shared(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {counted(len(names) - 1, 'other')}"
