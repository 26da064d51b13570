"""What `neverlost record` shows; the logs and histories that it writes are read again, so conformance.cluster writes them."""
