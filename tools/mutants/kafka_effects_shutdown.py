"""Mistakes of a controlled shutdown."""

from __future__ import annotations

from mutants.kafka_effect import effect

SHUTDOWN = (
    effect(
        "stays-in-the-isr",
        "shutdown.leave_isr",
        "drop_follower(s, replica)",
        "",
        "a follower shuts down without a word: the ISR has a member that is gone",
    ),
    effect(
        "mark-without-a-flush",
        "faults.power_loss",
        "go_down(s, replica)",
        "go_down(s, replica)\nif s.elr:\n    s.silent = with_member(s.silent, replica)",
        "KIP-966: the mark of a clean shutdown survives a power loss",
    ),
    effect(
        "crash-counts-as-clean",
        "faults.crash",
        "go_down(s, replica)",
        "go_down(s, replica)\nif s.elr:\n    s.silent = with_member(s.silent, replica)",
        "KIP-966: a crashed broker registers as one that shut down cleanly",
    ),
    effect(
        "clean-shutdown-not-marked",
        "shutdown.shut_down",
        "s.silent = with_member(s.silent, replica)",
        "",
        "KIP-966: a clean shutdown leaves no mark, and costs the broker its eligibility",
    ),
    effect(
        "mark-not-taken-away",
        "faults.restart",
        "s.silent = without(s.silent, replica)",
        "",
        "the mark of a clean shutdown outlives the next start",
    ),
    effect(
        "leaves-without-a-budget",
        "shutdown.begin",
        "s.shutdowns_left -= 1",
        "",
        "shutdowns are not counted",
    ),
)
