"""What each condition of a model is for."""
