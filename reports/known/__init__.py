"""What `neverlost known` shows."""
