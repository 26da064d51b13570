"""Every kind of fault, stated once: what allows it, what it does, and how people call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BROKER, CONTROLLER, CLIENT = "broker", "controller", "client"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A kind of fault. `setting` says how many times it may happen, `whose` it is: a broker's, the controller's or a client's."""

    setting: str
    singular: str
    whose: str

    @property
    def plural(self) -> str:
        """Several of them in words: `power losses`."""
        return self.setting.replace("_", " ")

    @property
    def counter(self) -> str:
        """The field of the state that says how many may still happen."""
        return f"{self.setting}_left"

    def words(self, count: int) -> str:
        """`1 power loss`, `2 power losses`."""
        return f"{count} {self.singular if count == 1 else self.plural}"


FAULTS = (
    Fault(setting="crashes", singular="crash", whose=BROKER),
    Fault(setting="power_losses", singular="power loss", whose=BROKER),
    Fault(setting="disk_losses", singular="disk loss", whose=BROKER),
    Fault(setting="leader_moves", singular="leader move", whose=BROKER),
    Fault(setting="pauses", singular="pause", whose=BROKER),
    Fault(setting="shutdowns", singular="shutdown", whose=BROKER),
    Fault(setting="controller_changes", singular="controller change", whose=CONTROLLER),
    Fault(setting="lost_responses", singular="lost response", whose=CLIENT),
    Fault(setting="consumer_crashes", singular="consumer crash", whose=CLIENT),
)
"""In the order in which reports name them."""


def fault_words(budget: Mapping[str, int]) -> str:
    """`1 crash + 2 leader moves`; `no fault`."""
    return " + ".join(f.words(budget[f.setting]) for f in FAULTS if budget.get(f.setting)) or "no fault"
