"""What the search on Spark adds to the command line: `check --engine spark`, `resume` and `graph`."""

HERE = "neverlost.spark_explore.cli"
COMMANDS = {
    "graph": (f"{HERE}.graph:graph_command", "What is in the store of a search on Spark, as tables."),
    "resume": (f"{HERE}.resume:resume_command", "Go on with a search on Spark that was cut short."),
}
