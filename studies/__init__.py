"""Studies: each asks many questions about models of Apache Kafka for one purpose. Library code without a command line."""
