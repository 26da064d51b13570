"""Searches of the protocols of the examples that were written by hand, without any model: they count states in another way."""
