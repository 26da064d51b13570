"""Proofs: the functions of a model as Z3 terms, bounded checking, induction, and the search for lemmas."""
