"""What a shell can complete: profiles, properties, bounds and settings."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from neverlost.explorer.traces.commands import off_option, option_name
from neverlost.model.core import Profile

WORDS = "neverlost.words"
"""Where a command keeps its words: while the user writes the last one, Click may not have parsed the others."""


def profile_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The profiles of neverlost."""
    from neverlost.spec import profiles

    known = profiles()
    return [CompletionItem(name, help=known[name].statement) for name in known if name.startswith(incomplete)]


def property_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The properties of the named profile."""
    found = chosen_profile(context)
    properties = () if found is None else found.all_properties
    return [CompletionItem(p.name, help=p.statement) for p in properties if p.name.startswith(incomplete)]


def bound_options(context: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """The bounds and settings of the named profile, as options."""
    found = chosen_profile(context)
    if found is None:
        return
    meanings = found.state.meanings()
    options = {option_name(name): f"default {found.default_bounds[name]}" for name in found.bound_names}
    for declared in found.state.settings:
        options[option_name(declared.name)] = meanings.get(declared.name, "")
        if declared.domain.index is None:
            options[off_option(declared)] = ""
    yield from (CompletionItem(name, help=text) for name, text in options.items() if name.startswith(incomplete))


def chosen_profile(context: click.Context) -> Profile | None:
    """The profile that the command line names, if it is one of neverlost's: no user's file is run to complete a word."""
    from neverlost.spec import profiles

    known = profiles()
    return next((known[word] for word in context.meta.get(WORDS, ()) if word in known), None)
