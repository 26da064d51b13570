"""The commands of conformance, which the command line of neverlost finds by their entry point."""

HERE = "neverlost.conformance.cli"
COMMANDS = {
    "conform": (f"{HERE}.conform:conform_command", "Run a suite against an implementation."),
    "history": (f"{HERE}.history:history_command", "Judge what clients of a real system saw."),
    "suite": (f"{HERE}.suite:suite_command", "Test cases for an implementation, from the explored graph."),
    "validate": (f"{HERE}.validate:validate_command", "Does an event log of brokers follow the model?"),
}
