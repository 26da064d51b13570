"""The command that finds a trace again. A trace keeps it in its file, so it is made here and not in the reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote

from neverlost.model.arguments import as_options
from neverlost.model.core import Model, Profile, Setting

from ..loading import in_file
from .trace import Trace


def check_command(trace: Trace) -> list[str]:
    """The words of the command that finds this trace again."""
    return search_command(trace.model, trace.property, trace.symmetry)


def check_words(model: Model, name: str) -> str:
    """The command that asserts a property of a model, on one line."""
    return " ".join(search_command(model, name))


def search_command(model: Model, name: str | None, symmetry: Iterable[str] = ()) -> list[str]:
    """The words of the command that searches a model for a property, an option with its value in one."""
    chosen = [f"--property {name}"] if name is not None else []
    symmetric = [f"--symmetric {domain}" for domain in symmetry]
    return ["neverlost check", model.profile.name, *model_options(model), *chosen, *symmetric]


def call_words(trace: Trace, profile: str) -> str:
    """The call of Python that finds this trace again, where no command can: its profile, the value of `profile`, is in no file."""
    model = trace.model
    usual = model.profile.default_bounds
    given = [f"{name}={value}" for name, value in model.bounds.items() if value != usual[name]]
    given += filter(None, [model.profile.in_words(model.settings)])
    asked = [] if trace.property is None else [f'["{trace.property}"]']
    asked += [f"symmetry={list(trace.symmetry)!r}"] if trace.symmetry else []
    made = f"{profile}.model({', '.join(given)})"
    return f"nl.check({', '.join([made, *asked])})"


def trace_words(model: Model, file: str) -> str:
    """The command that shows the trace of a model in a file: it names the model's own file, if there is one, to run it."""
    name = model.profile.name
    return f"neverlost trace {quote(file)}{f' --profile {quote(name)}' if in_file(name) else ''}"


def model_options(model: Model) -> list[str]:
    """The bounds that are not 0 as options, and the settings that differ from the profile's own: `--log-size 2 --acks all --clean`."""
    return [f"{option_name(name)} {value}" for name, value in model.bounds.items() if value] + setting_options(model)


def setting_options(model: Model) -> list[str]:
    """The settings that are not the profile's own, as options."""
    return [setting_option(s, value) for s, value in model.profile.not_its_own(model.settings)]


def settings_words(profile: Profile, settings: Mapping[str, int]) -> str:
    """The settings that are not the profile's own, as the caller would write them: `--acks 1 --clean`, or `acks="1", unclean=False`."""
    if as_options():
        return " ".join(setting_option(s, value) for s, value in profile.not_its_own(settings))
    return profile.in_words(settings)


def setting_option(chosen: Setting, value: int) -> str:
    """A setting as an option: `--acks all`, `--unclean`; `--clean` for a yes-or-no that is off."""
    if chosen.domain.index is not None:
        return f"{option_name(chosen.name)} {chosen.show(value)}"
    return option_name(chosen.name) if value else off_option(chosen)


def off_option(chosen: Setting) -> str:
    """The option that turns a yes-or-no off: the name that it declares for this, or `--no-NAME`."""
    return option_name(chosen.off or f"no_{chosen.name}")


def option_name(name: str) -> str:
    """`log_size` as `--log-size`."""
    return "--" + name.replace("_", "-")
