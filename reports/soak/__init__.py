"""What `neverlost soak` shows, and the lines of its file."""
