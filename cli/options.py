"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click
from click.core import ParameterSource

from neverlost.model.core.errors import NeverlostError

Command = TypeVar("Command", bound=Callable[..., object])


class OptionsError(NeverlostError):
    """Options that are correct one by one, but exclude each other."""


def json_option(what: str) -> Callable[[Command], Command]:
    """The option that writes something as JSON."""
    text = f"Write {what} as JSON; with -, the text goes to standard error."
    return click.option("--json", "json_path", metavar="FILE|-", help=text)


def release_options(command: Command) -> Command:
    """The options that name a release of Kafka to run."""
    mode = click.option("--mode", metavar="zookeeper|kraft", help="For a release that has both; kraft if not given.")
    text = "The release of Apache Kafka to run: 4.1.1."
    return click.option("--kafka", "version", required=True, metavar="VERSION", help=text)(mode(command))


def is_given(context: click.Context, name: str) -> bool:
    """Whether an option was given on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE
