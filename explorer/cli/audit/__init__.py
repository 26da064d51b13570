"""`neverlost audit`: from Kafka's configuration files to what can happen to records, and what prevents it."""

from .command import audit_command

__all__ = ["audit_command"]
