"""The initial state of every run."""

from __future__ import annotations

from .state import Controller, Quorum


def initial(s: Quorum) -> None:
    """Every controller is formatted, a voter, and running; nobody was elected yet."""
    for controller in s.each(Controller):
        s.up[controller] = True
    s.crashes_left = s.crashes
    s.power_losses_left = s.power_losses
    s.disk_losses_left = s.disk_losses
    s.quorum_state_losses_left = s.quorum_state_losses
    s.restored_copies_left = s.restored_copies
    s.borrowed_copies_left = s.borrowed_copies
    s.voter_changes_left = s.voter_changes
