"""The Kafka model with steps split that it has as one: a copy of its modules in which a setting, `split`, chooses which.

What a step of the model does at once is then done in two steps, with anything in between that Kafka allows there.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from neverlost.conformance.mutants.mutant import ensure_stands_once
from neverlost.model.core import Profile
from neverlost.model.kafka import replication as model
from neverlost.spec.kafka import replication as spec

MODELS = Path(model.__file__).parent
PROFILES = Path(spec.__file__).parent
OTHER_PROFILES = ("claim_properties", "matrix", "mutant_configurations", "thorough")

NOT_SPLIT, LOOKED_AT_LATER, ANSWERED_LATER, MOVED_LATER, UNFENCED_LATER = range(5)
SECOND_HALVES = ("look_at_produces", "move_high_watermark")

SECOND_STEPS = '''"""The halves of steps that are split, where the model has no step to add them to."""

from __future__ import annotations

from neverlost.model.core import action, require

from .leader import advance_high_watermark, complete_produces, fail_produces, is_to_be_looked_at, leads
from .state import ANSWERED_LATER, LOOKED_AT_LATER, MOVED_LATER, Partition, Replica


@action("R-DP-3")
def look_at_produces(s: Partition, broker: Replica) -> None:
    """A thread looks at the delayed produces of a broker that now have an answer."""
    require(s.split == LOOKED_AT_LATER or s.split == ANSWERED_LATER)
    require(is_to_be_looked_at(s, broker))

    if leads(s, broker):
        complete_produces(s, broker)
    else:
        fail_produces(s, broker)


@action("R-HW-1")
def move_high_watermark(s: Partition, leader: Replica) -> None:
    """A leader computes its high watermark anew from what it knows of its followers."""
    require(s.split == MOVED_LATER)
    require(leads(s, leader))

    advance_high_watermark(s, leader)

'''

IS_TO_BE_LOOKED_AT = '''

def is_to_be_looked_at(s: Partition, broker: Replica) -> bool:
    """Is there an answer for a delayed produce that waits at the broker?"""
    for value in s.each(Value):
        if s.waiting_at[value] == broker:
            if not leads(s, broker) or s.required_end[value] <= s.high_watermark[broker]:
                return True
    return False
'''


def _unless(split: str, statement: str, indent: int) -> tuple[str, str]:
    """A statement that is left out where that step is split."""
    margin = "\n" + " " * indent
    return f"{margin}{statement}\n", f"{margin}if s.split != {split}:{margin}    {statement}\n"


def _also(imported: str, *names: str) -> tuple[str, str]:
    """An import of more names, each on a line of its own as in the modules."""
    return f"    {imported},\n", "".join(f"    {name},\n" for name in (imported, *names))


SETTING = """    split = setting(any_of(SplitStep))
    \"\"\"Which step is split.\"\"\"
"""
DOMAIN = """class SplitStep(Index, members=5):
    \"\"\"Which step is split.\"\"\"


"""
NUMBERS = """LOOKED_AT_LATER, ANSWERED_LATER, MOVED_LATER, UNFENCED_LATER = 1, 2, 3, 4
"""
MAY_NOT_HEAR = """    if not s.up[replica] or epoch <= s.epoch[replica]:
        return False
"""
NOT_BEFORE_THE_SECOND_HALF = """    if s.split == ANSWERED_LATER and not leads(s, replica) and is_to_be_looked_at(s, replica):
        return False
    if s.split == UNFENCED_LATER and s.ordered_metadata and not has_session(s, replica):
        return False
"""
EDITS = {
    "state": [
        ("class Truncation(Index", f"{DOMAIN}class Truncation(Index"),
        ("FIRST_LEADER = 0\n", f"FIRST_LEADER = 0\n{NUMBERS}"),
        ("    acks = setting(any_of(Acks))\n", f"{SETTING}    acks = setting(any_of(Acks))\n"),
    ],
    "leader": [
        _unless("LOOKED_AT_LATER", "complete_produces(s, leader)", 8),
        _also("EVERY_SHRINK", "LOOKED_AT_LATER"),
    ],
    "producer": [
        _unless("LOOKED_AT_LATER", "complete_produces(s, leader)", 4),
        _also("DELIVERED", "LOOKED_AT_LATER"),
    ],
    "broker": [
        _unless("ANSWERED_LATER", "fail_produces(s, replica)", 4),
        _unless("MOVED_LATER", "advance_high_watermark(s, leader)", 8),
        (MAY_NOT_HEAR, MAY_NOT_HEAR + NOT_BEFORE_THE_SECOND_HALF),
        ("fail_produces, follows, leads\n", "fail_produces, follows, is_to_be_looked_at, leads\n"),
        _also("DELIVERED", "ANSWERED_LATER", "MOVED_LATER", "UNFENCED_LATER"),
    ],
    "faults": [
        (
            "    s.fenced = without(s.fenced, replica)\n    if not",
            "    if s.split != UNFENCED_LATER:\n        s.fenced = without(s.fenced, replica)\n    if not",
        ),
        ("ACKS_ONE, KIP_101, End,", "ACKS_ONE, KIP_101, UNFENCED_LATER, End,"),
    ],
}
"""In which module which text, that stands there once, becomes which other text."""


def split_versions(folder: Path, package: str) -> dict[str, Profile]:
    """The versions of Kafka over the model that can be split, imported as `package` from files below `folder`."""
    here = folder / package
    for part in ("model", "spec"):
        (here / part).mkdir(parents=True)
        (here / part / "__init__.py").write_text("", encoding="utf-8")
    for file in MODELS.glob("[a-z]*.py"):
        text = _edited(file.stem, file.read_text(encoding="utf-8"))
        (here / "model" / file.name).write_text(text, encoding="utf-8")
    with (here / "model" / "leader.py").open("a", encoding="utf-8") as leader:
        leader.write(IS_TO_BE_LOOKED_AT)
    (here / "model" / "second_steps.py").write_text(SECOND_STEPS, encoding="utf-8")
    for file in PROFILES.glob("[a-z]*.py"):
        if file.stem not in OTHER_PROFILES:
            text = file.read_text(encoding="utf-8").replace(model.__name__, f"{package}.model")
            text = text.replace("from ..", f"from {spec.__package__.rpartition('.')[0]}.")
            (here / "spec" / file.name).write_text(text, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        versions: tuple[Profile, ...] = importlib.import_module(f"{package}.spec.versions").VERSIONS
        second = importlib.import_module(f"{package}.model.second_steps")
    finally:
        sys.path.remove(str(folder))
    added = tuple(getattr(second, name) for name in SECOND_HALVES)
    return {
        version.name: version.replacing(version.name, version.statement, actions=(*version.actions, *added))
        for version in versions
    }


def _edited(module: str, text: str) -> str:
    for written, instead in EDITS.get(module, ()):
        ensure_stands_once(written, text.count(written), module)
        text = text.replace(written, instead)
    return text
