"""Apache Kafka, version by version: properties, profiles, claims."""

from .versions import VERSIONS

__all__ = ["VERSIONS"]
