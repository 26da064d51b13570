"""Kafka's replication: the in-process brokers and clients beside the model, step by step."""
