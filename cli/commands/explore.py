"""`neverlost explore`: click through a model, in a page on this machine."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterable, Iterator
from contextlib import suppress
from shlex import split

import click

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.model.core import Model, Profile

from ..bounds import GIVEN, USAGE, BoundedCommand, bounded_model, known_profile
from ..completion import profile_names
from ..options import OptionsError
from .traces import load

HIGHEST_PORT = 65_535


@click.command("explore", cls=BoundedCommand, options_metavar=USAGE)
@click.argument("start", metavar="START", shell_complete=profile_names)
@click.option("--profile", metavar="PROFILE", help="The profile of the trace, instead of the one named in the file.")
@click.option("--compare", default="", metavar="'VERSION KEY=VALUE...'", help="What the page compares with at first.")
@click.option(
    "--port", type=click.IntRange(0, HIGHEST_PORT), default=0, metavar="N", help="Any free port if not given."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.pass_context
def explore_command(
    context: click.Context, start: str, profile: str | None, compare: str, port: int, no_browser: bool
) -> int:
    """Click through a model: what can happen in a state, what cannot and why, and what holds there.

    START is a profile, as `neverlost list` shows or path/to/file.py:NAME, with its bounds and settings as options; or a trace, a file
    that `check --trace-out` or the page itself wrote: then the walk begins with its steps.

    The page is served on 127.0.0.1 alone, and its address holds a token. Ctrl-C ends it, with exit code 0.
    """
    from neverlost.reports.explore.app import Explorer
    from neverlost.reports.explore.serving import serve

    model, begin = _start(context, start, profile)
    if compare:
        other_model(compare, model)
    explorer = Explorer(
        model=model, token="", begin=begin, compare=compare, example=example_of_other(model), other_model=other_model
    )

    def ready(address: str) -> None:
        click.echo(f"{model.profile.name} is at {address}\nCtrl-C ends it.")
        if not no_browser:
            webbrowser.open(address)

    with suppress(KeyboardInterrupt):
        serve(explorer, port, ready)
    return ExitCode.HOLDS


def _start(context: click.Context, start: str, profile: str | None) -> tuple[Model, tuple[str, ...]]:
    """The model to explore, and the steps to begin with."""
    if not start.endswith(".json"):
        if profile is not None:
            raise OptionsError("--profile is for a trace; name the profile itself instead")
        return bounded_model(context, known_profile(start)), ()
    if context.meta[GIVEN]:
        raise OptionsError(f"a trace has its own bounds and settings; leave out {context.meta[GIVEN][0][0]}")
    trace = load(start, profile)
    return trace.model, tuple(step.show(trace.model.bounds) for step in trace.steps)


def example_of_other(model: Model) -> str:
    """What `other_model` takes: another version of the model's family, if it has one, and a setting."""
    from neverlost.spec.families import family_of

    versions = [version.name for version in family_of(model.profile).versions() if version.name != model.profile.name]
    settings = [f"{s.name}={s.show(model.settings[s.name])}" for s in model.profile.state.settings]
    return " ".join((*versions[-1:], *settings[:1])) or "path/to/file.py"


def other_model(text: str, beside: Model) -> Model:
    """The model that a person compares with: `kafka-4.0 acks=1`, or `acks=1`. The rest is as in the model that it stands beside.

    Options of the command line mean the same: `kafka-4.0 --acks 1 --clean`, and so does the word of a yes-or-no alone: `clean`.

    Raises OptionsError, and what the profile raises for settings that it does not have.
    """
    try:
        words = split(text)
    except ValueError as error:
        raise OptionsError(f"{text!r:.80} cannot be read: {error}") from error
    chosen: Profile = beside.profile
    if words and "=" not in words[0] and _plain(words[0]) not in _flags(chosen):
        chosen = _other_profile(words.pop(0))
    values: dict[str, bool | int | str] = {}
    for name, value in _settings_of(words, _flags(chosen)):
        if name in values:
            raise OptionsError(f"{name} is given twice")
        values[name] = value
    known = {setting.name for setting in chosen.state.settings}
    shared = {name: value for name, value in beside.settings.items() if name in known and name not in _own(beside)}
    read = chosen.model(**values)
    off = {setting.off: setting.name for setting in chosen.state.settings if setting.off}
    named = {off.get(name, name) for name in values}
    bounds = {name: value for name, value in beside.bounds.items() if name in chosen.bound_names}
    kept = {name: value for name, value in {**bounds, **shared}.items() if name not in named}
    given = {name: value for name, value in {**read.bounds, **read.settings}.items() if name in named}
    return chosen.bounded(**{**kept, **given})


def _settings_of(words: Iterable[str], flags: set[str]) -> Iterator[tuple[str, bool | int | str]]:
    """Each setting with its value: of `acks=1`, `--acks 1`, `--clean`, `--no-compacted` and `clean`."""
    rest = iter(words)
    for word in rest:
        name, given, value = word.partition("=")
        plain = _plain(name)
        if given:
            yield plain, _word(value)
        elif plain.removeprefix("no_") in flags:
            yield plain.removeprefix("no_"), plain in flags
        elif word.startswith("--") and (following := next(rest, None)) is not None:
            yield plain, _word(following)
        else:
            raise OptionsError(f"write a version and settings: kafka-4.0 acks=1; {word!r:.80} is something else")


def _plain(word: str) -> str:
    """The name of a setting in an option: `log_size` of `--log-size`."""
    return word.removeprefix("--").replace("-", "_")


def _flags(profile: Profile) -> set[str]:
    """The words that need no value: the settings that are a yes or no, and what turns them off."""
    chosen = [setting for setting in profile.state.settings if setting.domain.index is None]
    return {word for setting in chosen for word in (setting.name, setting.off) if word}


def _own(model: Model) -> set[str]:
    """The settings that make the version: those that are as the profile itself sets them."""
    usual = model.profile.default_settings
    return {name for name, value in model.settings.items() if value == usual[name]}


def _word(value: str) -> bool | int | str:
    return {"yes": True, "no": False}.get(value, int(value) if value.isdecimal() and len(value) < 9 else value)


def _other_profile(name: str) -> Profile:
    """A profile of neverlost by name: a file is never run because of a request."""
    from neverlost.model.core import UnknownNameError
    from neverlost.spec import profiles

    known = profiles()
    if name not in known:
        raise UnknownNameError("profile", name, known)
    return known[name]
