"""What `neverlost claims` shows."""
