"""Hypothesis state machines made from a model and an adapter, guided to rare situations."""
