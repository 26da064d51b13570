"""The quorums of Kafka's releases as profiles."""

from __future__ import annotations

from dataclasses import replace

from neverlost.model.core import Profile
from neverlost.model.kafka.quorum import elections, faults, reconfiguration, replicating
from neverlost.model.kafka.quorum.start import initial
from neverlost.model.kafka.quorum.state import Quorum

from . import properties
from .assumptions import ASSUMPTIONS
from .differences import NAMED, TIME_LINE
from .lemmas import LEMMAS
from .picture import PICTURE
from .scope import notes

PROTOCOL = Profile(
    name="kafka-quorum",
    family="quorum",
    statement="The controllers' quorum; each version is this under its own settings.",
    state=Quorum,
    initial=initial,
    actions=(
        elections.ask_before,
        elections.pre_vote,
        elections.stop_asking,
        elections.stand,
        elections.vote,
        elections.win,
        elections.follow,
        replicating.fetch,
        replicating.decide,
        replicating.acknowledge,
        reconfiguration.remove_voter,
        reconfiguration.add_voter,
        reconfiguration.remove_old_entry,
        reconfiguration.join,
        faults.crash,
        faults.crash_before_flush,
        faults.power_loss,
        faults.flush,
        faults.disk_loss,
        faults.quorum_state_loss,
        faults.restore_copy,
        faults.borrow_copy,
        faults.restart,
    ),
    properties=(
        properties.one_leader_per_epoch,
        properties.log_matching,
        properties.leader_completeness,
        properties.committed_never_lost,
        properties.acked_never_lost,
    ),
    probes=(
        properties.committed_is_held,
        properties.elected,
        properties.elected_again,
        properties.decision_committed,
        properties.acknowledged,
        properties.failed_over,
        properties.two_believe_to_lead,
        properties.epochs_suffice,
        properties.log_suffices,
        properties.directories_suffice,
    ),
    on_request=(properties.voter_again,),
    default_bounds={"controllers": 3, "epochs": 2, "log_size": 4},
    lemmas=LEMMAS,
    assumptions=ASSUMPTIONS,
    notes=notes(),
    picture=PICTURE,
)

VERSIONS = tuple(
    replace(
        PROTOCOL, name=named.name, statement=named.statement, settings=TIME_LINE.settings_of(named.since, named.mode)
    )
    for named in NAMED
)
"""Every version, oldest first."""

SURROUNDINGS = (
    "crash",
    "crash_before_flush",
    "power_loss",
    "disk_loss",
    "quorum_state_loss",
    "restore_copy",
    "borrow_copy",
    "remove_voter",
    "add_voter",
)
