"""Bounds and settings of a profile as options: `--log-size 2 --acks all --unclean`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import cache

import click
from click.shell_completion import CompletionItem

from neverlost.explorer.loading import find_profile, in_file, recorded_profile
from neverlost.explorer.traces.commands import off_option, option_name
from neverlost.model.core import BoundsError, Model, Profile, Setting
from neverlost.model.core.errors import MOST_SHOWN

from .completion import WORDS, bound_options
from .counts import MOST_DIGITS, short

GIVEN = "neverlost.bounds"
WHOLE_NUMBER = re.compile(rf"[+-]?\d{{1,{MOST_DIGITS}}}")
USAGE = "[--BOUND N]... [--SETTING VALUE]... [OPTIONS]"


def known_profile(reference: str) -> Profile:
    """The profile of neverlost with this name, or the one in this file."""
    from neverlost.spec import profiles

    found = find_profile(reference, profiles())
    if not in_file(reference) and found.name != reference:
        click.echo(f"{reference} behaves as {found.name} does.", err=True)
    return found


def named_profile(recorded: str, asked: str | None, holder: str) -> Profile:
    """The profile that a file of data names, or the user's instead. `holder` says what the file is: `t.json is a trace`."""
    from neverlost.spec import profiles

    return recorded_profile(recorded, asked, holder, profiles())


@cache
def _switches(words: tuple[str, ...]) -> frozenset[str]:
    """The options without a value: those of the yes-or-no settings of the profile that is among these words, or of all profiles."""
    from neverlost.spec import profiles

    known = profiles()
    named = [known[word] for word in words if word in known] or list(known.values())
    flags = [s for state in {profile.state for profile in named} for s in state.settings if s.domain.index is None]
    return frozenset(option for s in flags for option in (option_name(s.name), off_option(s)))


class BoundedCommand(click.Command):
    """A command that takes every unknown long option for a bound or setting of its profile, and keeps it for `bounded_model`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the bounds aside, then parse the rest as usual."""
        ctx.meta[WORDS] = tuple(args)
        own, ctx.meta[GIVEN] = self._split(args)
        return super().parse_args(ctx, own)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The command's own options, and the bounds and settings of the named profile."""
        return [*super().shell_complete(ctx, incomplete), *bound_options(ctx, incomplete)]

    def _split(self, args: Sequence[str]) -> tuple[list[str], list[tuple[str, str | None]]]:
        takes_value = {
            name: self._takes_value(p) for p in self.params if isinstance(p, click.Option) for name in p.opts
        }
        takes_value |= {"--help": False}
        own: list[str] = []
        bounds: list[tuple[str, str | None]] = []
        waiting = list(args)
        while waiting:
            word = waiting.pop(0)
            name, separator, value = word.partition("=")
            if word == "--":
                own += [word, *waiting]
                break
            if not word.startswith("--"):
                own.append(word)
            elif name in takes_value:
                own.append(word)
                own += [waiting.pop(0)] if takes_value[name] and not separator and waiting else []
            elif separator:
                bounds.append((name, value))
            elif name in _switches(tuple(args)) or not waiting or waiting[0].startswith("--"):
                bounds.append((name, None))
            else:
                bounds.append((name, waiting.pop(0)))
        return own, bounds

    @staticmethod
    def _takes_value(option: click.Option) -> bool:
        return not option.is_flag and not option.count


def bounded_model(context: click.Context, profile: Profile) -> Model:
    """The profile within the bounds and with the settings given as options. Raises BoundsError."""
    return profile.bounded(**chosen_bounds(context, profile))


def chosen_bounds(context: click.Context, profile: Profile) -> dict[str, int]:
    """The bounds and settings given as options, by name. Raises as `bounds_of` does."""
    return bounds_of(context.meta[GIVEN], profile, context)


def bounds_of(given: Iterable[tuple[str, str | None]], profile: Profile, context: click.Context) -> dict[str, int]:
    """The bounds and settings that options of a command give, by name.

    Raises BoundsError for an unknown option, a bound that is not a whole number, a choice that a setting does not have, and for a
    profile with a bound or setting that has the name of an option of the command.
    """
    bounds = {option_name(name): name for name in profile.bound_names}
    settings = {option_name(s.name): s for s in profile.state.settings}
    switched_off = {off_option(s): s for s in profile.state.settings if s.domain.index is None}
    own = _own_options(context.command)
    for option in sorted({*bounds, *settings, *switched_off} & {*own}):
        raise BoundsError(
            f"{option} of {profile.name} cannot be chosen here, because `{context.command_path}` has an option of that name;"
            " give the bound or setting of the model another name"
        )
    values: dict[str, int] = {}
    for option, text in given:
        if option in bounds:
            values[bounds[option]] = _whole_number(option, text)
        elif option in settings:
            values[settings[option].name] = _choice(option, settings[option], text)
        elif option in switched_off:
            values[switched_off[option].name] = 1 - _choice(option, switched_off[option], text)
        else:
            raise BoundsError(_unknown(profile, option, [*bounds], [*settings], [*switched_off, *own]))
    return values


def _unknown(
    profile: Profile, option: str, bounds: Sequence[str], settings: Sequence[str], others: Sequence[str]
) -> str:
    """What is said of an option that neither the command nor the profile has: the nearest one, and where all are listed."""
    positive = option.replace("--no-", "--", 1)
    off = next((off_option(s) for s in profile.state.settings if option_name(s.name) == positive and s.off), None)
    near = [off] if off else difflib.get_close_matches(option, [*bounds, *settings, *others], n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]}?" if near else ""
    listed = (
        ", ".join(settings) if len(settings) <= MOST_SHOWN else f"{len(settings)}, which `neverlost describe` lists"
    )
    also = f" Its settings: {listed}." if settings else ""
    return f"{option} is neither an option nor a bound of {profile.name}.{hint} Its bounds: {', '.join(bounds)}.{also}"


def clashes(context: click.Context, profile: Profile) -> dict[str, list[str]]:
    """The options of bounds and settings that commands have themselves, each with these commands: there it cannot be chosen."""
    group = context.find_root().command
    assert isinstance(group, click.Group)
    names = {option_name(name) for name in (*profile.bound_names, *(s.name for s in profile.state.settings))}
    names |= {off_option(s) for s in profile.state.settings if s.domain.index is None}
    found: dict[str, list[str]] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, BoundedCommand):
            for option in sorted(names & {*_own_options(command)}):
                found.setdefault(option, []).append(f"neverlost {name}")
    return found


def _own_options(command: click.Command) -> list[str]:
    """The long options that a command itself has."""
    return [o for p in command.params if isinstance(p, click.Option) for o in p.opts if o.startswith("--")]


def _whole_number(option: str, text: str | None) -> int:
    if text is None or WHOLE_NUMBER.fullmatch(text.strip()) is None:
        raise BoundsError(
            f"{option} takes a whole number of at least 1, of at most {MOST_DIGITS} digits, but got {_shown(text)}"
        )
    return int(text)


def _choice(option: str, chosen: Setting, text: str | None) -> int:
    choices = chosen.choices()
    if text is None and chosen.domain.index is None:
        return 1
    if text is None or text.strip() not in choices:
        raise BoundsError(f"{option} takes one of {', '.join(choices)}, but got {_shown(text)}")
    return choices[text.strip()]


def _shown(text: str | None) -> str:
    return "nothing" if text is None else short(text)
