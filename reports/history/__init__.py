"""What `neverlost history` shows."""
