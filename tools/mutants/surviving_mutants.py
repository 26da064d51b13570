"""Kinds of mistakes that suites of small graphs let pass: they lie where several faults, or old messages, meet."""

from __future__ import annotations

from dataclasses import replace

from mutants.history_mutants import HISTORY, MISSED, NOT_SEEN
from mutants.inprocess_mutation import CodeMutant, mistake


def _of(about: str, rule: str, place: str, written: str, instead: str) -> CodeMutant:
    return mistake(about, rule, "", f"inprocess.{place}", written, instead)


def _as(name: str, about: str) -> CodeMutant:
    """A mistake that Kafka's history has too."""
    return replace(next(mutant for mutant in HISTORY if mutant.name == name), name=about)


SURVIVORS = (
    _as(
        "KAFKA-15584: an unclean election is held though an eligible leader lives",
        "an unclean election is held though an eligible replica lives",
    ),
    _of(
        "eligible replicas are preferred to live members of the ISR",
        "R-ELECT-3",
        "partition_record.PartitionRecord.clean_candidates",
        "(self.isr & live, self.eligible & live)",
        "(self.eligible & live, self.isr & live)",
    ),
    _as(
        "KAFKA-13682: a preferred election takes a replica outside the ISR",
        "a preferred election takes a replica outside the ISR",
    ),
    _of(
        "a request for an ISR of an older partition epoch is granted",
        "R-ISR-2",
        "controller.Controller._refusal_for_good",
        "record.partition_epoch != request.partition_epoch",
        "False",
    ),
    _of(
        "an answer to an ISR request of an earlier leader epoch is taken",
        "R-ISR-2",
        "isr_changes.IsrChanges.take_answer",
        "leadership.epoch != answer.leader_epoch or",
        "",
    ),
    _as("KAFKA-1188: news of an older leader epoch is adopted", "news of an older leader epoch is taken in"),
    _of(
        "news of the same leader epoch is taken in once more",
        "R-META-1",
        "replica.Replica.hear",
        "news.leader_epoch <= self.leader_epoch",
        "news.leader_epoch < self.leader_epoch",
    ),
    _as(
        "KAFKA-7786: an answer to a request of an earlier leader epoch is applied",
        "an answer to a fetch of an earlier leader epoch is applied",
    ),
    _of(
        "an error to the question where an epoch ends settles it",
        "R-TRUNC-2",
        "following.Following.take_epoch_end",
        "if response.error is not ErrorCode.NONE:",
        "self.truncating = self.truncating and response.error is ErrorCode.NONE\n    if response.error is not ErrorCode.NONE:",
    ),
    _of(
        "a missed epoch is noticed only if two were missed",
        "R-TRUNC-3",
        "following.Following._begin",
        "self.epoch > epoch_before + 1",
        "self.epoch > epoch_before + 2",
    ),
    _of(
        "a lost disk leaves the checkpoint of the high watermark behind",
        "R-CRASH-1",
        "disk.Disk.lose_everything",
        "self.checkpoints.clear()",
        "pass",
    ),
    _of(
        "what flush.messages says is not done",
        "R-CRASH-1",
        "disk.Disk.append",
        "if flush:",
        "if False:",
    ),
)

SURVIVE = {
    "an answer to an ISR request of an earlier leader epoch is taken": (
        MISSED,
        "it takes a leader that leads again, a request from when it led before, and another one",
    ),
    "a lost disk leaves the checkpoint of the high watermark behind": (
        NOT_SEEN,
        "a checkpoint counts only within the log, which is empty, and the next end of the process writes a new one",
    ),
}
"""Why no case kills some of them."""
