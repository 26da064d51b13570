"""Runs of the model of transactions on real brokers: requests of producers that wait at gates, and what readers see."""
