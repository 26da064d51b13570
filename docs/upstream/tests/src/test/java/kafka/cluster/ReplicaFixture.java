package kafka.cluster;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import kafka.log.LogManager;
import kafka.server.AlterPartitionManager;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.common.TransactionVersion;
import org.apache.kafka.server.partition.AlterPartitionListener;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogReadInfo;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import scala.Option;

/** Broker 1's replica of a partition with the replicas 1, 2, 3 and min ISR 2. Its log is real; other brokers are what tests say. */
final class ReplicaFixture {
    private static final TopicPartition NAME = new TopicPartition("t", 0);

    final UnifiedLog log;
    final Partition partition;

    /** What it asked the controller for: each ISR. */
    final List<List<Integer>> askedFor = new ArrayList<>();

    /** Gives the controller's answer to the latest request. */
    private Runnable answer = () -> { };

    /** Where a test can do something in the midst of a fetch: after it was checked, before it is counted. */
    private Runnable betweenCheckAndCount = () -> { };

    private final OffsetCheckpoints checkpoints = mock(OffsetCheckpoints.class);
    private int partitionEpoch = 0;

    ReplicaFixture(Path folder) {
        log = Logs.empty(folder);
        MetadataCache metadata = mock(MetadataCache.class);
        when(metadata.getAliveBrokerEpoch(anyInt())).thenAnswer(call -> Optional.of(brokerEpoch(call.getArgument(0))));
        when(metadata.hasAliveBroker(anyInt())).thenReturn(true);
        DelayedOperations delayed = mock(DelayedOperations.class);
        when(delayed.numDelayedDelete()).thenAnswer(call -> {
            Runnable what = betweenCheckAndCount;
            betweenCheckAndCount = () -> { };
            what.run();
            return 0;
        });
        AlterPartitionManager controller = mock(AlterPartitionManager.class);
        when(controller.submit(any(), any())).thenAnswer(call -> {
            LeaderAndIsr asked = call.getArgument(1);
            askedFor.add(asked.isr().stream().sorted().toList());
            CompletableFuture<LeaderAndIsr> answered = new CompletableFuture<>();
            answer = () -> answered.complete(asked.withPartitionEpoch(partitionEpoch));
            return answered;
        });
        partition = new Partition(NAME, 30_000, 1, () -> brokerEpoch(1), Time.SYSTEM, mock(AlterPartitionListener.class), delayed,
            metadata, mock(LogManager.class), controller, Option.apply(Uuid.randomUuid()));
        partition.setLog(log, false);
    }

    private static long brokerEpoch(int broker) {
        return 1000 + broker;
    }

    /** Broker 1 learns that it leads. */
    void leads(int epoch, int... isr) {
        partition.makeLeader(registration(1, epoch, isr), false, checkpoints, Option.empty(), Option.empty());
    }

    /** The controller answers the latest request: it has recorded the ISR. Its metadata comes later. */
    void granted() {
        answer.run();
    }

    /** Broker 1 learns that another broker leads. */
    void follows(int leader, int epoch, int... isr) {
        partition.makeFollower(registration(leader, epoch, isr), false, checkpoints, Option.empty(), Option.empty());
    }

    private PartitionRegistration registration(int leader, int epoch, int... isr) {
        return new PartitionRegistration.Builder()
            .setReplicas(new int[] {1, 2, 3})
            .setDirectories(DirectoryId.unassignedArray(3))
            .setIsr(isr)
            .setLeader(leader)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
            .setLeaderEpoch(epoch)
            .setPartitionEpoch(partitionEpoch++)
            .build();
    }

    /** As a follower: cuts its log to this offset, then appends a record of the leader's epoch, and learns its high watermark. */
    void copies(String value, long offset, int epoch) {
        log.truncateTo(offset);
        partition.appendRecordsToFollowerOrFutureReplica(Logs.stored(value, offset, epoch), false, epoch);
        try {
            log.updateHighWatermark(offset + 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The leader appends what a producer sent with acks=all. */
    void append(String value) {
        partition.appendRecordsToLeader(Logs.sent(value), AppendOrigin.CLIENT, -1, RequestLocal.noCaching(),
            VerificationGuard.SENTINEL, TransactionVersion.TV_UNKNOWN);
    }

    /** A follower asks for what comes after the last record that it has, in this epoch. */
    LogReadInfo fetch(int follower, int epoch, long offset, Integer lastFetchedEpoch) {
        return partition.fetchRecords(
            new FetchParams(follower, brokerEpoch(follower), 0, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty()),
            new FetchRequest.PartitionData(Uuid.ZERO_UUID, offset, 0, 1 << 20, Optional.of(epoch), Optional.ofNullable(lastFetchedEpoch)),
            Time.SYSTEM.milliseconds(), 1 << 20, true, true);
    }

    /** The same, and something happens between its check and its count, as the thread holds no lock there. */
    void fetch(int follower, int epoch, long offset, Integer lastFetchedEpoch, Runnable meanwhile) {
        betweenCheckAndCount = meanwhile;
        fetch(follower, epoch, offset, lastFetchedEpoch);
    }
}
