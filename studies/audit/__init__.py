"""From the configuration files of a deployment to what can happen to its records, and what prevents it."""
