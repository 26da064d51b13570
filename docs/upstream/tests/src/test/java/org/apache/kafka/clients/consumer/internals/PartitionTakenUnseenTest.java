package org.apache.kafka.clients.consumer.internals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.clients.consumer.internals.events.BackgroundEvent;
import org.apache.kafka.clients.consumer.internals.events.BackgroundEventHandler;
import org.apache.kafka.clients.consumer.internals.events.PartitionsAssignedEvent;
import org.apache.kafka.clients.consumer.internals.metrics.AsyncConsumerMetrics;
import org.apache.kafka.clients.consumer.internals.metrics.RebalanceMetricsManager;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.GroupCoordinatorShard;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetricsShard;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.junit.jupiter.api.Test;

/**
 * Report: partition-taken-unseen.md. A group of `a`, which is assigned both partitions of `t`, and of `b`, which joins while `a` has
 * yet to take them. Members and coordinator are Kafka's own; requests and answers go through the test.
 */
class PartitionTakenUnseenTest {
    private static final String GROUP = "group";
    private static final String TOPIC = "t";
    private static final Uuid TOPIC_ID = Uuid.randomUuid();
    private static final List<TopicPartition> PARTITIONS = List.of(new TopicPartition(TOPIC, 0), new TopicPartition(TOPIC, 1));

    private final Time time = mock(Time.class);
    private long now = 1;
    private final Coordinator coordinator;
    private final Member b;
    private Member a;

    PartitionTakenUnseenTest() {
        when(time.milliseconds()).thenAnswer(call -> now);
        when(time.timer(anyLong())).thenCallRealMethod();
        coordinator = new Coordinator();
        b = new Member(false);
    }

    @Test
    void heartbeatThatRepeatsAllFieldsNamesThePartitionsThatAreBeingTaken() {
        aIsAssignedBothPartitions(false);
        CompletableFuture<Void> callback = a.callbackBegins();
        a.losesAHeartbeat();
        assertEquals(List.of(0, 1), partitionsIn(a.next()), "partitions that a names while onPartitionsAssigned runs");
        callback.complete(null);
        assertEquals(Set.copyOf(PARTITIONS), a.subscriptions.assignedPartitions(), "partitions that a has");
    }

    @Test
    void partitionThatIsBeingTakenHasOneMemberThatMayCommit() {
        aIsAssignedBothPartitions(false);
        CompletableFuture<Void> callback = a.callbackBegins();
        bJoinsAndAHeartbeatOfAIsLost();
        callback.complete(null);
        assertEquals(List.of(), ofBoth(coordinator::commits), "partitions that a and b have and may commit");
    }

    @Test
    void partitionThatIsBeingTakenHasOneMemberThatMayCommitInATransaction() {
        aIsAssignedBothPartitions(false);
        CompletableFuture<Void> callback = a.callbackBegins();
        bJoinsAndAHeartbeatOfAIsLost();
        callback.complete(null);
        assertEquals(List.of(), ofBoth(coordinator::commitsInATransaction), "partitions that a and b have and may commit, in a transaction");
    }

    @Test
    void partitionThatTheNextPollTakesHasOneMemberThatMayCommit() {
        aIsAssignedBothPartitions(false);
        bJoinsAndAHeartbeatOfAIsLost();
        a.polls();
        assertEquals(List.of(), ofBoth(coordinator::commits), "partitions that a and b have and may commit, no listener");
    }

    @Test
    void partitionThatIsTakenWhileTheHeartbeatIsOnItsWayHasOneMemberThatMayCommit() {
        aIsAssignedBothPartitions(true);
        b.heartbeatsAndPolls();
        a.losesAHeartbeat();
        UnsentRequest request = a.next();
        CompletableFuture<Void> callback = a.callbackBegins();
        a.hears(request);
        b.heartbeatsAndPolls();
        callback.complete(null);
        assertEquals(List.of(), ofBoth(coordinator::commits), "partitions that a and b have and may commit, enable.auto.commit");
    }

    @Test
    void withoutALostHeartbeatTheCoordinatorWaitsUntilThePartitionIsGivenUp() {
        aIsAssignedBothPartitions(false);
        CompletableFuture<Void> callback = a.callbackBegins();
        b.heartbeatsAndPolls();
        a.heartbeats();
        b.heartbeatsAndPolls();
        callback.complete(null);
        assertEquals(Set.of(), b.subscriptions.assignedPartitions(), "partitions that b has");
        a.heartbeatsAndPolls();
        a.heartbeats();
        b.heartbeatsAndPolls();
        assertEquals(1, b.subscriptions.numAssignedPartitions(), "partitions that b has when a has given one up");
        assertEquals(List.of(), ofBoth(coordinator::commits), "partitions that a and b have and may commit");
    }

