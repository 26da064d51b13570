"""Mistakes with faults, and of producer and consumer."""

from __future__ import annotations

from mutants.kafka_effect import Effect, effect

FAULTS = (
    Effect(
        "faults.go_down:resumes-its-epoch",
        (
            ("faults.go_down", "s.isr[replica] = EMPTY", ""),
            ("faults.go_down", "s.leader[replica] = NONE", ""),
            ("faults.go_down", "s.epoch[replica] = NONE", ""),
        ),
        "a restarted leader goes on in its old epoch",
    ),
    effect(
        "keeps-known-ends",
        "faults.go_down",
        "forget_followers(s, replica)",
        "",
        "a restarted broker remembers what it knew of its followers",
    ),
    effect(
        "keeps-delayed-produces",
        "faults.go_down",
        "fail_produces(s, replica)",
        "",
        "who waits at a broker that dies goes on waiting there",
    ),
    effect(
        "high-watermark-lost",
        "faults.crash",
        "s.high_watermark[replica] = checkpoint",
        "s.high_watermark[replica] = 0",
        "a high watermark is not checkpointed at all",
    ),
    effect(
        "unclean-restart-stays-in-elr",
        "faults.restart",
        "s.eligible = without(s.eligible, replica)",
        "",
        "KIP-966: who did not shut down cleanly stays eligible",
    ),
    effect(
        "stale-proposals-pass",
        "faults.restart",
        "s.broker_epochs",
        "False",
        "KIP-903: a broker that restarted joins the ISR by a request made before",
    ),
    effect(
        "restart-stays-fenced",
        "faults.restart",
        "s.fenced = without(s.fenced, replica)",
        "",
        "a broker that registers stays fenced until it is heard of",
    ),
    effect(
        "last-record-survives",
        "faults.power_loss",
        "cut(s, replica, kept)",
        "cut(s, replica, max(kept, s.high_watermark[replica]))",
        "what is below the high watermark counts as flushed",
    ),
)

