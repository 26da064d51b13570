"""Mutants of a model: its functions with one mistake each, and the shortest runs by which each can be kills from the model."""
