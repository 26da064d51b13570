"""Real Apache Kafka clusters of every era on this machine, behind gates: started, driven step by step, and looked at."""
