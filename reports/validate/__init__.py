"""What `neverlost validate` shows."""
