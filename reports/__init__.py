"""What neverlost shows, and nothing else: a folder for each command or document, and in it a module for each form."""
