"""Proofs for any bounds: any number of replicas, offsets and epochs, with functions and quantifiers in Z3."""
