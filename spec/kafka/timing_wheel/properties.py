"""The timing wheel as a profile, with its properties (R-TIMER-1 to R-TIMER-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neverlost.model.core import Profile, always, lemma, sometimes
from neverlost.model.kafka import timing_wheel
from neverlost.model.kafka.timing_wheel import (
    CHOOSING,
    FIRED,
    WAITING,
    Level,
    Start,
    Tick,
    Wheels,
    rounded_down,
    turn_of,
)

THIRD, FOURTH = 2, 3
PUBLISHED_END = 160000
"""Where the third level is said to end, with tick 1 and 20 slots."""
PUBLISHED_EXAMPLE = 450
"""A delay whose way down through three levels is described."""


def is_inserted(s: Wheels) -> bool:
    """Was the task inserted at time 0, and does it wait or has it fired?"""
    return s.started == 0 and (s.phase == WAITING or s.phase == FIRED)


def where_it_waits(states: Sequence[Wheels]) -> str:
    """In which level the task waits after its first insertion, and how long that level's turn is."""
    last = states[-1]
    return (
        f"A task due in {last.delay} ticks waits in level {last.first_level + 1}: the tick of level {last.first_level + 1} is"
        f" {last.tick[last.first_level]}, and its insertion looked at {last.looked_at} wheels."
    )


@always("A task due in at least a tick of level 3 and in less than 160,000 waits in level 3.", story=where_it_waits)
def level_three_reaches_160000(s: Wheels) -> bool:
    if s.size(Level) <= THIRD or not is_inserted(s):
        return True
    if s.tick[THIRD] <= s.delay and s.delay < PUBLISHED_END:
        return s.first_level == THIRD
    return True


@always("A task inserted at time 0 waits in level 3 exactly if it is due in one tick of level 3 to one turn of it.")
def level_three_is_one_turn(s: Wheels) -> bool:
    if s.size(Level) <= FOURTH or not is_inserted(s):
        return True
    return (s.first_level == THIRD) == (s.tick[THIRD] <= s.delay and s.delay < s.tick[FOURTH])


@always("An insertion looks at one wheel only, whatever the delay.", story=where_it_waits)
def insert_looks_at_one_wheel(s: Wheels) -> bool:
    return s.looked_at <= 1


@always(
    "An insertion at time 0 looks at one wheel more for each time that the delay is longer by a factor of the slots."
)
def insert_grows_with_the_logarithm(s: Wheels) -> bool:
    if s.phase != WAITING or s.inserted > 1 or s.started > 0:
        return True
    longer = 1
    for level in s.each(Level):
        if level > 0 and s.delay >= s.tick[level]:
            longer += 1
    return s.looked_at == longer


@always("A task is inserted at most once in each level on its way down.")
def inserted_once_a_level(s: Wheels) -> bool:
    return s.first_level < 0 or s.inserted <= s.first_level + 1


@always("A task that waits is in a bucket, which expires no later than the task is due.")
def waits_in_a_bucket(s: Wheels) -> bool:
    return s.phase != WAITING or (s.level >= 0 and s.expiration <= s.started + s.delay)


@always("No task fires early, and none later than at its deadline.")
def fires_on_time(s: Wheels) -> bool:
    return s.phase != FIRED or s.clock == s.started + s.delay


@sometimes("A task waits in level 3.")
def waits_in_level_three(s: Wheels) -> bool:
    return s.phase == WAITING and s.level == THIRD


@sometimes("The task due in 450 ticks waits in three levels, one after another, and fires.")
def goes_down_three_levels(s: Wheels) -> bool:
    return s.phase == FIRED and s.delay == PUBLISHED_EXAMPLE and s.first_level == THIRD and s.inserted == THIRD + 1


@sometimes("A task is inserted.")
def inserted(s: Wheels) -> bool:
    return s.phase != CHOOSING


@lemma("Ticks are set at the start and never again: each is the whole turn of the level below, up to the horizon.")
def ticks_are_turns(s: Wheels, level: Level) -> bool:
    if level == 0:
        return s.tick[level] == 1
    return s.tick[level] == min(turn_of(s, level - 1), s.size(Tick))


@lemma("Before its insertion the task is nowhere, and only time and delay grow.")
def chosen_is_nowhere(s: Wheels) -> bool:
    if s.phase != CHOOSING:
        return True
    blank = s.level < 0 and s.first_level < 0 and s.expiration == 0 and s.inserted == 0 and s.started == 0
    return blank and s.clock < s.size(Start) and s.clock + s.delay <= s.size(Tick)


@lemma("The task's deadline is within the horizon, and is never before the clock.")
def deadline_is_ahead(s: Wheels) -> bool:
    deadline = s.started + s.delay
    return s.phase == CHOOSING or (s.started <= s.clock and s.clock <= deadline <= s.size(Tick))


@lemma("A task waits in a level whose turn it is due in, in the bucket that its deadline falls into.")
def waits_where_it_belongs(s: Wheels) -> bool:
    if s.phase != WAITING:
        return True
    deadline = s.started + s.delay
    if s.level < 0 or deadline >= rounded_down(s, s.clock, s.level) + turn_of(s, s.level):
        return False
    return s.expiration == rounded_down(s, deadline, s.level) and s.clock < s.expiration


@lemma("Each expiration of its bucket takes the task to a lower level.")
def every_insertion_is_lower(s: Wheels) -> bool:
    if s.phase == WAITING:
        return s.inserted >= 1 and s.first_level >= s.level and s.inserted + s.level <= s.first_level + 1
    return s.phase == CHOOSING or s.inserted <= s.first_level + 1


def does_not_cover(bounds: Mapping[str, int]) -> str:
    """Kafka adds a level where a delay needs one. Here all are there from the start, so they have to do for every delay."""
    slots, levels, horizon = bounds["slots"], bounds["levels"], bounds["horizon"]
    if slots**levels > horizon:
        return ""
    covered = f"covers {slots**levels - 1:,} ticks and not the horizon, while Kafka adds levels as they are needed"
    enough = next((more for more in range(levels + 1, levels + 64) if slots**more > horizon), None)
    return f"{covered}; with levels {enough} it would" if enough else covered


TIMING_WHEEL = Profile(
    name="kafka-timing-wheel",
    family="timing_wheel",
    unfit=does_not_cover,
    statement="The timer of the broker's purgatory: hierarchical timing wheels, with one task in them.",
    state=Wheels,
    initial=timing_wheel.initial,
    actions=(
        timing_wheel.lengthen,
        timing_wheel.pass_time,
        timing_wheel.insert,
        timing_wheel.expire,
        timing_wheel.cancel,
    ),
    properties=(
        waits_in_a_bucket,
        fires_on_time,
        inserted_once_a_level,
        insert_grows_with_the_logarithm,
        inserted,
    ),
    probes=(
        level_three_reaches_160000,
        level_three_is_one_turn,
        insert_looks_at_one_wheel,
        waits_in_level_three,
        goes_down_three_levels,
    ),
    lemmas=(
        ticks_are_turns,
        chosen_is_nowhere,
        deadline_is_ahead,
        waits_where_it_belongs,
        every_insertion_is_lower,
    ),
    default_bounds={"slots": 20, "levels": 5, "horizon": 8400, "starts": 21},
)
