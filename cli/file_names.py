"""Arguments that name files and folders: a shell completes them."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

FILES = frozenset(("FILE", "JAR", "HISTORY", "CASES", "EVENTS", "TRACE", "OLD", "PROFILE"))
FOLDER = "DIR"


class FileName(click.types.StringParamType):
    """A text that names a file, or a folder: the shell completes it. `kind` is "file" or "dir"."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The shell does it itself."""
        return [CompletionItem(incomplete, type=self.kind)]


def with_file_names(command: click.Command) -> click.Command:
    """The command, in which each text that is shown as a file or a folder is completed as one; of a group in every command of it."""
    for one in command.commands.values() if isinstance(command, click.Group) else ():
        with_file_names(one)
    for parameter in command.params:
        shown = (parameter.metavar or parameter.human_readable_name).strip("[].").upper().split("|")
        if parameter.type is click.STRING and (FILES | {FOLDER}) & set(shown):
            parameter.type = FileName("dir" if FOLDER in shown else "file")
    return command
