"""Mutants of a model: its functions with one mistake each, and the shortest runs that kill each."""
