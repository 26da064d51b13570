"""Files that are whole or absent, the folders they lie in, and JSON."""
