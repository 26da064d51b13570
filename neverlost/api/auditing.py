"""Audits: from Kafka's configuration files to what can happen to records."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neverlost.explorer.answers.questions import Answers, nothing_known
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.reports.audit.as_json import audit_values
from neverlost.reports.audit.readings import readings_block
from neverlost.reports.audit.sections import (
    case_rows,
    doubts_of_section,
    first_of_section,
    heading,
    headline_of,
    not_asked_words,
    rows_of_section,
)
from neverlost.reports.audit.wording import (
    called_by_name,
    cannot_be_audited,
    first_fix,
    first_words,
    headline,
    settings_line,
)
from neverlost.reports.layout import wrapped
from neverlost.spec.configuration import RefusedTopics, parse_tolerances, read_all
from neverlost.studies.audit.audit import MOST_STATES, AuditResult, ClassAudit, audit_of, read_of
from neverlost.studies.audit.examination import tolerance_of
from neverlost.studies.audit.sections import Section
from neverlost.studies.audit.shipped import shipped_answers
from neverlost.studies.cluster_reading import read_named_cluster
from neverlost.studies.study import Study, all_within

from .arguments import ArgumentError, ensure_kind, ensure_names
from .limits import sensible
from .results import PropertyNotHeldError
from .shown import Judged, Shown


@dataclass(frozen=True, repr=False)
class Audit(Judged, Shown):
    """What can happen to the records of a deployment, and which changes prevent it."""

    found: AuditResult
    asked = ("safe", "assert_safe")

    def __repr__(self) -> str:
        said = f"{self.verdict}, in doubt" if self.verdict == Verdict.HOLDS and not self.safe else self.verdict
        return f"<Audit: {said}, {counted(len(self.found.classes), 'deployment')}>"

    @property
    def verdict(self) -> str:
        """`holds` if the deployment survives what it should, else `violated` or `undecided`."""
        return self.found.verdict.value

    @property
    def safe(self) -> bool:
        """Whether the deployment survives what it should, and no warning throws doubt on that."""
        sections = (doubt for section in self.found.sections.asked for doubt in section.subject.doubts)
        doubtful = any(one.deployment.doubts for one in self.found.classes) or any(doubt.decides for doubt in sections)
        return self.verdict == Verdict.HOLDS and not doubtful

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Each danger with a set of faults, its verdict, its story and its fix, as plain values; of all classes and sections."""
        values = self.to_dict()
        return [finding for one in (*values["classes"], *values["sections"]) for finding in one["findings"]]

    def to_dict(self) -> dict[str, Any]:
        """The audit as plain values, as `neverlost audit --json` writes it."""
        return audit_values(self.found)

    def assert_safe(self) -> None:
        """Raises PropertyNotHeldError unless the deployment is safe."""
        if not self.safe:
            raise PropertyNotHeldError(self.text())

    def text(self) -> str:
        """The configuration, the verdict, the doubts about it, what to do first, and what can happen."""
        refused = [f"{cannot_be_audited(one)}{problem}" for one in self.found.refused for problem in one.problems]
        sections = [_section_text(section) for section in self.found.sections.asked]
        left = not_asked_words(self.found.sections.not_asked)
        not_asked = [wrapped(left)] if left else []
        return "\n\n".join([*(_class_text(one) for one in self.found.classes), *sections, *not_asked, *refused])


def _section_text(section: Section) -> str:
    doubts = [f"  in doubt: {doubt}" for doubt in doubts_of_section(section)]
    rows = [f"  {row.danger.name:28}{row.faults:34}{row.words}" for row in rows_of_section(section)]
    first = _first_line(first_of_section(section))
    conditions = [f"  {row.condition}: {row.words}" for row in case_rows(section)]
    heads = [wrapped(f"{heading(section)}:"), wrapped(headline_of(section)), *conditions]
    return "\n".join([*heads, *doubts, *first, "", *rows])


