"""The actions of the model on real brokers, a module for each concern: what performs them, what stands in their way, what is hidden."""
