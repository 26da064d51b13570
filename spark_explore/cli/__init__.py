"""What the search on Spark adds to the command line: `check --engine spark`, `resume` and `graph`."""
