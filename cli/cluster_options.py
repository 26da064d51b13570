"""The options that name a running cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])


def cluster_options(command: Command) -> Command:
    """The options that say where a cluster is, and what of it is audited."""
    for option in (
        click.option(
            "--topic", "topics", metavar="NAME", multiple=True, help="A topic of the cluster; all if not given."
        ),
        click.option(
            "--command-config",
            metavar="FILE",
            help="How to connect to the cluster, TLS and SASL: the file that Kafka's own tools take.",
        ),
        click.option("--bootstrap-server", metavar="HOST:PORT", help="A running cluster to audit; it is only read."),
    ):
        command = option(command)
    return command
