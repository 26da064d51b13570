"""Transactions in one process: a coordinator, leaders of partitions and producers, written from Kafka's sources (KIP-98, KIP-890).

One `transactional.id` with one producer id. A request is a call; who calls may keep it back and make the call later.
"""
