"""What `neverlost describe` shows."""
