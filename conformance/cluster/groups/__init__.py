"""Stories of consumer groups, played by real brokers and real clients."""
