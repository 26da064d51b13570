"""The options of a command, as pages write them."""

from __future__ import annotations


def asked(options: str) -> dict[str, int | str | bool]:
    """The settings that options choose."""
    words = [] if options == "nothing" else options.strip("`").split()
    found: dict[str, int | str | bool] = {}
    for number, word in enumerate(words):
        if word.startswith("--"):
            value = words[number + 1] if number + 1 < len(words) else "--"
            name = word[2:].replace("-", "_")
            found[name] = True if value.startswith("--") else int(value) if value.isdigit() else value
    return found
