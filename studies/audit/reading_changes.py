"""What a change of files makes worse in readings that are not the one that is examined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment, Reading
from neverlost.spec.configuration.readings import CLIENT
from neverlost.spec.exposure import Danger
from neverlost.spec.faults import Faults

from ..study import Study
from .comparison import verdict_on
from .dangers import promises_nothing
from .examination import Examination, examine
from .reading_verdicts import Readings, ReadingVerdict
from .tolerance import Tolerance

OF_PRODUCERS = ("acks", "idempotence", "retries", "pipelined", "commit")


def worse_readings(
    compared: Sequence[tuple[Readings, Readings]], tolerance: Tolerance | None, study: Study
) -> list[tuple[Danger, Faults]]:
    """What happens now in a reading, and did not in the same reading of the older state; each only once.

    Readings with the same settings of the clients are alike in this: one of them is examined.
    """
    found: dict[tuple[Danger, Faults], None] = {}
    for old, now in compared:
        for was, one in _pairs(old, now):
            if was.verdict == Verdict.HOLDS and one.danger is not None and one.faults is not None:
                if not promises_nothing(was.deployment, one.danger):
                    found[one.danger, one.faults] = None
            elif was.deployment.behaviour != one.deployment.behaviour:
                earlier = examine(was.deployment, tolerance, study)
                for finding in examine(one.deployment, tolerance, study).violated:
                    if finding.tolerated and verdict_on(earlier, finding.danger, finding.faults) != Verdict.VIOLATED:
                        found[finding.danger, finding.faults] = None
    return list(found)


def in_the_same_reading(before: Sequence[Readings], old: Examination, now: Deployment, study: Study) -> Examination:
    """The older state in the reading in which the new one is examined; as it was examined, if it has no such reading.

    The worst readings of two states may differ: what happens in one of them is no news beside the other.
    """
    verdicts = next((readings.verdicts for readings in before if readings.examination is old), ())
    wanted = {(_of_brokers(reading), reading.open.get(CLIENT)) for reading in now.alike}
    for one in verdicts:
        if any((_of_brokers(reading), reading.open.get(CLIENT)) in wanted for reading in one.deployment.alike):
            return old if one.deployment is old.deployment else examine(one.deployment, old.tolerance, study)
    return old


def _pairs(old: Readings, now: Readings) -> Iterator[tuple[ReadingVerdict, ReadingVerdict]]:
    """The same reading of both states, where something happens now; one for each change of the settings of clients."""
    known: dict[object, dict[str | None, ReadingVerdict]] = {}
    for one in old.verdicts:
        for reading in one.deployment.alike:
            known.setdefault(_of_brokers(reading), {})[reading.open.get(CLIENT)] = one
    seen = set()
    for one in now.verdicts:
        for reading in one.deployment.alike if one.verdict == Verdict.VIOLATED else ():
            clients = known.get(_of_brokers(reading), {})
            was = clients.get(reading.open.get(CLIENT)) or next(iter(clients.values()), None)
            if was is None:
                continue
            change = was.verdict, _of_clients(was.deployment), _of_clients(one.deployment)
            if change not in seen:
                seen.add(change)
                yield was, one


def _of_brokers(reading: Reading) -> object:
    return reading.chosen.release, reading.chosen.mode, reading.elr


def _of_clients(deployment: Deployment) -> tuple[object, ...]:
    return tuple(deployment.settings[name] for name in OF_PRODUCERS)
