"""Bounds as options: every bound of the profile is an option, `--log-size 2`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import click

from neverlost.model.core import BoundsError, Model, Profile

from ..loading import find_profile
from ..render_text import bound_option

GIVEN = "neverlost.bounds"
WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
SHOWN = 24
"""How much of a wrong value a message repeats."""
USAGE = "[--BOUND N]... [OPTIONS]"


def known_profile(reference: str) -> Profile:
    """The profile that comes with neverlost under a name, or that lies in a file."""
    from neverlost.spec import profiles

    return find_profile(reference, profiles())


class BoundedCommand(click.Command):
    """A command that takes any other long option to be a bound of its profile, and keeps it for `bounded_model`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the bounds aside, then parse the rest as usual."""
        own, ctx.meta[GIVEN] = self._split(args)
        return super().parse_args(ctx, own)

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
            else:
                bounds.append((name, waiting.pop(0) if waiting and not waiting[0].startswith("--") else None))
        return own, bounds

    @staticmethod
    def _takes_value(option: click.Option) -> bool:
        return not option.is_flag and not option.count


def bounded_model(context: click.Context, profile: Profile) -> Model:
    """The profile within the bounds given as options. Raises BoundsError for an unknown option or no whole number."""
    names = {bound_option(name): name for name in profile.bound_names}
    options = [o for p in context.command.params if isinstance(p, click.Option) for o in p.opts if o.startswith("--")]
    bounds: dict[str, int] = {}
    for option, text in context.meta[GIVEN]:
        if option not in names:
            near = difflib.get_close_matches(option, [*names, *options], n=1, cutoff=0.6)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BoundsError(
                f"{option} is no option, and no bound of {profile.name}.{hint} Its bounds: {', '.join(names)}."
            )
        if text is None or WHOLE_NUMBER.fullmatch(text.strip()) is None:
            raise BoundsError(
                f"{option} takes a whole number of at least 1, of at most 18 digits, but got {_shown(text)}"
            )
        bounds[names[option]] = int(text)
    return profile.bounded(**bounds)


def _shown(text: str | None) -> str:
    if text is None:
        return "nothing"
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}... ({len(text):,} characters)"
