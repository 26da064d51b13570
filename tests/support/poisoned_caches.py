"""Searches with a cache of kernels that something became of: each must answer what it answers with none.

In a process of its own, as object code that is damaged and loaded all the same may end the process.

python tests/support/poisoned_caches.py FOLDER SEED COUNT            a line of JSON for each poisoned cache
python tests/support/poisoned_caches.py FOLDER SEED COUNT --planted  the same, where the digest of a file is not looked at
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from poison import DAMAGE, json_bytes, sealed, unsealed, unsealed_if_there

from neverlost.explorer import Result, explore
from neverlost.explorer.compile import cache
from neverlost.model.core import Model
from neverlost.spec import profiles

BOUNDS = {"replicas": 2, "log_size": 1, "records": 1, "leader_epochs": 2}
MODELS = (
    profiles()["published/kip-320"].bounded(**BOUNDS),
    profiles()["published/truncate-to-high-watermark"].bounded(**BOUNDS),
    profiles()["published/async-isr"].bounded(replicas=2, log_size=1, versions=1),
)
OTHER_HEADS = ([], None, "x", 7, {"key": "x"})


def answered(model: Model) -> object:
    """All that must not depend on what lies in a cache."""
    result: Result = explore(model, until="all")
    findings = {
        name: (f.verdict, f.violating_states, None if f.trace is None else f.trace.states)
        for name, f in result.findings.items()
    }
    return result.levels, result.digest, dict(result.generated_by_action), findings


def other_head(files: Sequence[Path], chance: random.Random) -> None:
    """A description of another structure, behind the digest that it would be written with."""
    path = chance.choice(files)
    head, _, code = unsealed(path).partition(b"\n")
    about = json.loads(head)
    name = chance.choice(list(about))
    changed = chance.choice([*OTHER_HEADS, {n: v for n, v in about.items() if n != name}, {**about, name: 7}])
    path.write_bytes(sealed(chance.choice([json_bytes(changed), b"no JSON", b"\xff"]) + b"\n" + code))


POISONS = (*DAMAGE, other_head)


def main(folder: Path, seed: int, count: int, planted: bool) -> None:
    clean, poisoned = folder / "clean", folder / "poisoned"
    os.environ["NEVERLOST_CACHE"] = str(clean)
    expected = [answered(model) for model in MODELS]
    if planted:
        cache.read_kept = unsealed_if_there
    chance = random.Random(seed)
    for number in range(count):
        shutil.rmtree(poisoned, ignore_errors=True)
        shutil.copytree(clean, poisoned)
        os.environ["NEVERLOST_CACHE"] = str(poisoned)
        poison: Callable[[Sequence[Path], random.Random], None] = POISONS[number % len(POISONS)]
        poison(sorted((poisoned / "kernels").iterdir()), chance)
        cache._LOADED.clear()
        wrong = [m.profile.name for m, right in zip(MODELS, expected, strict=True) if answered(m) != right]
        print(json.dumps({"poison": poison.__name__, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "--planted" in sys.argv[4:])
