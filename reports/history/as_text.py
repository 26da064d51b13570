"""What was found in a history, for people."""

from __future__ import annotations

from neverlost.conformance.history.anomalies import DELIVERED_AGAIN, SENT_AGAIN, WRITE_CYCLES
from neverlost.conformance.history.columns import FAIL, INFO, OK
from neverlost.conformance.history.findings import (
    CIRCULAR,
    DUPLICATED,
    INCONSISTENT,
    KINDS,
    LOST,
    OF_GROUPS,
    OF_RECORDS,
    OF_TRANSACTIONS,
    OFFSET_BACK,
    PRECOMMITTED,
    REFUSED,
    REORDERED,
    SKIPPED,
    SKIPPED_BY_GROUP,
    TORN,
    TWO_AT_A_TIME,
    UNSENT,
    VANISHED,
    Anomaly,
)
from neverlost.conformance.history.judged import JudgedHistory
from neverlost.conformance.history.recording import History
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted

from ..common import malformed_text
from ..layout import wrapped

SHOWN, SHOWN_MENTIONS = 5, 8
WORDS = {
    LOST: "acknowledged and lost",
    VANISHED: "read, then vanished",
    DUPLICATED: "duplicated",
    REORDERED: "out of order",
    INCONSISTENT: "inconsistent offsets",
    REFUSED: "refused, yet read",
    SKIPPED: "skipped by a reader",
    UNSENT: "read, yet not sent",
    TORN: "torn out of a transaction",
    PRECOMMITTED: "read before the commit",
    CIRCULAR: "read in a circle",
    SKIPPED_BY_GROUP: "skipped by a group",
    TWO_AT_A_TIME: "processed by two at a time",
    OFFSET_BACK: "committed offset gone back",
}
FAMILIES = {OF_RECORDS: "records", OF_TRANSACTIONS: "transactions", OF_GROUPS: "groups", KINDS: "anything"}
"""The kinds that are not judged if nothing of a family is in the history, or if any of them may be in what is not read."""
ALLOWED_WORDS = {
    WRITE_CYCLES: "{} of writes",
    DELIVERED_AGAIN: "{} given to a group again",
    SENT_AGAIN: "{} at several offsets, sent as often",
}
COUNTED_AS = {WRITE_CYCLES: "cycle", DELIVERED_AGAIN: "record", SENT_AGAIN: "value"}


def history_text(found: JudgedHistory) -> str:
    """The whole report."""
    shown = [_anomalies_text(found, kind) for kind in KINDS if found.counts[kind]]
    return "\n\n".join(part for part in (_malformed_text(found.history), verdict_text(found), *shown) if part)


def verdict_text(found: JudgedHistory) -> str:
    """The parts that were judged, and the number of each kind of anomaly."""
    history = found.history
    outcomes = [int((history.sends.outcome == outcome).sum()) for outcome in (OK, FAIL, INFO)]
    verdict = f"{history.name}: {_verdict(found)}."
    rows = {
        "operations": f"{history.operations:,}, of {_clients(len(history.processes))}"
        f" on {counted(len(history.partitions), 'partition')}",
        "sent": f"{len(history.sends):,}: {outcomes[0]:,} acknowledged, {outcomes[1]:,} refused, {outcomes[2]:,} indeterminate",
        "read": f"{len(history.reads):,}",
        "left open": f"{counted(found.unread, 'acknowledged value')} not read, and nothing beyond read either",
        **_more_rows(found),
    }
    width = max(10, *map(len, rows))
    lines = [wrapped(f"  {name:{width}} {text}", " " * (width + 3)) for name, text in rows.items()]
    return "\n".join([wrapped(verdict), *lines, *_not_judged(found, width)])


