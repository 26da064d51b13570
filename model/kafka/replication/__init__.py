"""The full replication protocol of Apache Kafka: one partition, its brokers, the controller, a producer, a consumer, and faults.

Every version uses the same functions with other settings; see neverlost.spec.kafka.replication for the versions.
"""
