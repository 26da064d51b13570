"""Apache Kafka, version by version: properties, profiles, claims."""
