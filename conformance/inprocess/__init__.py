"""A replication layer of Apache Kafka in one process, deterministic, to be tested by the model.

It is written from the rules (R-...) and not from the model: brokers are objects with logs and high watermarks, they talk by
messages, time is a virtual clock. What it simplifies: a log is a list of records, not files; a request is for few partitions.
"""
