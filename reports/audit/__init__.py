"""What `neverlost audit` shows."""