CLIENTS = (
    effect(
        "appends-before-the-isr-check",
        "producer.handle_produce",
        "if s.acks == ACKS_ALL and count(s, s.isr[leader]) < s.min_isr or not is_accepted(s, leader, value):\n"
        "    require(s.size(ProducerEpoch) == 0 or response == DELIVERED)\n    s.delivery[value] = REFUSED\n"
        "else:\n    append_once(s, leader, value)\n    answer(s, leader, value, response)",
        "if s.acks == ACKS_ALL and count(s, s.isr[leader]) < s.min_isr:\n"
        "    append_once(s, leader, value)\n    s.delivery[value] = REFUSED\n"
        "    advance_high_watermark(s, leader)\n"
        "elif not is_accepted(s, leader, value):\n    s.delivery[value] = REFUSED\n"
        "else:\n    append_once(s, leader, value)\n    answer(s, leader, value, response)",
        "R-PROD-2: the ISR is checked after the append instead of before",
    ),
    effect(
        "isr-one-too-small",
        "producer.handle_produce",
        "count(s, s.isr[leader]) < s.min_isr",
        "count(s, s.isr[leader]) + 1 < s.min_isr",
        "off by one: one member too few is enough before the append",
    ),
    effect(
        "isr-not-checked",
        "producer.handle_produce",
        "count(s, s.isr[leader]) < s.min_isr",
        "False",
        "R-PROD-2: min.insync.replicas is not looked at before the append",
    ),
    effect(
        "retry-appended",
        "producer.append_once",
        "holds_value(s, leader, value)",
        "False",
        "R-CLIENT-3: what is sent again is appended again although the producer is idempotent",
    ),
    effect(
        "any-sequence-taken",
        "producer.is_accepted",
        "out_of_sequence(s, leader, value)",
        "False",
        "R-CLIENT-3: a gap in the sequence is not refused",
    ),
    effect(
        "duplicate-acknowledged-at-once",
        "producer.handle_produce",
        "answer(s, leader, value, response)",
        "if is_idempotent(s) and s.retries_left < s.retries:\n    s.delivery[value] = ACKNOWLEDGED\n"
        "else:\n    answer(s, leader, value, response)",
        "a duplicate is acknowledged before the first copy is replicated",
    ),
    effect(
        "records-of-the-first-epoch",
        "producer.append_once",
        "if not (is_idempotent(s) and holds_value(s, leader, value)):\n    append(s, leader, value, s.epoch[leader])",
        "if not (is_idempotent(s) and holds_value(s, leader, value)):\n    append(s, leader, value, 0)",
        "a leader stamps records with the first epoch",
    ),
    effect(
        "records-of-the-newest-epoch",
        "producer.append_once",
        "if not (is_idempotent(s) and holds_value(s, leader, value)):\n    append(s, leader, value, s.epoch[leader])",
        "if not (is_idempotent(s) and holds_value(s, leader, value)):\n    append(s, leader, value, s.newest_epoch)",
        "a deposed leader stamps records with its successor's epoch",
    ),
    effect(
        "required-end-one-too-low",
        "producer.end_of",
        "offset + 1",
        "offset",
        "off by one: a delayed produce waits for the record before its own",
    ),
    effect(
        "acknowledged-at-the-append",
        "producer.answer",
        "s.delivery[value] = WAITING",
        "s.delivery[value] = ACKNOWLEDGED",
        "acks=all is answered like acks=1",
    ),
    effect(
        "high-watermark-not-looked-at",
        "producer.answer",
        "advance_high_watermark(s, leader)",
        "",
        "R-PROD-3: an append to an ISR of one does not move the high watermark",
    ),
    effect(
        "time-out-told-as-success",
        "producer.time_out",
        "settle(s, value, UNKNOWN)",
        "settle(s, value, ACKNOWLEDGED)",
        "R-DP-2: a request that times out is told as success",
    ),
    effect(
        "time-out-told-as-refused",
        "producer.time_out",
        "settle(s, value, UNKNOWN)",
        "settle(s, value, REFUSED)",
        "R-DP-2: a request that times out is told as one that was never appended",
    ),
    effect(
        "later-values-first",
        "producer.out_of_sequence",
        "value < last",
        "False",
        "R-CLIENT-3: a value from before the last one is taken",
    ),
    effect(
        "reads-beyond-the-high-watermark",
        "consumer.get_next",
        "offset < s.high_watermark[broker]",
        "offset < s.log_end[broker]",
        "R-CONS-1: a consumer reads up to the log end",
    ),
    effect(
        "reads-one-more",
        "consumer.poll_too_far",
        "s.position += 1",
        "",
        "KAFKA-9835: what was read above the high watermark is read again",
    ),
    effect(
        "commits-what-it-polled",
        "consumer.commit_offset",
        "s.committed_offset = s.processed_end",
        "s.committed_offset = s.position",
        "R-CONS-2: what is polled counts as processed",
    ),
    effect(
        "commits-after-the-first-poll",
        "consumer.get_next",
        "if s.commit == COMMIT_BEFORE:\n    s.committed_offset = s.position",
        "if s.commit == COMMIT_BEFORE and s.position == 1:\n    s.committed_offset = s.position",
        "R-CONS-2: who commits before processing forgets to, once",
    ),
    effect(
        "auto-commits-this-poll",
        "consumer.get_next",
        "if s.commit == COMMIT_AUTO:\n    s.committed_offset = s.position",
        "if s.commit == COMMIT_AUTO:\n    s.committed_offset = s.position + 1",
        "R-CONS-2: auto-commit commits what this poll is about to return",
    ),
    Effect(
        "consumer.crash_consumer:successor-goes-back-to-the-start",
        (
            ("consumer.crash_consumer", "s.position = s.committed_offset", "s.position = 0"),
            ("consumer.crash_consumer", "s.processed_end = s.committed_offset", "s.processed_end = 0"),
        ),
        "R-CONS-1: a successor starts from the beginning, its predecessor's offset notwithstanding",
    ),
    Effect(
        "consumer.crash_consumer:successor-goes-on-from-what-was-polled",
        (
            ("consumer.crash_consumer", "s.position = s.committed_offset", ""),
            ("consumer.crash_consumer", "s.processed_end = s.committed_offset", "s.processed_end = s.position"),
        ),
        "R-CONS-1: a successor starts behind what its predecessor polled and did not process",
    ),
)
