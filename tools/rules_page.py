"""The page that says by what each rule is tested: mistakes in the model and in the brokers that tests refuse, and tests of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from mutants.history_mutants import HISTORY
from mutants.history_outcomes import VERSIONS, table
from mutants.inprocess_mutant_outcomes import table as outcomes
from mutants.inprocess_mutants import MUTANTS
from mutants.surviving_mutants import SURVIVORS

TESTS = Path(__file__).parents[1] / "tests"
RULES = {
    "R-PROD-1": "a broker that does not host the partition, or does not lead it, says so",
    "R-PROD-2": "with acks=all nothing is appended if the ISR is smaller than min ISR",
    "R-PROD-3": "a record is appended at the log end, in the leader's epoch",
    "R-PROD-4": "when the response is sent, for each acks",
    "R-PROD-5": "internal topics, storage errors, other exceptions",
    "R-DP-1": "what a delayed produce waits for",
    "R-DP-2": "it completes once, with all responses, at its deadline at the latest",
    "R-DP-3": "try, else watch every key, and try once more",
    "R-DF-1": "delayed fetches",
    "R-TIMER-1": "the wheels of the timer",
    "R-TIMER-2": "its buckets wait in a queue",
    "R-TIMER-3": "no task early, none late, none twice",
    "R-FETCH-1": "a fetch tells the leader where the follower's log ends",
    "R-FETCH-2": "the follower appends, and takes the high watermark within its log",
    "R-HW-1": "the high watermark of a leader",
    "R-HW-2": "a new leader starts with its own high watermark",
    "R-ISR-1": "a leader drops who is behind",
    "R-ISR-2": "a leader adds who has caught up, and how an ISR is recorded",
    "R-ELECT-1": "clean elections",
    "R-ELECT-2": "unclean elections",
    "R-ELECT-3": "eligible leaders (KIP-966)",
    "R-META-1": "news of leadership: later ones without the earlier, never an older after a newer",
    "R-TRUNC-1": "a new follower cuts its log at its high watermark",
    "R-TRUNC-2": "... where the leader says that its last epoch ends (KIP-101)",
    "R-TRUNC-3": "... where the largest epoch of both ends (KIP-279)",
    "R-TRUNC-4": "... and learns it from a fetch (KIP-595)",
    "R-STOP-1": "a shutdown hands its leaderships over first",
    "R-STOP-2": "a shutdown flushes, and leaves its mark",
    "R-CLEAN-1": "what the cleaner of a compacted topic removes (no broker here cleans)",
    "R-CRASH-1": "what survives a crash, a power loss, a lost disk",
    "R-CLIENT-1": "to which partition a producer sends",
    "R-CLIENT-2": "the producer of 0.8.2",
    "R-CLIENT-3": "lost responses, retries, idempotence",
    "R-CONS-1": "what a consumer reads, and how it commits",
    "R-CONS-2": "at least once, at most once",
}
"""Every rule, in short."""
OF_NO_BROKER_HERE = "R-CLEAN-1"


def page() -> str:
    """The page as it should be now."""
    lines = [
        "# By what each rule is tested",
        "",
        "<!-- Made by machine: NEVERLOST_REWRITE=1 pytest tests/conformance/test_rules_page.py -k page -->",
        "",
        "*Mistakes in the model* are those that a [suite from mutants](../how-to/conformance.md#cases-from-mistakes) kills, of all",
        f"that are made in actions of the rule, for {' and '.join(VERSIONS)}. *Mistakes in the brokers* are those",
        "[of the in-process brokers](implementation-mutants.md) and [after faults that Kafka had](history-mutants.md): how many",
        "the suites refuse, and how many of the former Hypothesis does at random. *Tests* are unit tests of the brokers that carry",
        "the rule's id. What the model of one partition cannot say (several partitions in a request, offsets in responses, timers)",
        "is tested only by them.",
        "",
        f"| rule | | {' | '.join(f'model: {version}' for version in VERSIONS)} | brokers: suites | at random | tests |",
        "|---|---|---|---|---|---|---|",
    ]
    tests, broken, refused, drawn = unit_tests_of(), Counter[str](), Counter[str](), Counter[str]()
    own, found = outcomes(), table()
    said = found["killed"]
    for mutant in MUTANTS:
        broken[mutant.rules] += 1
        refused[mutant.rules] += bool(own[mutant.name]["suite"])
        drawn[mutant.rules] += bool(own[mutant.name]["chance"])
    later = Counter(mutant.rules for mutant in (*HISTORY, *SURVIVORS))
    later_refused = Counter(mutant.rules for mutant in (*HISTORY, *SURVIVORS) if said[mutant.name])
    for rule, about in RULES.items():
        of_model = [_share(*found["rules"][version].get(rule, (0, 0))) for version in VERSIONS]
        by_suites = _share(refused[rule] + later_refused[rule], broken[rule] + later[rule])
        at_random = _share(drawn[rule], broken[rule])
        lines.append(f"| {rule} | {about} | {' | '.join(of_model)} | {by_suites} | {at_random} | {tests[rule]} |")
    return "\n".join([*lines, *_by_kind()]) + "\n"


def _by_kind() -> list[str]:
    """How many mistakes of each kind the suites kill, and why the others survive."""
    found = table()
    versions = list(found["suites"])
    kinds = list(dict.fromkeys(kind for version in versions for kind in found["kinds"][version]))
    reasons = list(dict.fromkeys(reason for version in versions for reason in found["reasons"][version]))
    return [
        "",
        "## Mistakes in the model, by kind",
        "",
        "What each suite kills, for in-process brokers. A part is one of those that an `and` or an `or` joins; *kept* is what a",
        "step must leave as it is; a switch is a rule as a neighbouring release has it.",
        "",
        f"| | {' | '.join(versions)} |",
        f"|---|{'---|' * len(versions)}",
        f"| cases, steps | {' | '.join('{:,}, {:,}'.format(*found['suites'][version]) for version in versions)} |",
        *(
            f"| {kind} | {' | '.join(_share(*found['kinds'][version].get(kind, (0, 0))) for version in versions)} |"
            for kind in kinds
        ),
        f"| together | {' | '.join(_together(found['kinds'][version].values()) for version in versions)} |",
        *(
            f"| survives: {reason} | {' | '.join(str(found['reasons'][version].get(reason, 0)) for version in versions)} |"
            for reason in reasons
        ),
    ]


def _together(counts: Iterable[Sequence[int]]) -> str:
    said, of = (sum(column) for column in zip(*counts, strict=True))
    return f"{said} of {of} ({said / of:.0%})"


def _share(count: int, of: int) -> str:
    return f"{count} of {of}" if of else ""


def unit_tests_of() -> Counter[str]:
    """How many unit tests carry each rule's id."""
    marks = (
        rule
        for path in TESTS.rglob("test_*.py")
        for rule in re.findall(r'^@pytest\.mark\.rule\("([^"]+)"\)$', path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    return Counter(marks)


def rules_in(text: str) -> list[str]:
    """The rules that the source of an action names: `R-META-1, R-TRUNC-1..4, KIP-101` names five."""
    found = []
    for kind, first, last in re.findall(r"(R-[A-Z]+)-(\d)(?:\.\.(\d))?", text):
        found += [f"{kind}-{number}" for number in range(int(first), int(last or first) + 1)]
    return found
