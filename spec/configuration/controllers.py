"""Files of controllers: whether a node is one, and whether it is nothing else."""

from __future__ import annotations

from .configuration_file import ConfigurationFile
from .defaults import deciding_keys

ROLES, CONTROLLER = "process.roles", "controller"


def roles_of(file: ConfigurationFile) -> frozenset[str]:
    """What a node of KRaft is, as its file says; empty if it does not."""
    given = [entry.value for entry in file.entries if entry.key == ROLES] if file.role == "broker" else []
    return frozenset(role.strip() for value in given for role in value.split(",") if role.strip())


def controls_only(file: ConfigurationFile) -> bool:
    """Is it the file of a controller that is no broker, and does it set nothing that decides for topics?

    A controller gives new topics their defaults, and decides about unclean elections: where its file says something of that, it counts.
    """
    return roles_of(file) == {CONTROLLER} and not any(entry.key in deciding_keys("broker") for entry in file.entries)
