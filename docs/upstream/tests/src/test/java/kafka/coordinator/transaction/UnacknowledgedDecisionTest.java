package kafka.coordinator.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyShort;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
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
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Some;
import scala.runtime.BoxedUnit;

/**
 * Report: unacknowledged-decision.md. Broker 2 has fetched the one record of __transaction_state-0 from broker 1, and is elected.
 * Broker 3, in the ISR too, has fetched it if the high watermark is 1, and has not if it is 0.
 */
class UnacknowledgedDecisionTest {
    private static final String TRANSACTIONAL_ID = "orders";
    private static final long PRODUCER_ID = 7;
    private static final short PRODUCER_EPOCH = 3;
    private static final TopicPartition A1 = new TopicPartition("a1", 0);
    private static final TopicPartition A2 = new TopicPartition("a2", 0);

    @TempDir
    private Path folder;

    /** Each marker that the coordinator hands over to be sent. */
    private final Set<String> markers = new TreeSet<>();

    private final Metrics metrics = new Metrics();
    private UnifiedLog log;
    private ReplicaManager replicas;
    private TransactionCoordinator coordinator;

    @BeforeEach
    void broker2HasALogOfTransactions() {
        log = Logs.empty(folder);
        replicas = mock(ReplicaManager.class);
        TopicPartition ofTransactions = new TopicPartition(Topic.TRANSACTION_STATE_TOPIC_NAME, 0);
        when(replicas.getLog(ofTransactions)).thenReturn(Some.apply(log));
        when(replicas.getLogEndOffset(ofTransactions)).thenAnswer(call -> Some.apply(log.logEndOffset()));
        Scheduler scheduler = mock(Scheduler.class);
        when(scheduler.scheduleOnce(any(), any())).thenAnswer(call -> {
            call.<Runnable>getArgument(1).run();
            return null;
        });
        MetadataCache metadata = mock(MetadataCache.class);
        when(metadata.features()).thenReturn(new FinalizedFeatures(MetadataVersion.LATEST_PRODUCTION,
            Map.of(TransactionVersion.FEATURE_NAME, TransactionVersion.TV_2.featureLevel()), 0));
        TransactionConfig config = mock(TransactionConfig.class);
        when(config.transactionLogLoadBufferSize()).thenReturn(1 << 20);
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

    /** Broker 1 wrote in epoch 0 that the transaction with a1 and a2 is in this state; broker 2 fetches that, and leads epoch 1. */
    private void isElected(TransactionState written, long highWatermark) throws IOException {
        TxnTransitMetadata transaction = new TxnTransitMetadata(PRODUCER_ID, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_ID,
            PRODUCER_EPOCH, RecordBatch.NO_PRODUCER_EPOCH, 60_000, written, new HashSet<>(Set.of(A1, A2)), 0, 0,
            TransactionVersion.TV_2);
        SimpleRecord record = new SimpleRecord(
            TransactionLog.keyToBytes(TRANSACTIONAL_ID), TransactionLog.valueToBytes(transaction, TransactionVersion.TV_2));
        log.appendAsFollower(MemoryRecords.withRecords(RecordBatch.CURRENT_MAGIC_VALUE, 0, TransactionLog.ENFORCED_COMPRESSION,
            TimestampType.CREATE_TIME, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, 0, false,
            record), 0);
        log.updateHighWatermark(highWatermark);
        coordinator.onElection(0, 1);
    }

    /** The answer to a producer that adds this partition, which is null as long as the coordinator waits for what it has appended. */
    private Errors answerToAdding(TopicPartition partition) {
        Errors[] answer = {null};
        coordinator.handleAddPartitionsToTransaction(TRANSACTIONAL_ID, PRODUCER_ID, PRODUCER_EPOCH, Set.of(partition), error -> {
            answer[0] = error;
            return BoxedUnit.UNIT;
        }, TransactionVersion.TV_2, RequestLocal.noCaching());
        return answer[0];
    }

    @Test
    void decisionThatIsNotAcknowledgedHasNoMarkersSent() throws IOException {
        isElected(TransactionState.PREPARE_COMMIT, 0);
        assertEquals(Set.of(), markers, "markers that are sent, broker 3 does not have the decision");
    }

    @Test
    void partitionOfARecordThatIsNotAcknowledgedIsNotAnsweredAsAdded() throws IOException {
        isElected(TransactionState.ONGOING, 0);
        assertNotEquals(Errors.NONE, answerToAdding(A2), "answer to adding a2, broker 3 does not have that record");
    }

    @Test
    void decisionThatIsNotAcknowledgedIsNotForgotten() throws IOException {
        isElected(TransactionState.PREPARE_COMMIT, 0);
        Errors answer = Errors.forCode(coordinator.handleDescribeTransactions(TRANSACTIONAL_ID).errorCode());
        assertNotEquals(Errors.TRANSACTIONAL_ID_NOT_FOUND, answer, "answer to describing the transaction");
    }

    @Test
    void decisionThatIsAcknowledgedHasItsMarkersSent() throws IOException {
        isElected(TransactionState.PREPARE_COMMIT, 1);
        assertEquals(Set.of("COMMIT to a1", "COMMIT to a2"), markers, "markers that are sent");
    }

    @Test
    void partitionOfAnAcknowledgedRecordIsAnsweredAsAdded() throws IOException {
        isElected(TransactionState.ONGOING, 1);
        assertEquals(Errors.NONE, answerToAdding(A2), "answer to adding a2");
    }

    @Test
    void partitionThatNoRecordHasIsNotAnsweredBeforeOneIsAcknowledged() throws IOException {
        isElected(TransactionState.ONGOING, 1);
        assertNull(answerToAdding(new TopicPartition("a3", 0)), "answer to adding a3");
        verify(replicas).appendRecords(anyLong(), anyShort(), anyBoolean(), any(), any(), any(), any(), any(), any(), anyShort());
    }
}
