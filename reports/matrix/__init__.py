"""What `neverlost matrix` shows."""
