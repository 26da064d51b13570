package org.apache.kafka.clients.consumer.internals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.events.ApplicationEventHandler;
import org.apache.kafka.clients.consumer.internals.events.AsyncPollEvent;
import org.apache.kafka.clients.consumer.internals.events.CompletableEventReaper;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Report: early-commit.md. What an automatic commit of a poll has, if the other thread handles the poll's event after poll has returned. */
class EarlyCommitTest {
    private static final TopicPartition PARTITION = new TopicPartition("events", 0);
    private static final Duration POLL = Duration.ofMillis(100);

    private final SubscriptionState subscriptions =
        new SubscriptionState(new LogContext(), AutoOffsetResetStrategy.EARLIEST);
    private final List<AsyncPollEvent> events = new ArrayList<>();
    private final Metrics metrics = new Metrics();
    private boolean positionsAreValid;
    private AsyncKafkaConsumer<String, String> consumer;

    @BeforeEach
    @SuppressWarnings("unchecked")
    void aConsumerWhoseOtherThreadHandlesNothingYet() {
        subscriptions.assignFromUser(Set.of(PARTITION));
        subscriptions.seek(PARTITION, 0);
        FetchCollector<String, String> collector = mock(FetchCollector.class);
        when(collector.collectFetch(any(FetchBuffer.class))).thenAnswer(call -> theRecordThatIsThere());
        ApplicationEventHandler other = mock(ApplicationEventHandler.class);
        org.mockito.Mockito.doAnswer(call -> {
            if (call.getArgument(0) instanceof AsyncPollEvent event) events.add(event);
            return null;
        }).when(other).add(any());
        PositionsValidator validator = mock(PositionsValidator.class);
        when(validator.canSkipUpdateFetchPositions()).thenAnswer(call -> positionsAreValid);
        consumer = new AsyncKafkaConsumer<>(
            new LogContext(),
            "client",
            new Deserializers<>(new StringDeserializer(), new StringDeserializer(), metrics),
            mock(FetchBuffer.class),
            collector,
            new ConsumerInterceptors<>(Collections.emptyList(), metrics),
            Time.SYSTEM,
            other,
            new LinkedBlockingQueue<>(),
            mock(CompletableEventReaper.class),
            mock(ConsumerRebalanceListenerInvoker.class),
            metrics,
            subscriptions,
            mock(ConsumerMetadata.class),
            100,
            30_000,
            1_000,
            "group",
            true,
            validator);
    }

    @AfterEach
    void close() {
        metrics.close();
    }

    /** The collector takes the record from the buffer, which moves the position, as FetchCollector.fetchRecords does. */
    private Fetch<String, String> theRecordThatIsThere() {
        SubscriptionState.FetchPosition next = new SubscriptionState.FetchPosition(
            1, Optional.empty(), Metadata.LeaderAndEpoch.noLeaderOrEpoch());
        subscriptions.position(PARTITION, next);
        ConsumerRecord<String, String> record = new ConsumerRecord<>(PARTITION.topic(), 0, 0, "key", "value");
        return Fetch.forPartition(PARTITION, List.of(record), true, new OffsetAndMetadata(1));
    }

    @Test
    void anAutomaticCommitOfAPollDoesNotHaveWhatThisPollReturns() {
        positionsAreValid = true;
        ConsumerRecords<String, String> records = consumer.poll(POLL);
        assertEquals(1, records.count(), "records that poll returns");
        assertEquals(1, events.size(), "events of poll that the other thread has yet to handle");
        // CommitRequestManager.maybeAutoCommitAsync takes the offsets from here when it handles the event.
        Map<TopicPartition, OffsetAndMetadata> committed = subscriptions.allConsumed();
        assertEquals(0, committed.get(PARTITION).offset(), "the offset that is committed, record 0 is not processed");
    }

    @Test
    void untilPositionsAreValidPollWaitsForTheOtherThread() {
        positionsAreValid = false;
        ConsumerRecords<String, String> records = consumer.poll(POLL);
        assertTrue(records.isEmpty(), "poll returns nothing");
        assertEquals(0, subscriptions.allConsumed().get(PARTITION).offset(), "the offset that is committed");
    }
}
