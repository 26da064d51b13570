"""Searches for the runs of the matrix's losses that brokers can be made to do, and writes docs/losses-on-brokers.md and its record.

python tools/losses_on_brokers.py          searches for what the record lacks
python tools/losses_on_brokers.py --anew   searches for all
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from ledgers.losses_on_brokers import PAGE, losses_of_bugs, losses_of_the_matrix, losses_of_the_readme, page

from neverlost.conformance.cluster.finding import find_run
from neverlost.explorer.process.memory import sensible_memory
from neverlost.explorer.search import Limits
from neverlost.model.core import Model
from neverlost.spec.kafka.replication.seen_losses import GONE, LONGER, LOSS, NOT_FOUND, RECORD, SAME, Answered, record


def answered(key: str, model: Model) -> Answered:
    """What a search finds of a loss. Exits if it finds none."""
    found = find_run(model, LOSS, limits=Limits(memory_bytes=sensible_memory()))
    lengths = [one.length for one in found.tried]
    if lengths[:1] == [None]:
        raise SystemExit(f"{key}: {found.tried[0]}")
    if found.trace is None:
        outcome, narrower = GONE if found.gone else NOT_FOUND, None
    else:
        narrower = len(found.trace.steps)
        outcome = SAME if not lengths or lengths[0] == narrower else LONGER
    wider = narrower if not lengths else lengths[0]
    assert wider is not None
    why = "" if not found.tried else found.tried[0].why.partition("cannot be scheduled: ")[2]
    return Answered(wider=wider, outcome=outcome, narrower=narrower, why=why)


def main() -> None:
    """Write the record as it grows, then the page."""
    known = record() if RECORD.exists() and "--anew" not in sys.argv else {}
    wanted = {one.key: one.model() for one in (*losses_of_the_readme(), *losses_of_the_matrix())}
    wanted |= {search.key: search.model() for _, search in losses_of_bugs()}
    kept = {}
    for number, (key, model) in enumerate(wanted.items(), start=1):
        kept[key] = known.get(key) or answered(key, model)
        print(f"{number} of {len(wanted)}: {key}: {kept[key].text}", flush=True)
        if number % 20 == 0 or number == len(wanted):
            RECORD.write_text(
                json.dumps({key: asdict(value) for key, value in kept.items()}, indent=1) + "\n", encoding="utf-8"
            )
    PAGE.write_text(page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
