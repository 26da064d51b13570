"""Traces: states joined by steps, what changed in each, and every form in which a trace is written."""
