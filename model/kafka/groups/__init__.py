"""A consumer group: its coordinator, its members, the partitions that it reads, and the offsets that it commits."""
