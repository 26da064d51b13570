"""A quorum of controllers beside the brokers, and stories of what happens to their directories, and what it costs."""
