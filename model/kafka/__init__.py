"""Models of Apache Kafka: a protocol family is a folder, or a module if it is small."""
