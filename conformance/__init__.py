"""Conformance: what the model says is compared with what an implementation does."""
