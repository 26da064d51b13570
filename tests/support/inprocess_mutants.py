"""What may be wrong with the in-process brokers and their clients: every mistake that suites and random runs are to catch."""

from __future__ import annotations

from inprocess_mutants_clients import CLIENTS
from inprocess_mutants_controller import CONTROLLER
from inprocess_mutants_leader import LEADER
from inprocess_mutants_log import LOG
from inprocess_mutants_waiting import WAITING
from inprocess_mutation import Mutant

MUTANTS: tuple[Mutant, ...] = (*LOG, *LEADER, *CONTROLLER, *WAITING, *CLIENTS)
"""Every mistake, part by part."""
