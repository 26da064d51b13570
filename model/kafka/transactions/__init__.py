"""Kafka's transactions: one transactional id, its producers one after the other, its coordinator, and the partitions that it writes to.

Rules are named R-TXN-1 to R-TXN-22; docs/explanation/transactions.md has them, with Kafka's files and methods.
"""
