"""Mistakes about decisions that the controllers lose."""

from __future__ import annotations

from mutants.kafka_effect import Effect, effect

LOST = (
    effect(
        "reads-on",
        "broker.may_hear_of",
        "cannot_read_on(s, replica)",
        "False",
        "a broker that has read what is lost cuts its metadata log below its high watermark, and reads on",
    ),
    Effect(
        "broker.follow:may-have-to-end-still",
        (
            ("broker.become_leader", "read_on(s, replica)", ""),
            ("broker.follow", "read_on(s, replica)", ""),
        ),
        "a broker that reads what was decided since may still have read what is lost",
    ),
    effect(
        "finds-what-differs",
        "broker.where_to_cut",
        "may_repeat_epochs(s)",
        "False",
        "followers compare records, not epochs: one epoch with two leaders is found",
    ),
    effect(
        "own-epoch-is-looked-up",
        "log.end_by_epochs",
        "last >= s.epoch[leader]",
        "last > s.epoch[leader]",
        "where the leader's own epoch ends is looked up in its records, and is not its log end",
    ),
    effect(
        "reads-nothing-anew",
        "faults.go_down",
        "read_anew(s, replica)",
        "",
        "a broker that ends keeps what it has read, and can never read on",
    ),
    effect(
        "catches-up-never",
        "controller.record_isr",
        "catch_up(s)",
        "",
        "the controllers' partition epoch stays behind that of the leader for ever",
    ),
    effect(
        "is-heard-of-still",
        "lost.lose_decision",
        "withdraw_metadata(s)",
        "",
        "brokers hear of a decision that the controllers have lost",
    ),
    effect(
        "nobody-has-read-it",
        "lost.lose_decision",
        "note_readers(s, loss, epoch)",
        "",
        "a lost decision ends nobody: brokers ignore an older leader epoch, and go on",
    ),
    effect(
        "is-lost-again",
        "lost.lose_decision",
        "forget_decision(s, loss)",
        "",
        "the same decision is lost as often as one likes",
    ),
    effect(
        "stays-fenced",
        "lost.lose_decision",
        "unfence_members(s)",
        "",
        "that a broker was fenced outlives the loss of what came of it",
    ),
    effect(
        "epoch-is-not-issued-again",
        "lost.lose_decision",
        "s.newest_epoch = epoch",
        "",
        "the next decision has a leader epoch of its own",
    ),
    effect(
        "keeps-isr",
        "lost.lose_decision",
        "s.controller_isr = s.earlier_isr[loss]",
        "",
        "the leader is that of before, the ISR is not",
    ),
    effect(
        "keeps-eligible",
        "lost.lose_decision",
        "s.eligible = s.earlier_eligible[loss]",
        "",
        "KIP-966: the ELR outlives the loss of the decision that it came of",
    ),
    effect(
        "keeps-last-leader",
        "lost.lose_decision",
        "s.last_leader = s.earlier_last_leader[loss]",
        "",
        "KIP-966: the last known leader outlives the loss of the decision that it came of",
    ),
    effect(
        "leader-is-not-ahead",
        "lost.lose_decision",
        "s.leader_knows_lost[loss] = 1",
        "",
        "the controllers grant and tell an ISR to a leader that knows a newer one",
    ),
    effect(
        "goes-on",
        "lost.end_after_loss",
        "go_down(s, replica)",
        "",
        "a broker that is told to cut its metadata log goes on as it was",
    ),
)