    @Test
    void heartbeatThatIsLostAfterPartitionsWereTakenChangesNothing() {
        aIsAssignedBothPartitions(false);
        a.polls();
        a.heartbeats();
        bJoinsAndAHeartbeatOfAIsLost();
        assertEquals(Set.of(), b.subscriptions.assignedPartitions(), "partitions that b has");
    }

    private void aIsAssignedBothPartitions(boolean autoCommits) {
        a = new Member(autoCommits);
        a.heartbeats();
    }

    private void bJoinsAndAHeartbeatOfAIsLost() {
        b.heartbeatsAndPolls();
        a.losesAHeartbeat();
        a.heartbeats();
        b.heartbeatsAndPolls();
    }

    /** The partitions that both members have, and of which the coordinator accepts the commits of both. */
    private List<TopicPartition> ofBoth(BiPredicate<Member, TopicPartition> commits) {
        return PARTITIONS.stream()
            .filter(partition -> Stream.of(a, b)
                .allMatch(member -> member.subscriptions.isAssigned(partition) && commits.test(member, partition)))
            .toList();
    }

    private static ConsumerGroupHeartbeatRequestData dataOf(UnsentRequest request) {
        return ((ConsumerGroupHeartbeatRequest) request.requestBuilder().build()).data();
    }

    private static List<Integer> partitionsIn(UnsentRequest request) {
        return dataOf(request).topicPartitions().stream().flatMap(topic -> topic.partitions().stream()).toList();
    }

    /** A consumer's group membership and heartbeats. Its application does what a test says. */
    private final class Member {
        private final SubscriptionState subscriptions = new SubscriptionState(new LogContext(), AutoOffsetResetStrategy.EARLIEST);
        private final BlockingQueue<BackgroundEvent> events = new LinkedBlockingQueue<>();
        private final ConsumerMembershipManager membership;
        private final ConsumerHeartbeatRequestManager heartbeats;

        private Member(boolean autoCommits) {
            CommitRequestManager commits = mock(CommitRequestManager.class);
            when(commits.maybeAutoCommitSyncBeforeRebalance(anyLong())).thenReturn(CompletableFuture.completedFuture(null));
            ConsumerMetadata metadata = mock(ConsumerMetadata.class);
            when(metadata.topicNames()).thenReturn(Map.of(TOPIC_ID, TOPIC));
            CoordinatorRequestManager finder = mock(CoordinatorRequestManager.class);
            when(finder.coordinator()).thenReturn(Optional.of(new Node(1, "b1", 9092)));
            BackgroundEventHandler toApplication = new BackgroundEventHandler(events, time, mock(AsyncConsumerMetrics.class));
            membership = new ConsumerMembershipManager(
                GROUP,
                Optional.empty(),
                Optional.empty(),
                300_000,
                Optional.empty(),
                subscriptions,
                commits,
                metadata,
                new LogContext(),
                toApplication,
                time,
                mock(RebalanceMetricsManager.class),
                autoCommits);
            heartbeats = new ConsumerHeartbeatRequestManager(
                new LogContext(),
                time,
                new ConsumerConfig(Map.of(
                    "bootstrap.servers", "b1:9092",
                    "group.id", GROUP,
                    "group.protocol", "consumer",
                    "key.deserializer", StringDeserializer.class,
                    "value.deserializer", StringDeserializer.class)),
                finder,
                subscriptions,
                membership,
                toApplication,
                new Metrics());
            subscriptions.subscribe(Set.of(TOPIC), Optional.empty());
            membership.onSubscriptionUpdated();
            membership.onConsumerPoll();
        }

        /** The next heartbeat, which the interval has made due. */
        private UnsentRequest next() {
            now += 10_000;
            return heartbeats.poll(now).unsentRequests.get(0);
        }

        private void losesAHeartbeat() {
            next().handler().onFailure(now, null);
        }

        private void heartbeats() {
            hears(next());
        }

        /** The request comes to the coordinator, and the answer back. */
        private void hears(UnsentRequest request) {
            ConsumerGroupHeartbeatResponse answer = coordinator.answer(dataOf(request));
            request.handler().onComplete(new ClientResponse(null, null, "b1", now, now, false, null, null, answer));
            membership.poll(now);
        }

