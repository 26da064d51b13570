"""Claims about the timer: C-09 and C-10."""

from __future__ import annotations

from neverlost.spec.claims import Assumption, Case, Claim, Remark

from .properties import TIMING_WHEEL

ALL_DELAYS = {"slots": 20, "levels": 5, "horizon": 160400, "starts": 1}
"""The wheels of tick 1 and 20 slots, with every delay up to beyond 160,000."""

C_09 = Claim(
    id="C-09",
    sentence="With tick 1 and 20 slots, level 3 of the timing wheel covers delays from 400 to 160,000.",
    short="tick 1, 20 slots: level 3 of the wheel covers [400, 160000)",
    articles=("003",),
    refuted_by="a delay within that range whose task waits in another level",
    cases=(Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="level_three_reaches_160000"),),
    witness="waits_in_level_three",
    remarks=(
        Remark(
            question="Does it cover [400, 8000), one turn of level 3, and nothing else?",
            case=Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="level_three_is_one_turn"),
        ),
        Remark(
            question="Does the task due in 450 wait in level 3, then 2, then 1, and fire?",
            case=Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="goes_down_three_levels"),
        ),
        Remark(
            question="Does every task fire exactly at its deadline, at whatever time it is inserted?",
            case=Case(profile=TIMING_WHEEL, property="fires_on_time"),
        ),
    ),
    note="160,000 is where level 4 ends: its tick is 8,000, and it has 20 slots.",
)
C_10 = Claim(
    id="C-10",
    sentence="Inserting into the timing wheel and removing from it take constant time, O(1).",
    short="insert and remove in the timing wheel are O(1)",
    articles=("003",),
    refuted_by="an insertion that looks at more wheels than another because its task is due later",
    cases=(Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="insert_looks_at_one_wheel"),),
    witness="inserted",
    assumptions=(Assumption(words="every delay is below one turn of the lowest wheel", chosen={"horizon": 19}),),
    remarks=(
        Remark(
            question="Does an insertion look at one wheel more for every factor of 20 in the delay, and no more?",
            case=Case(profile=TIMING_WHEEL, chosen=ALL_DELAYS, property="insert_grows_with_the_logarithm"),
        ),
        Remark(
            question="Is a task inserted at most once in each level on its way down?",
            case=Case(profile=TIMING_WHEEL, property="inserted_once_a_level"),
        ),
    ),
    note=(
        "Constant in the number of tasks that wait, since nothing of another task is looked at: the model's insertion and removal"
        " touch one bucket. In the delay it is the logarithm to the base of the slots. Not modelled: a bucket that becomes used"
        " enters a queue ordered by expiration, which takes the logarithm of the number of buckets in use."
    ),
)

CLAIMS = (C_09, C_10)
