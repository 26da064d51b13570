"""What `neverlost prove` shows."""