        /** What a poll does before it calls onPartitionsAssigned. */
        private CompletableFuture<Void> callbackBegins() {
            membership.maybeReconcile(true);
            PartitionsAssignedEvent event = (PartitionsAssignedEvent) events.remove();
            membership.applyAssignment(event.assignedPartitions(), event.addedPartitions());
            return event.future();
        }

        /** A poll of an application that has no listener. */
        private void polls() {
            membership.maybeReconcile(true);
            while (!events.isEmpty()) {
                callbackBegins().complete(null);
            }
        }

        private void heartbeatsAndPolls() {
            heartbeats();
            polls();
        }
    }

    /** A partition of `__consumer_offsets` in the memory of its leader. Each record that it makes is applied at once. */
    private final class Coordinator {
        private final GroupCoordinatorShard shard;
        private final AuthorizableRequestContext context = mock(AuthorizableRequestContext.class);
        private long offset;

        private Coordinator() {
            when(context.clientId()).thenReturn("client");
            when(context.clientAddress()).thenReturn(InetAddress.getLoopbackAddress());
            when(context.requestVersion()).thenReturn((int) ApiKeys.OFFSET_COMMIT.latestVersion());
            GroupCoordinatorMetrics metrics = mock(GroupCoordinatorMetrics.class);
            when(metrics.newMetricsShard(any(), any())).thenReturn(mock(GroupCoordinatorMetricsShard.class));
            GroupCoordinatorShard.Builder builder = new GroupCoordinatorShard.Builder(
                GroupCoordinatorConfig.fromProps(Map.of("group.consumer.assignment.interval.ms", "0")),
                mock(GroupConfigManager.class));
            builder.withAuthorizerPlugin(Optional.empty());
            builder.withSnapshotRegistry(new SnapshotRegistry(new LogContext()));
            builder.withTime(time);
            builder.withTimer(timer());
            builder.withExecutor(executor());
            builder.withCoordinatorMetrics(metrics);
            builder.withTopicPartition(new TopicPartition("__consumer_offsets", 0));
            shard = builder.build();
            MetadataDelta topic = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
            topic.replay(new TopicRecord().setName(TOPIC).setTopicId(TOPIC_ID));
            for (TopicPartition partition : PARTITIONS) {
                topic.replay(new PartitionRecord()
                    .setTopicId(TOPIC_ID)
                    .setPartitionId(partition.partition())
                    .setReplicas(List.of(1))
                    .setIsr(List.of(1))
                    .setLeader(1));
            }
            shard.onLoaded(new KRaftCoordinatorMetadataImage(topic.apply(MetadataProvenance.EMPTY)));
        }

        @SuppressWarnings("unchecked")
        private static CoordinatorTimer<CoordinatorRecord> timer() {
            return mock(CoordinatorTimer.class);
        }

        @SuppressWarnings("unchecked")
        private static CoordinatorExecutor<CoordinatorRecord> executor() {
            return mock(CoordinatorExecutor.class);
        }

        private <T> T applied(CoordinatorResult<T, CoordinatorRecord> result) {
            result.records().forEach(record -> shard.replay(offset++, -1, (short) -1, record));
            return result.response();
        }

        private ConsumerGroupHeartbeatResponse answer(ConsumerGroupHeartbeatRequestData request) {
            return new ConsumerGroupHeartbeatResponse(applied(shard.consumerGroupHeartbeat(context, request)));
        }

        private boolean commits(Member member, TopicPartition partition) {
            OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(GROUP)
                .setMemberId(member.membership.memberId())
                .setGenerationIdOrMemberEpoch(member.membership.memberEpoch())
                .setTopics(List.of(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                    .setName(partition.topic())
                    .setTopicId(TOPIC_ID)
                    .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(1)))));
            return isAccepted(() -> applied(shard.commitOffset(context, request)));
        }

        private boolean commitsInATransaction(Member member, TopicPartition partition) {
            TxnOffsetCommitRequestData request = new TxnOffsetCommitRequestData()
                .setGroupId(GROUP)
                .setTransactionalId("id")
                .setMemberId(member.membership.memberId())
                .setGenerationId(member.membership.memberEpoch())
                .setTopics(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic()
                    .setName(partition.topic())
                    .setPartitions(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(1)))));
            return isAccepted(() -> shard.commitTransactionalOffset(context, request));
        }

        private static boolean isAccepted(Runnable commit) {
            try {
                commit.run();
                return true;
            } catch (ApiException refused) {
                return false;
            }
        }
    }
}
