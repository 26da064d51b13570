"""The controllers' quorum (KRaft): elections, the metadata log, who is a voter, and what becomes of a decision that is lost.

The rules were read in the `raft` module of Kafka: QuorumState, KafkaRaftClient, LeaderState, ElectionState and the handlers of voters.
"""