def _class_text(audit: ClassAudit) -> str:
    examination = audit.examination
    one = audit.deployment
    units = [wrapped(f"{called_by_name(one)}:")] if one.units else []
    doubts = [f"  in doubt: {doubt.short}" for doubt in audit.deployment.doubts]
    rows = [
        f"  {decided.danger.name:28}{decided.faults!s:34}{decided.verdict}"
        + (f" in {decided.answer.steps} steps" if decided.verdict == Verdict.VIOLATED else "")
        for decided in examination.decided
    ]
    block = readings_block(audit.readings)
    readings = [] if block is None else [wrapped(block.depends), *(f"  {r.condition}: {r.words}" for r in block.rows)]
    heads = [*readings, wrapped(settings_line(audit.deployment)), wrapped(headline(examination))]
    fix = first_fix(audit)
    first = _first_line("" if fix is None else first_words(one, fix))
    return "\n".join([*units, *heads, *doubts, *first, "", *rows])


def _first_line(words: str) -> list[str]:
    return [wrapped(f"Do first: {words}", "  ")] if words else []


def audit(
    *files: str | Path,
    tolerate: str | None = None,
    survive: str | None = None,
    kafka_version: str | None = None,
    assume: str | None = None,
    bootstrap_server: str | None = None,
    command_config: str | Path | None = None,
    topics: Sequence[str] = (),
    store: str | Path | None = None,
    limits: Limits | None = None,
    search: bool = False,
) -> Audit:
    """Read configuration files of a producer, a consumer, a topic, a broker and a controller, and ask what can happen to records.

    A file is a path, or `role:path` if the file does not show its role. `tolerate` says which faults the deployment should survive
    together: "1 crash, 1 power loss"; any single fault if not given. `survive` names events in its place, each in a run of its own:
    "rolling-restart, node-loss". `assume` settles what the files leave open: "elr=on,client=java"; every reading is audited otherwise.
    `limits` are those of a question, but its time is that of the whole audit. `store` keeps answers for later audits.

    `bootstrap_server` is HOST:PORT of a running cluster that says itself what its topics and brokers have, or only those of `topics`;
    `command_config` is the file with which Kafka's own tools connect to it. It is only read. It needs the extra `cluster`.
    Answers about common configurations ship with neverlost; with `search` they are not used.
    Raises ConfigurationError for files that cannot be read or understood: these never count as safe. Raises ArgumentError for an
    argument of another kind.

    >>> import neverlost as nl
    >>> audit = nl.audit("examples/audit/acks-1/producer.properties", "examples/audit/acks-1/topic.properties",
    ...                  "examples/audit/acks-1/server.properties", tolerate="1 leader move")
    >>> audit.verdict, audit.safe
    ('violated', False)
    """
    for file in files:
        if not isinstance(file, (str, Path)):
            raise ArgumentError(f"a file is {file!r:.60}; write nl.audit(*files) for a list of paths")
    ensure_kind(tolerate, "tolerate", '"1 crash, 1 power loss"', str)
    ensure_kind(survive, "survive", '"rolling-restart, node-loss"', str)
    ensure_kind(kafka_version, "kafka_version", '"3.9.1"', str)
    ensure_kind(assume, "assume", '"elr=on,client=java"', str)
    ensure_kind(bootstrap_server, "bootstrap_server", '"kafka1:9092"', str)
    ensure_names(topics, "topics")
    names = [str(file) for file in files]
    config = None if command_config is None else str(command_config)
    cluster = read_named_cluster(bootstrap_server, config, topics)
    refused = list[RefusedTopics]()
    found = read_all(names, kafka_version=kafka_version, assume=assume, cluster=cluster, refused=refused)
    given = parse_tolerances(tolerate)
    tolerance = tolerance_of(given.of_topics, survive)
    within, ended = all_within(sensible(limits, MOST_STATES), lambda: False)
    shipped = nothing_known if search else shipped_answers(warnings.warn)
    study = Study(Answers(None if store is None else Path(store), shipped), within, interrupted=ended)
    read = read_of(found, given.of_families)
    return Audit(audit_of(found.deployments, study, tolerance, refused, read=read))
