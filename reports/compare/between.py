"""What changed between two releases, for people: without a search, and without what brokers need."""

from __future__ import annotations

from neverlost.explorer.words import counted
from neverlost.spec.between import Between

from ..layout import wrapped

UPGRADED = (
    "New clusters have {} on. A cluster that was upgraded keeps the levels that it had: until kafka-features.sh raises them, it has"
    " the older rules, and the losses that the newer ones prevent."
)


def between_text(found: Between) -> str:
    """What changed between two releases: rules by family, and the losses of the ledger that only one of them has."""
    rules, losses = (sum(map(len, each.values())) for each in (found.rules, found.losses))
    head = f"Kafka {found.first} and {found.second} ({found.mode}): {counted(rules, 'rule')} and"
    parts = [wrapped(f"{head} {losses} of the ledger's losses are of one of them alone", "  ")]
    for family, of_family in found.rules.items():
        lines = [wrapped(f"  {release}: {rule.rule} ({rule.source})", "    ") for release, rule in of_family]
        parts.append("\n".join([f"Rules of {family.replace('_', ' ')} that only one has", *lines]))
    for release, bugs in found.losses.items():
        lines = [wrapped(f"  {bug.name}: {bug.what} ({bug.releases})", "    ") for bug in bugs]
        parts.append("\n".join([f"Losses that only {release} has", *(lines or ["  none that is known"])]))
    features = list(dict.fromkeys(r.feature for each in found.rules.values() for _, r in each if r.feature))
    parts += [wrapped(UPGRADED.format(" and ".join(features)), "  ")] if features else []
    return "\n\n".join(parts)
