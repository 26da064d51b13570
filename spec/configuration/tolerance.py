"""Which faults a configuration must tolerate, as people write them: `1 crash, 1 power loss, 2 leader moves`."""

from __future__ import annotations

import re

from neverlost.model.arguments import argument
from neverlost.spec.families import known_faults

from .notices import ConfigurationError, Notice

MOST = 3
"""More of one fault than this would make the model too large to explore."""


def parse_tolerance(text: str) -> dict[str, int]:
    """How many of each fault: `{"crashes": 1, "power_losses": 1}`. Raises ConfigurationError with the names of the faults."""
    budgets: dict[str, int] = {}
    problems: list[str] = []
    for part in text.split(","):
        matched = re.fullmatch(r"([0-9]{1,9}) +(.+)", " ".join(part.split()))
        name = fault_named(matched[2]) if matched else None
        if matched is None or name is None:
            problems.append(f"{part.strip()!r} is not a number and a fault.")
        elif name in budgets:
            problems.append(f"{part.strip()!r}: {name.replace('_', ' ')} were given before.")
        elif int(matched[1]) > MOST:
            problems.append(f"{part.strip()!r} is more than the model can explore: at most {MOST} of each.")
        else:
            budgets[name] = int(matched[1])
    if problems:
        known = ", ".join(fault.plural for fault in known_faults().values())
        advice = f"Faults: {known}. Write, for example, '1 crash, 2 leader moves'."
        raise ConfigurationError([Notice(what=" ".join(problems), advice=advice, key=argument("tolerate"))])
    return budgets


def fault_named(words: str) -> str | None:
    """The setting that a fault's name means, in singular or plural, with blanks, dashes or underscores."""
    plain = re.sub("[-_ ]+", " ", words.lower())
    for fault in known_faults().values():
        if plain in (fault.singular, fault.plural):
            return fault.name
    return None
