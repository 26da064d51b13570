"""Published replication protocols, action by action."""
