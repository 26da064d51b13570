"""The replication layer of Apache Kafka in one deterministic process, for tests by the model.

It is written from the rules (R-...) and not from the model: brokers are objects with logs and high watermarks, they exchange
messages, and time is a virtual clock. Simplified: a log is a list of records, not files; a request is for few partitions.
"""
