"""Lemmas: their grammar and text, clauses mined from samples, and the check on states."""
