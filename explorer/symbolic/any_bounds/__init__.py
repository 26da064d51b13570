"""Proofs for any bounds: replicas without number, offsets and epochs without end, in Z3's language of functions and quantifiers."""
