package org.apache.kafka.controller;

import static org.apache.kafka.common.config.TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AssignReplicasToDirsRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.EligibleLeaderReplicasVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * The part of a controller that knows brokers, settings and partitions, with eligible leader replicas (ELR), min ISR 2 and
 * the newest metadata version. Each record that it makes is applied at once.
 */
final class ControllerFixture {
    private static final String CLUSTER = "upstream";

    private final FeatureControlManager features;
    private final ClusterControlManager brokers;
    private final ConfigurationControlManager settings;
    private final ReplicationControlManager partitions;
    private final Map<String, Uuid> topics = new HashMap<>();
    private final Map<Integer, List<Uuid>> directories = new HashMap<>();
    private long offset = 100;

    ControllerFixture() {
        SnapshotRegistry snapshots = new SnapshotRegistry(new LogContext());
        features = new FeatureControlManager.Builder()
            .setSnapshotRegistry(snapshots)
            .setQuorumFeatures(new QuorumFeatures(0, QuorumFeatures.defaultSupportedFeatureMap(true), List.of(0)))
            .build();
        feature(MetadataVersion.FEATURE_NAME, MetadataVersion.LATEST_PRODUCTION.featureLevel());
        feature(EligibleLeaderReplicasVersion.FEATURE_NAME, EligibleLeaderReplicasVersion.ELRV_1.featureLevel());
        brokers = new ClusterControlManager.Builder()
            .setClusterId(CLUSTER)
            .setSnapshotRegistry(snapshots)
            .setFeatureControlManager(features)
            // No clock ends a session here, and none keeps a broker from a new registration: tests say when a broker is fenced.
            .setSessionTimeoutNs(1)
            .setBrokerShutdownHandler((broker, clean, records) -> this.partitions().handleBrokerShutdown(broker, clean, records))
            .build();
        settings = new ConfigurationControlManager.Builder()
            .setSnapshotRegistry(snapshots)
            .setFeatureControl(features)
            .setKafkaConfigSchema(KafkaRaftServer.configSchema())
            .setStaticConfig(Map.of(MIN_IN_SYNC_REPLICAS_CONFIG, "2"))
            .build();
        partitions = new ReplicationControlManager.Builder()
            .setSnapshotRegistry(snapshots)
            .setConfigurationControl(settings)
            .setClusterControl(brokers)
            .setFeatureControl(features)
            .build();
        brokers.activate();
    }

    private ReplicationControlManager partitions() {
        return partitions;
    }

    private void feature(String name, short level) {
        features.replay(new FeatureLevelRecord().setName(name).setFeatureLevel(level));
    }

    /** Brokers start for the first time, each with one log directory. */
    ControllerFixture started(int... ids) {
        for (int id : ids) {
            start(id, false, Uuid.randomUuid());
        }
        return this;
    }

    /** A broker starts with these log directories. After a clean shutdown it names the broker epoch that it had. */
    void start(int broker, boolean wasShutDownCleanly, Uuid... logDirectories) {
        directories.put(broker, List.of(logDirectories));
        BrokerRegistrationRequestData.FeatureCollection supported = new BrokerRegistrationRequestData.FeatureCollection();
        QuorumFeatures.defaultSupportedFeatureMap(true).forEach((name, range) -> supported.add(
            new BrokerRegistrationRequestData.Feature()
                .setName(name)
                .setMinSupportedVersion(range.min())
                .setMaxSupportedVersion(range.max())));
        var registered = brokers.brokerRegistrations().get(broker);
        apply(brokers.registerBroker(
            new BrokerRegistrationRequestData()
                .setBrokerId(broker)
                .setClusterId(CLUSTER)
                .setIncarnationId(Uuid.randomUuid())
                .setPreviousBrokerEpoch(wasShutDownCleanly ? registered.epoch() : -1)
                .setFeatures(supported)
                .setLogDirs(List.of(logDirectories)),
            offset++,
            new FinalizedControllerFeatures(features.finalizedFeatures(Long.MAX_VALUE).featureMap(), offset),
            true).records());
        heartbeat(broker, false);
    }

    /** A broker starts again after a clean shutdown, with the log directories that it had. */
    void restart(int broker) {
        start(broker, true, directories.get(broker).toArray(new Uuid[0]));
    }

    /** A broker starts again after power was lost: it has no clean shutdown file. */
    void restartAfterPowerLoss(int broker) {
        start(broker, false, directories.get(broker).toArray(new Uuid[0]));
    }

    /** A broker hands its leaderships over and ends. */
    void shutDown(int broker) {
        heartbeat(broker, true);
        fence(broker);
    }

    /** The session of a broker ends. */
    void fence(int broker) {
        List<ApiMessageAndVersion> records = new ArrayList<>();
        partitions.handleBrokerFenced(broker, records);
        brokers.heartbeatManager().fence(broker);
        apply(records);
    }

    private void heartbeat(int broker, boolean shutDown) {
        long epoch = brokers.brokerRegistrations().get(broker).epoch();
        brokers.trackBrokerHeartbeat(broker, epoch);
        apply(partitions.processBrokerHeartbeat(
            new BrokerHeartbeatRequestData()
                .setBrokerId(broker)
                .setBrokerEpoch(epoch)
                .setCurrentMetadataOffset(offset)
                .setWantShutDown(shutDown),
            0).records());
    }

