"""The command line: what commands share, the commands, and their reports. Nothing imports it."""
