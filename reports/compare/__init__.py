"""What `neverlost compare` shows."""
