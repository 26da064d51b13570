package kafka.coordinator.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import kafka.cluster.Logs;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.transaction.ProducerIdManager;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.common.FinalizedFeatures;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.Some;

/**
 * Report: half-read-log.md. Broker 2 is elected, and reads __transaction_state-0, a record at a time. An abort is there, its
 * completion, and the partition a1 of the transaction that is open now. Another broker may be elected before broker 2 has read all.
 */
class HalfReadLogTest {
    private static final String TRANSACTIONAL_ID = "orders";
    private static final long PRODUCER_ID = 7;
    private static final short PRODUCER_EPOCH = 3;
    private static final TopicPartition OF_TRANSACTIONS = new TopicPartition(Topic.TRANSACTION_STATE_TOPIC_NAME, 0);
    private static final TopicPartition A1 = new TopicPartition("a1", 0);

    @TempDir
    private Path folder;

    /** Each marker that the coordinator hands over to be sent. */
    private final Set<String> markers = new TreeSet<>();

    private final Metrics metrics = new Metrics();
    private UnifiedLog log;
    private ReplicaManager replicas;
    private TransactionCoordinator coordinator;

    @BeforeEach
    void broker2HasALogOfTransactions() throws IOException {
        log = Logs.empty(folder);
        append(TransactionState.PREPARE_ABORT, Set.of(A1));
        append(TransactionState.COMPLETE_ABORT, Set.of());
        append(TransactionState.ONGOING, Set.of(A1));
        log.updateHighWatermark(log.logEndOffset());
        replicas = mock(ReplicaManager.class);
        when(replicas.getLog(OF_TRANSACTIONS)).thenReturn(Some.apply(log));
        Scheduler scheduler = mock(Scheduler.class);
        when(scheduler.scheduleOnce(any(), any())).thenAnswer(call -> {
            call.<Runnable>getArgument(1).run();
            return null;
        });
        MetadataCache metadata = mock(MetadataCache.class);
        when(metadata.features()).thenReturn(new FinalizedFeatures(MetadataVersion.LATEST_PRODUCTION,
            Map.of(TransactionVersion.FEATURE_NAME, TransactionVersion.TV_1.featureLevel()), 0));
        TransactionConfig config = mock(TransactionConfig.class);
        when(config.transactionLogLoadBufferSize()).thenReturn(1);
        TransactionMarkerChannelManager sender = mock(TransactionMarkerChannelManager.class);
        doAnswer(call -> {
            TransactionMetadata transaction = call.getArgument(2);
            transaction.topicPartitions().forEach(to -> markers.add(call.getArgument(1) + " to " + to.topic()));
            return null;
        }).when(sender).addTxnMarkersToSend(anyInt(), any(), any(), any());
        coordinator = new TransactionCoordinator(config, scheduler, () -> mock(ProducerIdManager.class),
            new TransactionStateManager(2, scheduler, replicas, metadata, config, Time.SYSTEM, metrics),
            sender, Time.SYSTEM, new LogContext());
        coordinator.startup(() -> 1, false);
    }

    @AfterEach
    void close() {
        metrics.close();
    }

    /** The log has one record more: the state of the transaction, and its partitions. */
    private void append(TransactionState state, Set<TopicPartition> partitions) {
        TxnTransitMetadata transaction = new TxnTransitMetadata(PRODUCER_ID, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_ID,
            PRODUCER_EPOCH, RecordBatch.NO_PRODUCER_EPOCH, 60_000, state, new HashSet<>(partitions), 0, 0,
            TransactionVersion.TV_1);
        SimpleRecord record = new SimpleRecord(
            TransactionLog.keyToBytes(TRANSACTIONAL_ID), TransactionLog.valueToBytes(transaction, TransactionVersion.TV_1));
        log.appendAsFollower(MemoryRecords.withRecords(RecordBatch.CURRENT_MAGIC_VALUE, log.logEndOffset(),
            TransactionLog.ENFORCED_COMPRESSION, TimestampType.CREATE_TIME, RecordBatch.NO_PRODUCER_ID,
            RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, 0, false, record), 0);
    }

    /** Broker 2 is elected. It leads while it reads so many records; the coordinator may hear at once that it has resigned. */
    private void leadsFor(int records, boolean hearsAtOnce) {
        int[] asked = {0};
        when(replicas.getLogEndOffset(OF_TRANSACTIONS)).thenAnswer(call -> {
            if (asked[0]++ < records) {
                return Some.apply(log.logEndOffset());
            }
            if (hearsAtOnce) {
                coordinator.onResignation(0, Some.apply(2));
            }
            return Option.empty();
        });
        coordinator.onElection(0, 1);
    }

    private Errors answerToDescribing() {
        return Errors.forCode(coordinator.handleDescribeTransactions(TRANSACTIONAL_ID).errorCode());
    }

    @Test
    void decisionThatIsOverHasNoMarkersSent() {
        leadsFor(1, false);
        assertEquals(Set.of(), markers, "markers that are sent, the transaction that is open now has a1 too");
    }

    @Test
    void whatIsReadInPartIsNotAnswered() {
        leadsFor(1, false);
        assertNotEquals(Errors.NONE, answerToDescribing(), "answer to describing the transaction, of which one record is read");
    }

    @Test
    void whoHearsAtOnceThatItHasResignedSendsNothing() {
        leadsFor(1, true);
        assertEquals(Set.of(), markers, "markers that are sent");
        assertNotEquals(Errors.NONE, answerToDescribing(), "answer to describing the transaction");
    }

    @Test
    void whoReadsAllSendsNothingAndAnswers() {
        leadsFor(Integer.MAX_VALUE, false);
        assertEquals(Set.of(), markers, "markers that are sent");
        assertEquals(Errors.NONE, answerToDescribing(), "answer to describing the transaction");
    }
}
