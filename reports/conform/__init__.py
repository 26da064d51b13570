"""What `neverlost conform` shows."""
