"""What makes one step of what the cleaner and consumers do."""

from __future__ import annotations

from neverlost.model.kafka.replication import cleaner, consumer

from ...atomicity import ABSENT, NOTHING, READ_SIDE, Gap, LedgerRow, Merged, at, both, zookeeper
from .gaps import BYTES_LATER

CLEANING = (
    LedgerRow(
        action=cleaner.clean,
        when=both("0.8.0"),
        by="the log's lock, under which the cleaned segments take the place of the others",
        places=at(
            "LogCleaner.scala: cleanSegments",
            "Cleaner.java: cleanSegments",
            "Log.scala: replaceSegments",
            "UnifiedLog.scala: replaceSegments",
            "UnifiedLog.java: replaceSegments",
            "LogManager.scala: truncateTo",
        ),
        gaps=(
            Gap(
                between="the choice of what is newest and the new segments",
                done=Merged(
                    because="the active segment is not cleaned, and a cut below it stops the cleaner first; so what was newest stays so"
                ),
            ),
        ),
        read=("0.8.2.2", "2.1.1", "3.0.2", "3.6.2", "4.1.1"),
    ),
)

CLIENT = "the application's thread in one call of the consumer"

CONSUMING = (
    LedgerRow(
        action=consumer.poll,
        when=zookeeper("0.8.0", "2.0.1"),
        by=NOTHING,
        places=at("ReplicaManager.scala: readMessageSets, readFromLocalLog"),
        gaps=(
            Gap(
                when=both("0.8.0", "2.0.1"),
                between="the look whether the broker leads, the high watermark, and the read",
                done=Merged(
                    because="what is below a high watermark is cut only after an unclean election, which loses it in any case"
                ),
            ),
            BYTES_LATER,
        ),
        read=("0.8.2.2", "0.9.0.1", "2.0.1"),
    ),
    LedgerRow(
        action=consumer.poll,
        when=both("2.1.0"),
        by=f"{READ_SIDE}: who leads, the high watermark, the read",
        places=at("Partition.scala: readRecords"),
        gaps=(BYTES_LATER,),
        read=("2.1.1", "2.7.2", "4.1.1"),
    ),
    LedgerRow(
        action=consumer.poll_follower,
        when=zookeeper("0.8.0", "2.3.1"),
        by=f"{ABSENT}: consumers read from leaders only",
        places=at("ReplicaManager.scala: readMessageSets, readFromLocalLog"),
        read=("0.8.2.2", "2.1.1"),
    ),
    LedgerRow(
        action=consumer.poll_follower,
        when=both("2.4.0"),
        by=f"{READ_SIDE}: the high watermark, the read",
        places=at("Partition.scala: readRecords"),
        gaps=(
            BYTES_LATER,
            Gap(
                when=both("2.4.0"),
                between="the high watermark and the read, while the fetcher appends or cuts under the log's lock",
                done=Merged(because="the follower's cuts are above its high watermark, unless that is wrong already"),
            ),
        ),
        read=("2.4.1", "2.7.2", "4.1.1"),
    ),
    LedgerRow(
        action=consumer.poll_too_far,
        when=zookeeper("0.8.0", "1.0.2"),
        by=f"{ABSENT}: a read ends where it was to end",
        places=at("ReplicaManager.scala: readMessageSets, readFromLocalLog"),
        read=("0.8.2.2", "0.9.0.1"),
    ),
    LedgerRow(
        action=consumer.poll_too_far,
        when=zookeeper("1.1.0", "2.5.0"),
        by="nothing holds the high watermark and the size of the file together: this step is what may come of it",
        places=at("FileRecords.java: read, slice"),
        read=("1.1.1", "2.1.1"),
    ),
    LedgerRow(
        action=consumer.poll_too_far,
        when=both("2.5.1"),
        by=f"{ABSENT}: a read ends where it was to end",
        places=at("FileRecords.java: slice"),
        read=("2.5.1",),
    ),
    *(
        LedgerRow(
            action=action,
            when=both("0.8.0"),
            by=by,
            places=at("KafkaApis.scala: handleOffsetCommitRequest"),
            gaps=gaps,
            read=("0.8.2.2",),
        )
        for action, by, gaps in (
            (consumer.process, f"{CLIENT}; brokers have no part in it", ()),
            (
                consumer.commit_offset,
                CLIENT,
                (
                    Gap(
                        between="the request to the coordinator, its append there, and the answer",
                        done=Merged(
                            because="an unanswered commit may be made or not; the offsets topic is a log like this one"
                        ),
                    ),
                ),
            ),
            (
                consumer.crash_consumer,
                "the end of the consumer, or of its membership in the group",
                (
                    Gap(
                        between="the end of a consumer and its last commit on the way",
                        done=Merged(because="the group's generation refuses commits of a former member (from 0.9 on)"),
                    ),
                ),
            ),
        )
    ),
)