def _verdict(found: JudgedHistory) -> str:
    """Plainly clean is only a history of which everything was judged that is in it."""
    match found.verdict:
        case Verdict.VIOLATED:
            happened = (f"{found.counts[kind]:,} {WORDS[kind]}" for kind in KINDS if found.counts[kind])
            return f"NOT clean: {', '.join(happened)}"
        case Verdict.UNDECIDED:
            unread = found.history.malformed_count
            why = (
                *((f"{counted(unread, 'line')} cannot be read",) if unread else ()),
                *(one.in_doubt for one in found.not_judged if one.in_doubt),
            )
            return f"UNDECIDED: nothing wrong was found, but {'; '.join(why)}"
    whole = all(one.kinds in (OF_TRANSACTIONS, OF_GROUPS) for one in found.not_judged)
    return "clean" if whole else "clean of what was judged"


def _more_rows(found: JudgedHistory) -> dict[str, str]:
    """Rows for histories that have transactions or groups."""
    rows, transactions, groups = dict[str, str](), found.history.transactions, found.history.groups
    if len(transactions):
        committed, aborted, unknown = (int((transactions.outcome == outcome).sum()) for outcome in (OK, FAIL, INFO))
        seen = "read_uncommitted" if found.uncommitted else "read_committed"
        rows["transactions"] = (
            f"{len(transactions):,}: {committed:,} committed, {aborted:,} aborted, {unknown:,} indeterminate; readers: {seen}"
        )
    if groups.names:
        names = ", ".join(name or "one or more without a name" for name in groups.names)
        of_groups = (
            f"{counted(len(groups.commits), 'committed offset')}, {counted(len(groups.tenures), 'assigned partition')}"
        )
        rows["groups"] = f"{names}: {of_groups}"
    allowed = [
        ALLOWED_WORDS[name].format(counted(number, COUNTED_AS[name]))
        for name, number in found.allowed.items()
        if number
    ]
    if allowed:
        rows["allowed"] = ", ".join(allowed)
    return rows


def _not_judged(found: JudgedHistory, width: int) -> list[str]:
    """What the history does not show. It is not clean of that."""
    lines = []
    for number, one in enumerate(found.not_judged):
        name = "" if number else "not judged"
        kinds = FAMILIES.get(one.kinds) or "; ".join(WORDS[kind] for kind in one.kinds)
        lines.append(wrapped(f"  {name:{width}} {kinds}: {one.why}", " " * (width + 3)))
    return lines


def _clients(number: int) -> str:
    return "1 process" if number == 1 else f"{number:,} processes"


def _malformed_text(history: History) -> str:
    lines = counted(history.malformed_count, "line")
    title = f"{history.name}: {lines} of it cannot be read. The rest is judged without:"
    return malformed_text(title, history.malformed, history.malformed_count)


def _anomalies_text(found: JudgedHistory, kind: str) -> str:
    title = f"{WORDS[kind][0].upper()}{WORDS[kind][1:]}: {found.counts[kind]:,}"
    lines = [title]
    for anomaly in found.anomalies[kind][:SHOWN]:
        lines.append(wrapped(f"  {sentence(found.history, anomaly)}", "    "))
        for mention in anomaly.mentions[:SHOWN_MENTIONS]:
            process = found.history.processes[mention.process]
            index = found.history.index_of(mention.operation)
            lines.append(f"      operation {index}, process {process}: {mention.did}")
        if len(anomaly.mentions) > SHOWN_MENTIONS:
            lines.append(f"      and {len(anomaly.mentions) - SHOWN_MENTIONS:,} more operations")
    if found.counts[kind] > SHOWN:
        lines.append(f"  and {found.counts[kind] - SHOWN:,} more")
    return "\n".join(lines)


def sentence(history: History, anomaly: Anomaly) -> str:
    """`Partition 5: 17 was acknowledged at offset 3, and ...`."""
    what = anomaly.what if anomaly.value is None else f"{history.value_name(anomaly.value)} {anomaly.what}"
    return f"Partition {history.partitions[anomaly.partition]}: {what}."
