"""What `neverlost reproduce` shows."""
