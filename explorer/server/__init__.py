"""The explorer: a model that one clicks through, in a page on this machine. The interpreter is its engine."""
