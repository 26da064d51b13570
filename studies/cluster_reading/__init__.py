"""A running cluster, read through its own protocol into the configuration files of an audit. Nothing in the cluster is changed."""

from .reading import ClusterAddress, read_cluster, read_named_cluster

__all__ = ["ClusterAddress", "read_cluster", "read_named_cluster"]
