"""`neverlost list`: list the profiles and properties."""

from __future__ import annotations

import click

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.render_text import counted, definitions, option_name
from neverlost.model.core import Profile, UnknownNameError

from ..terminal import show

WHAT = ("profiles", "properties")


@click.command("list")
@click.argument("what", required=False, metavar="[profiles|properties]")
def list_command(what: str | None) -> int:
    """List the profiles, and the properties with the profiles that assert them; or only one of the two."""
    from neverlost.spec import profiles

    if what is not None and what not in WHAT:
        raise UnknownNameError("list", what, WHAT)
    known = list(profiles().values())
    sections = {
        "profiles": "Profiles\n" + definitions({p.name: f"{p.statement} Bounds: {_bounds(p)}." for p in known}),
        "properties": "Properties\n" + definitions(_properties(known)),
    }
    show("\n\n".join(text for name, text in sections.items() if what in (None, name)))
    return ExitCode.HOLDS


def _bounds(profile: Profile) -> str:
    return ", ".join(option_name(name) for name in profile.bound_names)


def _properties(known: list[Profile]) -> dict[str, str]:
    """Every property with its statement, once for all profiles that share it."""
    users: dict[tuple[str, str, str], list[str]] = {}
    for profile in known:
        for prop in profile.all_properties:
            users.setdefault((prop.name, prop.kind, prop.statement), []).append(profile.name)
    return {f"{name} ({kind}, of {_shared(names)})": text for (name, kind, text), names in users.items()}


def _shared(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {counted(len(names) - 1, 'other')}"
