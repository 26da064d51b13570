"""An audit for the programs of a pipeline: each format in a module of its own, all from the same remarks."""
