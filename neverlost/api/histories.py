"""Histories: what clients of a real system saw, and what is wrong with it. It needs NumPy: the extra `conform` brings it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.core import UnknownNameError

from .arguments import path_of
from .results import PropertyNotHeldError
from .shown import Judged, Shown

if TYPE_CHECKING:
    from neverlost.conformance.history.judged import JudgedHistory

COMMITTED, UNCOMMITTED = "read_committed", "read_uncommitted"


@dataclass(frozen=True, repr=False)
class History(Judged, Shown):
    """What is wrong with a history: `holds` if nothing is, `violated`, or `undecided` if the history does not show enough."""

    found: JudgedHistory
    asked = ("clean", "assert_clean")

    def __repr__(self) -> str:
        return f"<History {self.found.history.name}: {self.verdict}, {counted(self.found.history.operations, 'operation')}>"

    @property
    def verdict(self) -> str:
        return self.found.verdict.value

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong with what was judged; False if that is undecided. `not_judged` says what was not."""
        return self.verdict == Verdict.HOLDS

    @property
    def counts(self) -> Mapping[str, int]:
        """How many anomalies there are, by kind."""
        return self.found.counts

    @property
    def not_judged(self) -> list[str]:
        """Why kinds were not judged, or where."""
        return [f"{', '.join(one.kinds)}: {one.why}" for one in self.found.not_judged]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, as `neverlost history --json` writes it."""
        from neverlost.reports.history.as_json import history_values

        return history_values(self.found)

    def text(self) -> str:
        """The report, as on the command line."""
        from neverlost.reports.history.as_text import history_text

        return history_text(self.found)

    def assert_clean(self) -> None:
        """Raises PropertyNotHeldError with the report unless the history is clean."""
        if not self.clean:
            raise PropertyNotHeldError(self.text())


def history(
    file: str | Path, *, isolation_level: str = COMMITTED, one_group: bool = False, most: int = 1_000
) -> History:
    """Judge a file of what clients did and saw, in Jepsen's form, EDN or JSON, or as Kafka's verifiable clients print it.

    `isolation_level` is what the readers of transactions were set to, "read_committed" or "read_uncommitted". `one_group` says that all
    clients that subscribe are in one group. `most` findings of each kind are kept; all are counted.
    Raises HistoryError for a file that is no history, UnknownNameError for another level, ArgumentError for no path, and OSError.

    >>> import neverlost as nl
    >>> judged = nl.history("examples/histories/lost.edn")
    >>> judged.verdict, judged.counts["lost"]
    ('violated', 1)
    """
    from neverlost.conformance.history import Recorder, forms_of, notation_of
    from neverlost.conformance.history.judged import judged

    if isolation_level not in (COMMITTED, UNCOMMITTED):
        raise UnknownNameError("isolation level", isolation_level, (COMMITTED, UNCOMMITTED))
    with path_of(file, "file").open("rb") as opened:
        recorder = Recorder(notation_of(opened))
        recorder.take(forms_of(opened, recorder.note))
    recorded = recorder.history(str(file))
    return History(judged(recorded, most=most, uncommitted=isolation_level == UNCOMMITTED, one_group=one_group))
