"""What changed from one release of Kafka to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neverlost.explorer.words import counted
from neverlost.reports.compare.between import between_text
from neverlost.spec.between import Between, between

from .arguments import ensure_name
from .shown import Shown


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """What only one of two releases has."""

    found: Between

    def __repr__(self) -> str:
        rules, losses = (sum(map(len, each.values())) for each in (self.rules, self.losses))
        releases = f"{self.found.first} and {self.found.second}"
        return f"<Comparison of {releases}: {counted(rules, 'rule')} and {losses} known losses of one of them alone>"

    @property
    def rules(self) -> Mapping[str, list[str]]:
        """The rules that only one of the releases has, by release."""
        both = (self.found.first, self.found.second)
        every = [pair for of_family in self.found.rules.values() for pair in of_family]
        return {release: [rule.rule for having, rule in every if having == release] for release in both}

    @property
    def losses(self) -> Mapping[str, list[str]]:
        """The names of the known losses that only one of the releases has, by release."""
        return {release: [bug.name for bug in bugs] for release, bugs in self.found.losses.items()}

    def text(self) -> str:
        """Every rule with its source, and every known loss in words, as `neverlost compare --rules` shows them."""
        return between_text(self.found)


def compare(first: str, second: str, *, mode: str | None = None) -> Comparison:
    """Compare two releases of Kafka: the rules and the known losses that only one of them has. Nothing is searched.

    "3.9" is the newest release of its line. `mode` is "kraft" or "zookeeper", for releases that have both; if it is not given, KRaft
    where both are meant to be run so. Raises UnknownNameError for a release or a mode that there is not.

    >>> import neverlost as nl
    >>> nl.compare("3.9.2", "4.1.2").losses["4.1.2"][:2]
    ['min-isr-of-partition-0', 'KAFKA-16540']
    """
    ensure_name(first, "first")
    ensure_name(second, "second")
    return Comparison(between(first, second, mode))
