"""What `neverlost graph` shows."""
