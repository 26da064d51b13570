"""What brokers in KRaft mode do and the model has no step for: they hear that a partition has no leader.

From 3.3.0 on (KAFKA-13858) such a broker follows nobody, and answers the producers that wait. Before 3.3.0, and with ZooKeeper, it
stays in its old leader epoch.
"""

from __future__ import annotations

from neverlost.model.core import EMPTY, NONE, Model, action, require, without
from neverlost.model.kafka.broker import forget_followers, may_hear_of
from neverlost.model.kafka.controller import forget_metadata
from neverlost.model.kafka.delays import straddle
from neverlost.model.kafka.leader import fail_produces
from neverlost.model.kafka.state import Epoch, Partition, Replica


@action("R-META-1, KAFKA-13858")
def hear_of_no_leader(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """A broker hears that nobody leads in a newer epoch: it follows nobody, and forgets what it knew as a leader."""
    require(not s.ordered_metadata)
    require(epoch <= s.newest_epoch)
    require(s.metadata_leader[epoch] == NONE)
    require(may_hear_of(s, replica, epoch))

    fail_produces(s, replica)
    forget_followers(s, replica)
    s.isr[replica] = EMPTY
    s.leader[replica] = NONE
    s.epoch[replica] = epoch
    straddle(s, replica)
    s.out_of_turn = without(s.out_of_turn, replica)
    forget_metadata(s)


def with_leaderless_news(model: Model) -> Model:
    """The model in which brokers also hear of epochs without a leader; with ZooKeeper the same model."""
    profile = model.profile
    if model.settings["ordered_metadata"] or hear_of_no_leader in profile.actions:
        return model
    heard = profile.replacing(profile.name, profile.statement, actions=(*profile.actions, hear_of_no_leader))
    return heard.bounded(**model.bounds, **model.settings)
