"""Clients of the in-process brokers: producers of two eras, and a consumer group."""
