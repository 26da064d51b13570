package kafka.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.mockito.Mockito;

/** Logs of one partition with min ISR 2, and what is in them. */
public final class Logs {
    private Logs() {
    }

    /** An empty log in this folder. */
    public static UnifiedLog empty(Path folder) {
        Properties properties = new Properties();
        properties.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "2");
        try {
            return UnifiedLog.create(folder.resolve("t-0").toFile(), new LogConfig(properties), 0, 0, Mockito.mock(Scheduler.class),
                new BrokerTopicStats(false), Time.SYSTEM, 900_000, new ProducerStateManagerConfig(86_400_000, false), 600_000,
                new LogDirFailureChannel(1), true, Optional.of(Uuid.randomUuid()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a producer sends: a batch with one record. */
    public static MemoryRecords sent(String value) {
        return MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(value.getBytes(StandardCharsets.UTF_8)));
    }

    /** What a leader of this epoch stored, and answers to a fetch: a batch with one record. */
    public static MemoryRecords stored(String value, long offset, int epoch) {
        return MemoryRecords.withRecords(RecordBatch.CURRENT_MAGIC_VALUE, offset, Compression.NONE, TimestampType.CREATE_TIME,
            RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, epoch, false,
            new SimpleRecord(value.getBytes(StandardCharsets.UTF_8)));
    }

    /** Each record of a log, as `value@epoch`. */
    public static List<String> content(UnifiedLog log) {
        List<String> found = new ArrayList<>();
        try {
            for (RecordBatch batch : log.read(0, 1 << 20, FetchIsolation.LOG_END, true).records.batches()) {
                batch.forEach(record -> found.add(StandardCharsets.UTF_8.decode(record.value()) + "@" + batch.partitionLeaderEpoch()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
