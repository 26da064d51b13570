"""Kafka's own configuration formats, read into settings of the model."""
