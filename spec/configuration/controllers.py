"""Files of controllers: whether a node is one, and whether it is nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neverlost.spec.kafka.releases import KRAFT
from neverlost.spec.kafka.replication.differences import TIME_LINE

from .configuration_file import ConfigurationFile
from .defaults import deciding_keys
from .forms.properties_file import FORM as PROPERTIES
from .notices import Notice
from .values import SourcedValue
from .version_choice import ChosenVersion

ROLES, BROKER, CONTROLLER = "process.roles", "broker", "controller"


def roles_of(file: ConfigurationFile) -> frozenset[str]:
    """What a node of KRaft is, as its file says; empty if it does not."""
    given = [entry.value for entry in file.entries if entry.key == ROLES] if file.role == "broker" else []
    return frozenset(role.strip() for value in given for role in value.split(",") if role.strip())


def controls_only(file: ConfigurationFile) -> bool:
    """Is it the file of a controller that is no broker, and does it set nothing that decides for topics?

    A controller gives new topics their defaults, and decides about unclean elections: where its file says something of that, it counts.
    """
    return roles_of(file) == {CONTROLLER} and not any(entry.key in deciding_keys("broker") for entry in file.entries)


def seen_by_controllers(
    of_unclean: SourcedValue, files: Sequence[ConfigurationFile], chosen: ChosenVersion
) -> tuple[SourcedValue, tuple[Notice, ...]]:
    """Whether unclean elections are allowed, where only brokers that are no controllers say it, and the doubt about it.

    A controller takes what is set for the topic or at run time, else what its own file has (ControllerServer hands it its originals,
    ConfigurationControlManager.uncleanLeaderElectionEnabledForTopic reads them, from 3.9 on); a broker shows its own. So a default that
    a broker shows is none that a file says. What starts containers, or has an operator start them, has one configuration for both.
    """
    nodes = [file for file in files if roles_of(file) and (file.printed or file.form == PROPERTIES)]
    if (
        chosen.mode != KRAFT
        or TIME_LINE.settings_of(chosen.release, chosen.mode).get("ignores_unclean")
        or not nodes
        or any(CONTROLLER in roles_of(file) for file in nodes)
    ):
        return of_unclean, ()
    if of_unclean.layer == "default":
        return replace(of_unclean, file=None, line=None), ()
    if of_unclean.layer != "broker":
        return of_unclean, ()
    what = "controllers decide about unclean elections, and this is what a broker has that is none."
    why = "They take what is set for the topic or at run time, else what their own files have."
    advice = "Set it for the topic or for all brokers (--entity-default), or in the controllers' files too."
    return of_unclean, (of_unclean.notice(what, why, advice, decides=True),)
