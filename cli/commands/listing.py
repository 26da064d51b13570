"""`neverlost list`: list the profiles and properties."""

from __future__ import annotations

import click

from neverlost.explorer.loading import in_file, profiles_from_file
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.model.core import UnknownNameError
from neverlost.reports.list.as_text import PROFILES, PROPERTIES, list_text, overview_text

from ..terminal import show

WHAT = (PROFILES, PROPERTIES)


@click.command("list")
@click.argument("what", required=False, metavar="[profiles|properties|FILE]")
def list_command(what: str | None) -> int:
    """List the profiles by family; or with their bounds, or the properties with the profiles that assert them, or those of a file."""
    from neverlost.spec import profiles
    from neverlost.spec.families import FAMILIES

    if what is not None and in_file(what):
        show(list_text(profiles_from_file(what), None))
        return ExitCode.HOLDS
    if what is not None and what not in WHAT:
        raise UnknownNameError("list", what, WHAT)
    if what is None:
        show(overview_text({family.name.replace("_", " "): family.profiles() for family in FAMILIES}))
        return ExitCode.HOLDS
    show(list_text(list(profiles().values()), what))
    return ExitCode.HOLDS
