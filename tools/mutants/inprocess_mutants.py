"""What may be wrong with the in-process brokers and their clients: every mistake that suites and random runs are to catch."""

from __future__ import annotations

from collections.abc import Mapping

from mutants.inprocess_mutants_clients import CLIENTS
from mutants.inprocess_mutants_controller import CONTROLLER, SHUTDOWNS
from mutants.inprocess_mutants_late import LATE
from mutants.inprocess_mutants_leader import LEADER
from mutants.inprocess_mutants_log import LOG
from mutants.inprocess_mutants_waiting import WAITING
from mutants.inprocess_mutation import CodeMutant

PARTS: Mapping[str, tuple[CodeMutant, ...]] = {
    "Logs and followers": LOG,
    "Leaders": LEADER,
    "Controller": CONTROLLER,
    "Shutdowns": SHUTDOWNS,
    "Produce requests, purgatory, timer": WAITING,
    "Duplicates, consumers": CLIENTS,
    "What lasts over a change of leadership": LATE,
}
"""Every mistake, part by part."""

MUTANTS: tuple[CodeMutant, ...] = tuple(mutant for mutants in PARTS.values() for mutant in mutants)
