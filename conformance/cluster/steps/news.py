"""How brokers hear of what the controller decides, and how the controller hears of them: one interface, with a form for each mode."""

from __future__ import annotations

from typing import Protocol

from ..gates import Frame


class News(Protocol):
    """What passes between the controller and the brokers of a run. Brokers hear only of what they are made to hear of."""

    def hold(self) -> None:
        """From now on brokers hear of nothing by themselves."""

    def decided(self) -> None:
        """The controller has issued the newest leader epoch."""

    def hear(self, replica: int, epoch: int) -> None:
        """Let a broker hear of a leader epoch."""

    def hear_of_isr(self, leader: int) -> None:
        """Let a leader hear of an ISR that the controller has changed in its epoch."""

    def comes_too_late(self, request: Frame) -> bool:
        """Is a request for another ISR from before a decision on the partition, so that it comes to nothing?"""

    def hear_who_lives(self, leader: int) -> None:
        """Let a leader hear who lives, as far as it then hears of no decision."""

    def ask_for_isr(self, leader: int, request: Frame, isr: tuple[int, ...]) -> str:
        """Ask for another ISR than the leader's request, which waits, and say in words how."""

    def granted(self) -> None:
        """The controller has recorded an ISR that was asked for."""

    def hear_of_granted(self, leader: int) -> None:
        """Let a leader hear of an ISR that was asked for in its name, so that no answer tells it."""

    def before_start(self, replica: int) -> None:
        """A broker that starts hears of all that there is."""

    def before_unfence(self, replica: int) -> None:
        """Let a broker hear what it has to before it may be live again."""

    def has_returned(self, replica: int) -> None:
        """A broker is live again; from now on it hears of nothing by itself."""

    def hold_wish_to_end(self, broker: int) -> None:
        """From now on a broker's request for a controlled shutdown waits."""

    def wish_to_end(self, broker: int) -> Frame:
        """The request for a controlled shutdown of a broker that was asked to end."""

    def before_end(self, replica: int) -> None:
        """Let the answer pass to a broker that is to end, and what the controller waits for before it gives it."""

    def while_ending(self, replica: int) -> None:
        """Do what a broker that is about to end may wait for."""

    def has_ended(self, replica: int) -> None:
        """A broker has ended in good order."""
