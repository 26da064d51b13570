"""Hypothesis state machines made from a model and an adapter, led to where little is seen by chance."""
