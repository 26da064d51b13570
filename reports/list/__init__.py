"""What `neverlost list` shows."""
