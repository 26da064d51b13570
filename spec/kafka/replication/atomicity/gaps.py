"""What nothing holds together in Kafka, and what the model does about each: it splits the step, loses nothing, or misses something."""

from __future__ import annotations

from neverlost.model.kafka.replication import broker, late, leader

from ...atomicity import Gap, Merged, Missing, Split, both, kraft, zookeeper

TESTS = "tests/spec/kafka/test_merged_steps.py"
SAME_EPOCH = f"{TESTS}::test_an_exchange_that_ends_in_its_epoch_may_as_well_be_one_step"
LOOKED_AT = f"{TESTS}::test_delayed_produces_may_as_well_be_looked_at_later"
MOVED = f"{TESTS}::test_the_high_watermark_may_as_well_move_later"
ANSWERED = f"{TESTS}::test_delayed_produces_may_as_well_be_answered_after_the_new_epoch"
UNFENCED = f"{TESTS}::test_a_restarted_broker_may_as_well_be_unfenced_later"

LOOK_LATER = Gap(
    between="the move of the high watermark and the look at delayed produces, after the lock is free",
    done=Merged(
        because="what is below the high watermark is committed, so its answer may come later; from 3.7 on it may then be that too few"
        " replicas are in sync, which the model never answers there",
        test=LOOKED_AT,
    ),
)
LOOK_WITHOUT_LOCK = Gap(
    when=both("0.8.2.0"),
    between="what a look at a delayed produce reads: who leads, then the ISR, then the high watermark",
    done=Split(into=(late.begin_look, late.end_look)),
)
UNWATCHED = Gap(
    between="the append and the delayed produce, while the request's other partitions are appended to",
    done=Split(into=(late.append_first, late.make_delayed_produce)),
)
HIGH_WATERMARK_BACK = Gap(
    when=both("0.8.2.0", "2.3.1"),
    between="the comparison with the old high watermark and the write of the new one: two appends share the read side",
    done=Missing(
        what="the high watermark may go back below an acknowledged record, until it moves again; a follower that lacks the record may"
        " then enter the ISR"
    ),
)
COUNTED_LATER = Gap(
    between="the check of the fetch and its count, each with its own lock or none",
    done=Split(into=(late.check_fetch, late.count_fetch, late.expand_isr_late)),
)
FOLLOWER_ENDED = Gap(
    between="the check and the count, if the follower's process ends in between",
    done=Missing(
        what="the leader counts the fetch all the same, in KRaft from 3.5 on unless it has heard of the follower's new registration. In"
        " the model the fetch ends with the follower"
    ),
)
FOLLOWED_BETWEEN = Gap(
    when=both("3.3.0"),
    between="the check and the count, if the broker follows in between: it has other objects when it leads again",
    done=Merged(because="nobody looks at the old objects any more, but for the ISR, and the model has it so"),
)
COUNTED_THEN_MOVED = Gap(
    when=both("2.4.0"),
    between="the count, the look whether the follower enters the ISR, and the move of the high watermark: three locks in turn",
    done=Merged(
        because="the high watermark is computed anew from what is known when it moves, and only ever too low before",
        test=MOVED,
    ),
)
LEADERSHIP_BEFORE_LOCK = Gap(
    when=both("2.4.0", "2.7.2"),
    between="the look whether this broker leads and the move of the high watermark, under a lock that does not look again",
    done=Missing(
        what="the high watermark of a broker that follows by now may rise over a record that is not committed; KAFKA-9263 fixes it"
        " from 2.8.0 on"
    ),
)
UNDER_WAY = Gap(
    between="the read of the log, the sending of the bytes, and their arrival at the follower",
    done=Split(into=(late.answer_fetch, late.read_slice, late.receive_response)),
)
SEVERAL_PIECES = Gap(
    between="one piece of a slice and the next",
    done=Missing(
        what="one response may have old bytes first and new ones after; the model has one record in a response"
    ),
)
CUT_LEFT_OUT = Gap(
    when=both("0.11.0.0", "1.0.2"),
    between="the fetch and its response, over a new epoch of the follower, whose cut the response's records leave out",
    done=Split(into=(late.follow_before_cut, late.receive_response)),
)
CUT_AFTER_CHECK = Gap(
    when=both("2.8.0"),
    between="the check of a response that says where to cut, and the cut: the fetcher frees partitionMapLock in between, and the cut"
    " compares no epoch",
    done=Split(into=(late.receive_response,)),
)
CUT_ELSEWHERE = Gap(
    when=both("2.8.0", "2.8.0"),
    between="the check of a response that says where to cut, and the cut, while the partition leaves this fetcher",
    done=Missing(
        what="a broker that leads by now, or follows another leader, cuts its log all the same; KAFKA-13207 fixes it from 2.8.1 on"
    ),
)
CUT_IN_ROUNDS = Gap(
    when=both("2.8.0"),
    between="one response that says where to cut and the next: each names one epoch, so a log may be cut in rounds",
    done=Split(into=(late.cut_a_round,)),
)
APPEND_THEN_HIGH_WATERMARK = Gap(
    between="the follower's append and its new high watermark",
    done=Merged(
        because="both are done under partitionMapLock, and a change of leadership first takes the partition from the fetcher: until"
        " then readers see the older high watermark, which is lower or was true before"
    ),
)
IDLE_FETCH = Gap(
    between="the count of a fetch that finds nothing, and its answer from the purgatory, which reads again and counts nothing",
    done=Merged(
        because="that is a second fetch from the same offset, with the news of its own moment", test=SAME_EPOCH
    ),
)
FETCHER_ENDED = Gap(
    between="the end of the fetcher and the new epoch",
    done=Merged(because="in between the broker neither fetches the partition nor leads it, so nobody can see it"),
)
OLD_FETCHER = Gap(
    between="the new epoch and the end of the old fetcher",
    done=Merged(
        because="the old fetcher may still take a response of its own epoch: as if it had come before the broker heard of the new one",
        test=SAME_EPOCH,
    ),
)
UNANSWERED = Gap(
    when=both("0.8.0", "0.9.0.1"),
    between="the new epoch and the answer to those that wait here: nobody looks at delayed produces when a broker becomes a follower",
    done=Missing(
        what="a record that the broker has cut is acknowledged when it leads again and its high watermark passes the offset"
        " (KAFKA-2960), without any delay of an append"
    ),
)
ANSWERED_LATER = Gap(
    when=both("0.10.0.0"),
    between="the new epoch and the answer to those that wait here",
    done=Merged(because="one thread does both before the broker hears of the next epoch", test=ANSWERED),
)
CUT_LATER = Gap(
    when=both("0.11.0.0", "2.7.2"),
    between="the new epoch and the cut, which a fetcher thread makes when the leader has answered",
    done=Split(into=(late.follow_before_cut, late.cut_later)),
)
LATE_ANSWER = Gap(
    when=both("0.11.0.0", "2.1.0"),
    between="the leader's answer where an epoch ends, and the cut",
    done=Missing(
        what="only the presence of the partition is compared, so an answer of an older epoch cuts the log of a later one"
        " (KAFKA-7786, fixed in 2.1.1)"
    ),
)
UNKNOWN_WRITE = Gap(
    when=zookeeper("0.8.0", "2.6.3"),
    between="the write of the ISR to ZooKeeper and its outcome, if the connection or the session is lost",
    done=Missing(
        what="an expansion may be written while the leader goes on with its smaller ISR. Up to 0.8.1.1 a write that is repeated counts"
        " as failed; later the leader compares the data, which does not help if the controller has written meanwhile or the session"
        " has ended. The high watermark then passes the new member, which may be elected"
    ),
)
OLDER_COPY = Gap(
    when=both("3.3.0"),
    between="a refused request for another ISR, and an older copy of it on another connection",
    done=Missing(
        what="the leader goes back to the recorded ISR at once, and the copy may still be granted: until the leader hears of it, its"
        " high watermark does not wait for the new member"
    ),
)
TAKEN_BACK = Gap(
    when=kraft("3.0.0"),
    between="the answer with another ISR, and the metadata with the same ISR, which the broker reads later",
    done=Split(into=(late.grant_before_metadata, late.take_back_proposal, late.grant_taken_back)),
)
TAKEN_BACK_IN_MIGRATION = Gap(
    when=zookeeper("3.6.2"),
    between="the answer with another ISR, and a LeaderAndIsr request with the same ISR of a controller in KRaft, during a migration",
    done=Missing(
        what="brokers that are migrated take an equal leader epoch from such a controller (KAFKA-16120), so as with KRaft"
    ),
)
OLDER_METADATA = Gap(
    when=kraft("3.0.0", "3.2.3"),
    between="the answer with another ISR, and metadata with an earlier one, which the broker reads later",
    done=Missing(
        what="the leader goes back to the earlier ISR and partition epoch, and starts its epoch anew at its log end: until it reads"
        " on, its high watermark does not wait for who was added since"
    ),
)
SENT_LATER = Gap(
    when=both("2.7.0"),
    between="the proposal in the leader's state and the request that carries it",
    done=Merged(because="that is the time before the controller grants or refuses it, which is a step of its own"),
)
ANSWER_LATER = Gap(
    when=both("2.7.0"),
    between="the record of the ISR and the leader's news of it",
    done=Split(into=(leader.learn_isr, leader.hear_of_isr)),
)
RAISED_MIN_ISR = Gap(
    when=kraft("4.1.0"),
    between="a higher min ISR at the controller, and at the leader",
    done=Missing(
        what="until the leader hears of it, it acknowledges alone what a follower lacks that the controller now keeps eligible"
    ),
)
SEVERAL_BATCHES = Gap(
    when=kraft(),
    between="the records of one event, if there are more of them than one batch may hold",
    done=Merged(
        because="a partition's new leader, ISR and ELR are one record. If the controller ends between the batches, the next one fences"
        " the broker or registers it anew"
    ),
)
NEWS_LATER = Gap(
    between="the decision and what brokers hear of it",
    done=Split(into=(broker.become_leader, broker.become_follower)),
)
FLUSHED_LATER = Gap(
    between="the new log end, which others can fetch, and the flush of `flush.messages=1`",
    done=Missing(
        what="a record may be counted, and with an ISR of one acknowledged, before it is on disk: a power loss in between takes it"
    ),
)
HOLE = Gap(
    between="the removal of one segment file and the next, when a cut goes over several",
    done=Missing(
        what="a crash in between leaves a hole in the log above the cut; the replica, if it is elected before it is cut again, offers"
        " its followers the records above the hole"
    ),
)
BYTES_LATER = Gap(
    between="the read of the log and the sending of the bytes",
    done=Merged(
        because="what is below a high watermark is cut only after an unclean election, which loses it in any case"
    ),
)
