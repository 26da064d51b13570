package kafka.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.cluster.Logs;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.builders.ReplicaManagerBuilder;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/** Report: delayed-produce-without-epoch.md. One produce request has m for t-0 and another record for other-0; broker 1 leads both. */
class DelayedProduceEpochTest {
    private static final TopicIdPartition T = new TopicIdPartition(Uuid.randomUuid(), 0, "t");
    private static final TopicIdPartition OTHER = new TopicIdPartition(Uuid.randomUuid(), 0, "other");

    @TempDir
    private Path folder;

    private LogManager logs;
    private ReplicaManager broker1;
    private MetadataImage image = MetadataImage.EMPTY;

    @BeforeEach
    void broker1LeadsBoth() {
        KafkaConfig config = new KafkaConfig(Map.of(
            "process.roles", "broker",
            "node.id", "1",
            "controller.quorum.voters", "100@localhost:9093",
            "controller.listener.names", "CONTROLLER",
            "log.dirs", folder.toString(),
            "min.insync.replicas", "2"));
        LogDirFailureChannel failures = new LogDirFailureChannel(1);
        logs = LogManager.apply(config, CollectionConverters.asScala(List.<String>of()).toSeq(), resource -> new Properties(),
            mock(Scheduler.class), Time.SYSTEM, new BrokerTopicStats(false), failures);
        Metrics metrics = new Metrics();
        broker1 = new ReplicaManagerBuilder()
            .setConfig(config)
            .setMetrics(metrics)
            .setScheduler(mock(Scheduler.class))
            .setLogManager(logs)
            .setQuotaManagers(QuotaFactory.instantiate(config, metrics, Time.SYSTEM, "", ""))
            .setMetadataCache(mock(MetadataCache.class))
            .setLogDirFailureChannel(failures)
            .setAlterPartitionManager(mock(AlterPartitionManager.class))
            .build();
        learns(
            new FeatureLevelRecord().setName(MetadataVersion.FEATURE_NAME)
                .setFeatureLevel(MetadataVersion.LATEST_PRODUCTION.featureLevel()),
            new TopicRecord().setName(T.topic()).setTopicId(T.topicId()),
            created(T, 1, 2, 3),
            new TopicRecord().setName(OTHER.topic()).setTopicId(OTHER.topicId()),
            created(OTHER, 1));
    }

    @AfterEach
    void end() {
        broker1.shutdown(false);
        logs.shutdown(-1);
    }

    private static PartitionRecord created(TopicIdPartition partition, Integer... replicas) {
        return new PartitionRecord()
            .setTopicId(partition.topicId())
            .setPartitionId(0)
            .setReplicas(List.of(replicas))
            .setDirectories(List.of(DirectoryId.unassignedArray(replicas.length)))
            .setIsr(List.of(replicas))
            .setLeader(1)
            .setLeaderEpoch(0)
            .setPartitionEpoch(0);
    }

    /** The broker learns of these records of the metadata log, in one batch. */
    private void learns(ApiMessage... records) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        for (ApiMessage record : records) {
            delta.replay(record);
        }
        image = delta.apply(MetadataProvenance.EMPTY);
        broker1.applyDelta(delta.topicsDelta(), image);
    }

    private void leads(int leader) {
        learns(new PartitionChangeRecord().setTopicId(T.topicId()).setPartitionId(0).setLeader(leader));
    }

    private Partition partition() {
        return broker1.getPartitionOrException(T.topicPartition());
    }

    /** Broker 3 leads epoch 1 without m: broker 1 cuts m. Broker 3 writes x in m's place, and all have it. */
    private void broker3LeadsAndXIsCommitted() {
        leads(3);
        partition().truncateTo(0, false);
        partition().appendRecordsToFollowerOrFutureReplica(Logs.stored("x", 0, 1), false, 1);
        try {
            partition().localLogOrException().updateHighWatermark(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends both records with acks=all. What happens `meanwhile` happens while the second is appended. Returns the answer for m. */
    private Errors produce(Runnable meanwhile) {
        MemoryRecords slow = spy(Logs.sent("y"));
        boolean[] happened = {false};
        doAnswer(call -> {
            if (!happened[0]) {
                happened[0] = true;
                meanwhile.run();
            }
            return call.callRealMethod();
        }).when(slow).batches();
        Map<TopicIdPartition, MemoryRecords> request = new LinkedHashMap<>();
        request.put(T, Logs.sent("m"));
        request.put(OTHER, slow);
        Errors[] answer = {null};
        broker1.appendRecords(60_000, (short) -1, false, AppendOrigin.CLIENT, CollectionConverters.asScala(request),
            answers -> {
                answer[0] = answers.get(T).error;
                return BoxedUnit.UNIT;
            },
            statistics -> BoxedUnit.UNIT, RequestLocal.noCaching(), CollectionConverters.asScala(Map.of()), TransactionVersion.TV_UNKNOWN);
        assertTrue(happened[0]);
        return answer[0];
    }

    @Test
    void recordThatWasCutWhileAnotherWasAppendedIsNotAcknowledged() {
        Errors answer = produce(() -> {
            broker3LeadsAndXIsCommitted();
            leads(1);
        });
        assertEquals(List.of("x@1"), Logs.content(partition().localLogOrException()));
        assertNotEquals(Errors.NONE, answer, "answer for m, which is in no log");
    }

    @Test
    void formerLeaderAcknowledgesNothing() {
        assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, produce(this::broker3LeadsAndXIsCommitted));
    }

    @Test
    void leaderThatStaysWaitsForItsFollowers() {
        assertNull(produce(() -> { }));
        assertEquals(List.of("m@0"), Logs.content(partition().localLogOrException()));
    }
}
