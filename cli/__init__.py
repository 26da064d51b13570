"""The command line: what commands share, the commands, and their reports. No other package imports it."""
