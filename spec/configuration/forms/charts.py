"""The Helm charts whose values are read, as data: by which keys each is known, and what its own values and templates set.

What a values file does not set is what the chart's own values have, and these are not in the file. Which chart it is, and between which
versions, is known by keys that other versions do not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .images import names

CONFLUENT_CHART, STRIMZI_CHART = "Confluent's cp-kafka", "Strimzi's operator"
OLD_CHART, NEW_CHART, BITNAMI_CHART = "Bitnami's kafka up to 23", "Bitnami's kafka from 24 on", "Bitnami's kafka"
OF_BITNAMI = re.compile(r"(?:.*/)?bitnami(?:legacy)?/kafka")
"""The images of Bitnami's chart, in whichever registry."""

OLD_KEYS: Mapping[str, str] = {
    "autoCreateTopicsEnable": "auto.create.topics.enable",
    "defaultReplicationFactor": "default.replication.factor",
    "deleteTopicEnable": "delete.topic.enable",
    "logFlushIntervalMessages": "log.flush.interval.messages",
    "logFlushIntervalMs": "log.flush.interval.ms",
    "logRetentionBytes": "log.retention.bytes",
    "logRetentionHours": "log.retention.hours",
    "logsDirs": "log.dirs",
    "numPartitions": "num.partitions",
    "offsetsTopicReplicationFactor": "offsets.topic.replication.factor",
    "transactionStateLogMinIsr": "transaction.state.log.min.isr",
    "transactionStateLogReplicationFactor": "transaction.state.log.replication.factor",
}
"""Values of bitnami/kafka up to 23 that are keys of Kafka: its statefulset.yaml makes variables KAFKA_CFG_... of them."""
OLD_DEFAULTS: Mapping[str, str] = {
    "defaultReplicationFactor": "1",
    "offsetsTopicReplicationFactor": "1",
    "logFlushIntervalMessages": "10000",
    "logRetentionBytes": "1073741824",
}
"""What values.yaml of bitnami/kafka has for them in each version up to 23, or what Kafka takes where the oldest have none."""
OF_NUMBERS = names("logFlushIntervalMessages logRetentionBytes")
"""Values that are written with an underscore, so that Helm takes no large number for a float; statefulset.yaml removes it."""
OLD_MARKS = frozenset(OLD_KEYS) | names("allowPlaintextListener maxMessageBytes minBrokerId")
"""Values that bitnami/kafka has up to 23 only."""
TO_31, FROM_32 = names("extraConfig extraConfigYaml"), "overrideConfiguration"
NEW_MARKS = TO_31 | {FROM_32}
"""Values that bitnami/kafka has from 24 on only."""
PARTS = names("broker controller externalAccess kraft listeners provisioning sasl zookeeper")
"""Other values that bitnami/kafka has from 24 on."""
NEW_COUNTS: Mapping[str, int] = {"controller": 3, "broker": 0}
"""`replicaCount` of the two StatefulSets in values.yaml of bitnami/kafka from 24 on."""
OLD_COUNT = 1

MAY_SET = names(
    "args command existingConfigmap existingSecretConfig extraDeploy extraEnvVars extraEnvVarsCM extraEnvVarsSecret "
    "extraInit extraVolumeMounts extraVolumes initContainers lifecycleHooks secretConfig sidecars"
)
"""Values of bitnami/kafka that may set anything; they are empty in its values.yaml."""
OF_THE_CHART = ("/scripts/setup.sh",)
"""The `command` in values.yaml of bitnami/kafka up to 23, which starts the image's own script."""
OF_SCRIPTS = names("args command extraProvisioningCommands initContainers postScript preScript sidecars")
"""Values of its `provisioning` that may do anything; they are empty too."""
OF_TOPICS: Mapping[str, str] = {"partitions": "partitions", "replicationFactor": "replication.factor"}
BITNAMI_DISK = "/bitnami/kafka"
"""`persistence.mountPath` of values.yaml."""
BITNAMI_SOURCE = "values.yaml and templates of bitnami/kafka in bitnami/charts, 0.0.2 to 32.4.3"

OF_CONFLUENT = "cp-kafka"
CONFLUENT_MARK, CONFLUENT_PARTS = "configurationOverrides", names("brokers customEnv heapOptions imageTag persistence")
NOT_OF_CONFLUENT = names("broker controller kafka replicaCount replicas zookeeper")
"""Values that cp-kafka does not have, and other charts have that take `configurationOverrides` too."""
CONFLUENT_DEFAULT = ("offsets.topic.replication.factor", "3")
"""What `configurationOverrides` has in every version of values.yaml of cp-kafka; a map of one's own is merged into it."""
CONFLUENT_COUNT = 3
CONFLUENT_DISK = "/opt/kafka/data-0"
"""Where statefulset.yaml of cp-kafka mounts the first disk."""
CONFLUENT_CLIENTS = names("cp-kafka-connect cp-kafka-rest cp-ksql-server cp-control-center")
"""Other charts of cp-helm-charts that start clients unless they are turned off."""
CONFLUENT_SOURCE = "charts/cp-kafka of confluentinc/cp-helm-charts"

OF_STRIMZI = names(
    "watchNamespaces watchAnyNamespace fullReconciliationIntervalMs operationTimeoutMs kubernetesServiceDnsDomain "
    "leaderElection createAggregateRoles defaultImageRegistry defaultImageRepository defaultImageTag topicOperator "
    "userOperator kafkaBridge kanikoExecutor tlsSidecarEntityOperator"
)
"""Values of Strimzi's chart for its operator: strimzi-kafka-operator, values.yaml."""
