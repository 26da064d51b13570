"""The transactions of Kafka's releases as profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from neverlost.model.core import Profile
from neverlost.model.kafka.transactions import coordinator, faults, late, producer
from neverlost.model.kafka.transactions.start import initial
from neverlost.model.kafka.transactions.state import Transactions

from ..releases import NamedVersion
from . import properties
from .assumptions import ASSUMPTIONS
from .differences import NAMED, TIME_LINE, lacking
from .lemmas import LEMMAS
from .picture import PICTURE
from .scope import notes


def clashes(bounds: Mapping[str, int], settings: Mapping[str, int]) -> str:
    """A coordinator that loses its log while it reads it is the first of two that follow each other."""
    if not bounds["partial_loads"] or settings["coordinator_moves"] > 1:
        return ""
    return "has a coordinator lose its log while it reads it only where it moves twice: choose coordinator_moves 2, or no partial_loads"


PROTOCOL = Profile(
    name="kafka-transactions",
    family="transactions",
    statement="The transactions of one transactional id; each version is this under its own settings.",
    state=Transactions,
    initial=initial,
    actions=(
        producer.start,
        producer.begin,
        producer.add_partition,
        producer.produce,
        producer.give_up,
        producer.give_up_in_the_same_epoch,
        producer.end,
        producer.end_unstarted,
        producer.bump_epoch,
        coordinator.time_out,
        coordinator.write_marker,
        coordinator.complete,
        coordinator.move_coordinator,
        coordinator.move_without_tail,
        coordinator.lose_log_while_reading,
        late.late_init_arrives,
        late.late_bump_arrives,
        late.late_add_arrives,
        late.verify_late,
        late.append_late,
        late.late_end_arrives,
        late.late_marker_arrives,
        faults.expire_producer,
        faults.lose_marker,
        faults.read_early,
    ),
    properties=(
        properties.all_or_nothing,
        properties.no_aborted_read,
        properties.no_commit_lost,
        properties.zombie_fenced,
        properties.no_duplicate,
        properties.in_order,
        properties.markers_accepted,
    ),
    probes=(
        properties.nothing_hangs,
        properties.fenced_by_others,
        properties.epochs_suffice,
        properties.all_visible,
        properties.all_skipped,
        properties.all_committed,
        properties.zombie_skipped,
        properties.a_producer_is_fenced,
        properties.open_at_the_end,
        properties.one_after_the_other,
    ),
    on_request=(properties.goes_on_after_timeouts, properties.decided_completes),
    default_bounds={"producers": 2, "transactions": 2, "partitions": 2, "epochs": 8, "partial_loads": 0},
    clash=clashes,
    notes=notes(),
    picture=PICTURE,
)


def version_of(named: NamedVersion) -> Profile:
    """The profile of the releases that have this name."""
    settings = TIME_LINE.settings_of(named.since, named.mode)
    return replace(
        PROTOCOL,
        name=named.name,
        statement=named.statement,
        settings=settings,
        lacks=lacking(named.since),
        lemmas=LEMMAS,
        assumptions=ASSUMPTIONS,
    )


VERSIONS = tuple(version_of(named) for named in NAMED)
"""Every version, oldest first."""

SURROUNDINGS = (
    "begin",
    "time_out",
    "move_coordinator",
    "move_without_tail",
    "lose_log_while_reading",
    "expire_producer",
    "lose_marker",
    "read_early",
)
"""What happens to transactions, and is no deed of clients or brokers that another could refuse."""
