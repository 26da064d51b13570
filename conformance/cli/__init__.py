"""The commands of conformance, which the command line of neverlost finds by their entry points."""
