"""What `neverlost bugs` shows."""