    /** A topic whose partitions have these replicas, the preferred leader first, in the first log directory of each broker. */
    void createTopic(String name, int[]... replicas) {
        createTopic(name, Map.of(), replicas);
    }

    void createTopic(String name, Map<String, String> configuration, int[]... replicas) {
        CreatableTopic topic = new CreatableTopic().setName(name).setNumPartitions(-1).setReplicationFactor((short) -1);
        IntStream.range(0, replicas.length).forEach(partition -> topic.assignments().add(new CreatableReplicaAssignment()
            .setPartitionIndex(partition)
            .setBrokerIds(Arrays.stream(replicas[partition]).boxed().toList())));
        configuration.forEach((key, value) -> topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value)));
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic);
        var result = partitions.createTopics(context(), request, Set.of(name), false);
        assertEquals(Errors.NONE.code(), result.response().topics().find(name).errorCode());
        apply(result.records());
    }

    /** A partition gets other replicas. It ends when the leader has put all new ones into its ISR: `isr`. */
    void reassign(String topic, int partition, int... replicas) {
        apply(partitions.alterPartitionReassignments(new AlterPartitionReassignmentsRequestData()
            .setTopics(List.of(new ReassignableTopic().setName(topic).setPartitions(List.of(new ReassignablePartition()
                .setPartitionIndex(partition)
                .setReplicas(Arrays.stream(replicas).boxed().toList())))))).records());
    }

    /** A broker says in which of its log directories the replica of a partition is. */
    void assign(int broker, Uuid directory, String topic, int partition) {
        var result = partitions.handleAssignReplicasToDirs(new AssignReplicasToDirsRequestData()
            .setBrokerId(broker)
            .setBrokerEpoch(brokers.brokerRegistrations().get(broker).epoch())
            .setDirectories(List.of(new AssignReplicasToDirsRequestData.DirectoryData()
                .setId(directory)
                .setTopics(List.of(new AssignReplicasToDirsRequestData.TopicData()
                    .setTopicId(topics.get(topic))
                    .setPartitions(List.of(new AssignReplicasToDirsRequestData.PartitionData()
                        .setPartitionIndex(partition))))))));
        assertEquals(Errors.NONE.code(), result.response().errorCode());
        apply(result.records());
    }

    /** The leader of a partition changes its ISR. */
    void isr(String topic, int partition, int... isr) {
        PartitionRegistration now = partition(topic, partition);
        var result = partitions.alterPartition(context(), new AlterPartitionRequestData()
            .setBrokerId(now.leader)
            .setBrokerEpoch(brokers.brokerRegistrations().get(now.leader).epoch())
            .setTopics(List.of(new AlterPartitionRequestData.TopicData()
                .setTopicId(topics.get(topic))
                .setPartitions(List.of(new AlterPartitionRequestData.PartitionData()
                    .setPartitionIndex(partition)
                    .setPartitionEpoch(now.partitionEpoch)
                    .setLeaderEpoch(now.leaderEpoch)
                    .setNewIsrWithEpochs(Arrays.stream(isr)
                        .mapToObj(id -> new BrokerState()
                            .setBrokerId(id)
                            .setBrokerEpoch(brokers.brokerRegistrations().get(id).epoch()))
                        .toList()))))));
        assertEquals(Errors.NONE.code(), result.response().topics().get(0).partitions().get(0).errorCode());
        apply(result.records());
    }

    /** Sets a value, as `kafka-configs.sh --alter --add-config` does. An empty name is that of all brokers. */
    void configure(ConfigResource.Type type, String name, String key, String value) {
        ConfigResource resource = new ConfigResource(type, name);
        var result = settings.incrementalAlterConfigs(
            Map.of(resource, Map.of(key, Map.entry(OpType.SET, value))), false, false);
        assertEquals(Errors.NONE, result.response().get(resource).error());
        apply(result.records());
    }

    PartitionRegistration partition(String topic, int partition) {
        return partitions.getPartition(topics.get(topic), partition);
    }

    List<Integer> replicas(String topic, int partition) {
        return Arrays.stream(partition(topic, partition).replicas).boxed().toList();
    }

    /** The members of the ELR of a partition, in order. */
    List<Integer> elr(String topic, int partition) {
        return Arrays.stream(partition(topic, partition).elr).sorted().boxed().toList();
    }

    private static ControllerRequestContext context() {
        RequestHeaderData header = new RequestHeaderData().setRequestApiVersion(ApiKeys.ALTER_PARTITION.latestVersion());
        return new ControllerRequestContext(header, KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
    }

    private void apply(List<ApiMessageAndVersion> records) {
        for (ApiMessageAndVersion record : records) {
            ApiMessage message = record.message();
            offset++;
            if (message instanceof RegisterBrokerRecord register) {
                brokers.replay(register, offset);
            } else if (message instanceof BrokerRegistrationChangeRecord change) {
                brokers.replay(change);
            } else if (message instanceof ConfigRecord config) {
                settings.replay(config);
            } else if (message instanceof ClearElrRecord clear) {
                partitions.replay(clear);
            } else if (message instanceof TopicRecord topic) {
                partitions.replay(topic);
                topics.put(topic.name(), topic.topicId());
            } else if (message instanceof PartitionRecord partition) {
                partitions.replay(partition);
            } else if (message instanceof PartitionChangeRecord change) {
                partitions.replay(change);
            } else {
                throw new IllegalStateException("no test makes such a record: " + message);
            }
        }
    }
}
