"""What brokers in KRaft mode do and the model has no step for: they hear that a partition has no leader.

From 3.3.0 on (KAFKA-13858) such a broker follows nobody, and answers the producers that wait. Before 3.3.0, and with ZooKeeper, it
stays in its old leader epoch.
"""

from __future__ import annotations

from neverlost.model.core import NONE, Model, action, require
from neverlost.model.kafka.replication.broker import follow, may_hear_of
from neverlost.model.kafka.replication.state import Epoch, Partition, Replica


@action("R-META-1, KAFKA-13858")
def hear_of_no_leader(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A broker hears that nobody leads in a newer epoch: it follows nobody, and forgets what it knew as a leader."""
    require(not s.ordered_metadata)
    require(epoch <= s.newest_epoch)
    require(s.metadata_leader[epoch] == NONE)
    require(may_hear_of(s, replica, epoch))

    follow(s, replica, NONE, epoch)


def with_leaderless_news(model: Model) -> Model:
    """The model in which brokers also hear of epochs without a leader; with ZooKeeper the same model."""
    profile = model.profile
    if model.settings["ordered_metadata"] or hear_of_no_leader in profile.actions:
        return model
    heard = profile.replacing(profile.name, profile.statement, actions=(*profile.actions, hear_of_no_leader))
    return heard.bounded_to_follow(**model.bounds, **model.settings)
