"""What `neverlost lemmas` shows."""
