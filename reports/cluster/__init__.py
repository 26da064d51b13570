"""What `neverlost cluster` shows."""
