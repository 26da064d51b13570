"""Studies: many questions asked of models of Apache Kafka, for one purpose each. Library code without a command line."""
