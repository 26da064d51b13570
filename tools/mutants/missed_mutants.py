"""Kinds of mistakes that suites from mutants, random steps and state machines let pass when they were held out.

The bench of each is the version of Kafka, or the profile, whose suite is to refuse it.
"""

from __future__ import annotations

from mutants.inprocess_mutation import mistake

MISSED = (
    mistake(
        "a start forgets idempotent producers",
        "R-CLIENT-3",
        "kafka-4.1",
        "inprocess.producer_state.ProducerTable.__init__",
        "enumerate(log.entries)",
        "()",
    ),
    mistake(
        "a truncation forgets idempotent producers",
        "R-CLIENT-3",
        "kafka-4.1",
        "inprocess.replica.Replica.truncate",
        "self.producers = ProducerTable(self.log)",
        "self.producers._producers.clear()",
    ),
    mistake(
        "a truncation leaves what idempotent producers had written",
        "R-CLIENT-3",
        "kafka-4.1",
        "inprocess.replica.Replica.truncate",
        "self.producers = ProducerTable(self.log)",
        "pass",
    ),
    mistake(
        "a follower forgets idempotent producers",
        "R-CLIENT-3",
        "kafka-4.1",
        "inprocess.replica.Replica._write",
        "if entry.record.stamp is not None:",
        "if entry.record.stamp is not None and self.leadership is not None:",
    ),
    mistake(
        "a power loss leaves the epoch cache as it was",
        "R-TRUNC-3",
        "kafka-4.1",
        "inprocess.disk.Disk.lose_power",
        "log.truncate(end)",
        "del log.entries[end:]",
    ),
    mistake(
        "a checkpoint never goes back",
        "R-CRASH-1",
        "kafka-0.11",
        "inprocess.disk.Disk.checkpoint",
        "self.checkpoints[partition] = high_watermark",
        "self.checkpoints[partition] = max(high_watermark, self.checkpoints.get(partition, 0))",
    ),
    mistake(
        "an event completes only the first of the operations that wait for it",
        "R-DP-3",
        "kafka-4.1",
        "inprocess.purgatory.Watchers.try_complete_watched",
        "completed += operation.look_at()",
        "completed += completed == 0 and operation.look_at()",
    ),
    mistake(
        "before an append min ISR is compared with the maximal ISR",
        "R-PROD-2",
        "kafka-4.1",
        "inprocess.replica.Replica.append_as_leader",
        "len(leadership.isr.committed) < self.site.settings.min_isr:",
        "len(leadership.isr.maximal) < self.site.settings.min_isr:",
    ),
    mistake(
        "after an append min ISR is compared with the recorded ISR",
        "R-DP-1",
        "kafka-4.1",
        "inprocess.delayed_produce.DelayedProduce._judged",
        "len(isr.maximal)",
        "len(isr.committed)",
    ),
    mistake(
        "the last known leader is elected although it is fenced",
        "R-ELECT-3",
        "kafka-4.1",
        "inprocess.partition_record.PartitionRecord.clean_candidates",
        "self.last_known_leader in live:",
        "self.last_known_leader is not None:",
    ),
    mistake(
        "KIP-279's first cut is final",
        "R-TRUNC-3",
        "kafka-2.0",
        "inprocess.following.Following.take_epoch_end",
        "self.truncating = not self._cut_to(response.found)",
        "self._cut_to(response.found)\n        self.truncating = False",
    ),
    mistake(
        "a follower beyond its leader's log cuts at its own high watermark",
        "R-TRUNC-1",
        "kafka-0.9",
        "inprocess.following.Following._leave_range",
        "self.replica.truncate(leader_end)",
        "self.replica.truncate(self.replica.high_watermark)",
    ),
    mistake(
        "a follower beyond its leader's log drops its own",
        "R-TRUNC-1",
        "kafka-0.9",
        "inprocess.following.Following._leave_range",
        "self.replica.truncate(leader_end)",
        "self.replica.truncate(0)",
    ),
    mistake(
        "a leader may shut down in favour of itself",
        "R-STOP-1",
        "kafka-4.1",
        "inprocess.controller.Controller.let_go",
        "others = self.live - {broker}",
        "others = self.live",
    ),
    mistake(
        "a broker that shuts down is let go whoever else lives",
        "R-STOP-1",
        "kafka-4.1",
        "inprocess.controller.Controller.let_go",
        "record.leader == broker and",
        "False and",
    ),
    mistake(
        "the last member of the ISR leaves it to shut down",
        "R-STOP-1",
        "kafka-3.5",
        "inprocess.partition_record.PartitionRecord.without",
        "if self.isr == {broker} and not self.keeps_eligible:",
        "if self.isr == {broker} and broker == self.leader and not self.keeps_eligible:",
    ),
    mistake(
        "a leader that is alone in its ISR does not find the smallest log end, and raises",
        "R-HW-1",
        "kafka-4.1",
        "inprocess.leadership.Leadership.smallest_known_end",
        "min([self.log.end, *members])",
        "min(self.log.end, min(members))",
    ),
    mistake(
        "a task is done a tick early",
        "R-TIMER-1",
        "kafka-timing-wheel",
        "inprocess.timing_wheel.TimingWheel.add",
        "deadline < self.current_time + self.tick",
        "deadline <= self.current_time + self.tick",
    ),
    mistake(
        "a task is done when its coarse bucket expires",
        "R-TIMER-2",
        "kafka-timing-wheel",
        "inprocess.timer.Timer.advance",
        "self._place(task)",
        "task.action()",
    ),
    mistake(
        "an operation is not tried again once it watches",
        "R-DP-3",
        "kafka-purgatory",
        "inprocess.purgatory.Purgatory.arrival",
        "    if operation.is_over_once_tried():\n        return\n",
        "",
    ),
)

LEFT = {
    "after an append min ISR is compared with the recorded ISR": (
        "it takes three replicas, and a member that is to join while a record waits; the suite of a graph refuses it"
    ),
    "the last member of the ISR leaves it to shut down": (
        "it takes a shutdown while nobody leads; the suite of 3.5 was made only in part"
    ),
}
"""Those that the suites and random steps still let pass, and what they take."""
