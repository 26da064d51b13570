"""The whole audit of a deployment: what can happen to its records, and which changes prevent it; for each class of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.model.arguments import argument
from neverlost.spec.configuration import ConfigurationError, Configurations, Deployment, Notice, RefusedTopics
from neverlost.spec.configuration.tolerance import EXAMPLE
from neverlost.spec.families import exposures
from neverlost.spec.inquiry import Read

from ..study import Study
from .comparison import Comparison, Examined, TopicsCompared, compare
from .examination import Examination, together, worst_of
from .fixes import Fix, FixSearch
from .reading_changes import in_the_same_reading, worse_readings
from .reading_verdicts import Readings, examine_readings
from .same_files import SameFiles
from .section_changes import compare_sections
from .sections import NO_SECTIONS, Sections, families_of, sections_of
from .tolerance import Tolerance

MOST_STATES = 20_000_000
"""The default limits of a question: about half a minute, and 2 GiB."""


@dataclass(frozen=True, kw_only=True)
class ClassAudit:
    """The readings of one class of topics, with the fix of each violated finding of the one that is examined.

    `answers` are all that the examination and the fixes rest on.
    """

    readings: Readings
    fixes: Sequence[Fix | None]
    answers: Sequence[Answer]

    @property
    def examination(self) -> Examination:
        """That of the first of the worst readings."""
        return self.readings.examination

    @property
    def verdict(self) -> Verdict:
        """The worst of those of all readings."""
        return self.readings.verdict

    @property
    def everyday(self) -> Mapping[str, Verdict]:
        """The everyday work that it does not survive, or perhaps not, if it survives all that it should."""
        return self.readings.everyday

    @property
    def deployment(self) -> Deployment:
        return self.examination.deployment


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """The audits of all classes of topics, which are of one cluster, with each program that uses them.

    `refused` are topics that could not be audited. `comparison` is with a baseline, if one was named. `sections` are of families that
    ask about something else than topics. There is no class if the files are of controllers alone.
    """

    classes: Sequence[ClassAudit]
    refused: Sequence[RefusedTopics]
    tolerance: Tolerance | None
    limits: Limits
    comparison: Comparison | None = None
    sections: Sections = NO_SECTIONS

    @property
    def verdict(self) -> Verdict:
        """The worst of the verdicts. Where some topics could not be audited, not all hold."""
        refused = [Verdict.UNDECIDED] if self.refused else []
        return worst_of([*(one.verdict for one in self.classes), *refused, *self.sections.verdicts])

    @property
    def everyday(self) -> Mapping[str, Verdict]:
        """The everyday work that some class does not survive, or perhaps not, if all survive what they should."""
        return together(one.everyday for one in self.classes) if self.verdict == Verdict.HOLDS else {}

    @property
    def parts(self) -> Sequence[Deployment | RefusedTopics]:
        """What is distinguished: the classes, then what could not be audited."""
        return [*(one.deployment for one in self.classes), *self.refused]

    @property
    def exit_code(self) -> ExitCode:
        """0 all classes survive what they should, 1 one does not, 3 undecided, also for topics that could not be audited.

        Beside a baseline: 0 nothing got worse, 1 something did, 3 undecided.
        """
        return ExitCode.of(self.verdict) if self.comparison is None else self.comparison.exit_code


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """An older state of the files: its deployments, and the topics that could not be audited."""

    deployments: Sequence[Deployment]
    refused: Sequence[RefusedTopics] = ()
    read: Read | None = None


def read_of(found: Configurations, tolerances: Mapping[str, Mapping[str, int]]) -> Read:
    """What families beside replication are asked about. `tolerances` are the faults of each that are to be survived together."""
    return Read(files=found.files, versions=found.versions, said=found.assumed, tolerances=tolerances)


def audit_of(
    deployments: Sequence[Deployment],
    study: Study,
    tolerance: Tolerance | None = None,
    refused: Sequence[RefusedTopics] = (),
    baseline: Baseline | None = None,
    read: Read | None = None,
) -> AuditResult:
    """Ask what can happen to each deployment, search for a fix of each finding, and compare with the baseline, if there is one.

    `read` is what the files say beside the deployments: the other families are asked about it. Raises ConfigurationError for what they
    refuse, and if no file is of what should survive the tolerance.
    """
    survived = () if tolerance is None else tolerance.named
    if tolerance is not None and not deployments and not refused:
        _refuse_tolerance(tolerance, [] if read is None else families_of(replace(read, survived=survived)))
    sections = NO_SECTIONS if read is None else sections_of(replace(read, survived=survived), study)
    classes = [_class_audit(_left_open(one, sections, tolerance), study, tolerance) for one in deployments]
    found = AuditResult(classes=classes, refused=refused, tolerance=tolerance, limits=study.limits, sections=sections)
    return found if baseline is None else replace(found, comparison=_compared(found, read, baseline, study))


def _compared(found: AuditResult, read: Read | None, baseline: Baseline, study: Study) -> Comparison:
    """What became of the baseline, which is asked the same."""
    tolerance, survived = found.tolerance, () if found.tolerance is None else found.tolerance.named
    sections = NO_SECTIONS
    if baseline.read is not None:
        sections = sections_of(replace(baseline.read, survived=survived), study, older=True)
    older = [_left_open(deployment, sections, tolerance) for deployment in baseline.deployments]
    before = [examine_readings(deployment, tolerance, study) for deployment in older]
    earlier = _examined(before, baseline.refused, baseline.read)
    now = _examined([one.readings for one in found.classes], found.refused, read)
    compared = compare(earlier, now)
    worse = worse_readings(_both_readings(compared, before, found.classes), tolerance, study)
    parts = [_in_its_readings(part, before, found.classes, study) for part in compared.parts]
    of_sections = compare_sections(sections, found.sections, SameFiles.of(earlier.paths, now.paths))
    return replace(compared, parts=parts, worse=tuple(worse), sections=of_sections)


def _refuse_tolerance(tolerance: Tolerance, families: Sequence[str]) -> NoReturn:
    """Raises ConfigurationError: faults of brokers and clients are to be survived, and the files are of neither."""
    named = "; ".join(name for name, _ in tolerance.named)
    what = f"{named}: this is asked of topics, and no file is of one, of a broker or of a client."
    advice = f"Name faults of the {', '.join(families)}, with that word before them: {argument('tolerate', EXAMPLE)}."
    key = argument("survive" if tolerance.of_events else "tolerate")
    raise ConfigurationError([Notice(what=what, advice=advice, key=key)])


def _left_open(deployment: Deployment, sections: Sections, tolerance: Tolerance | None) -> Deployment:
    """The deployment without what sections are about: notices that it is not checked, and the consumer, if each has a section.

    A family that asks about consumers knows better when they commit: topics would be asked the same, and may have another answer.
    They are asked nevertheless if a fault of consumers, which is replication's by name, should be survived.
    """
    answered = frozenset(name for section in sections.asked for name in section.inquiry.answers)
    asked = {section.inquiry for section in sections.asked if section.inquiry.of_consumers}
    asked -= {one.inquiry for one in sections.not_asked}
    named = {name for faults in (tolerance.sets if tolerance else ()) for name, _ in faults.counts}
    apart = bool(asked) and named.isdisjoint(name for exposure in exposures().values() for name in exposure.unusual)

    def without(one: Deployment) -> Deployment:
        warnings = tuple(notice for notice in one.warnings if notice.unchecked not in answered)
        if tolerance is None and one.replicas_on_one_machine > 1:
            warnings += (_on_one_machine(),)
        return replace(one, warnings=warnings, settings={**one.settings, "commit": "none"} if apart else one.settings)

    return replace(without(deployment), others=tuple(map(without, deployment.others)))


def _on_one_machine() -> Notice:
    """The doubt where one machine has several replicas, and nobody has said what is to be survived."""
    what = (
        "the files have several brokers run on one machine: if it loses power, none of them has what was not flushed."
    )
    why = "A power loss is asked about as that of one broker."
    advice = f"Ask what a lost machine takes: {argument('survive', 'node-loss')}."
    return Notice(what=what, why=why, advice=advice, decides=True)


def _class_audit(deployment: Deployment, study: Study, tolerance: Tolerance | None) -> ClassAudit:
    readings = examine_readings(deployment, tolerance, study)
    examination, before = readings.examination, set(study.answered)
    search = FixSearch(examination, study)
    fixes = [search.fix_for(finding) for finding in examination.violated]
    decided = {id(finding.answer): finding.answer for finding in examination.decided}
    asked = {id(answer): answer for key, answer in study.answered.items() if key not in before}
    return ClassAudit(readings=readings, fixes=fixes, answers=list({**decided, **asked}.values()))


def _examined(found: Sequence[Readings], refused: Sequence[RefusedTopics], read: Read | None) -> Examined:
    """What is known of a state of the files."""
    others = () if read is None else read.files
    return Examined(examinations=[one.examination for one in found], refused=refused, others=others)


def _in_its_readings(
    part: TopicsCompared, before: Sequence[Readings], classes: Sequence[ClassAudit], study: Study
) -> TopicsCompared:
    """What is compared, in the reading that is examined now, and with what happens now in others."""
    if part.before is None or part.after is None:
        return part
    verdicts = next(one.readings.verdicts for one in classes if one.examination is part.after)
    elsewhere = [(one.danger, one.faults) for one in verdicts if one.danger is not None and one.faults is not None]
    old = in_the_same_reading(before, part.before, part.after.deployment, study)
    return replace(part, before=old, elsewhere=tuple(elsewhere))


def _both_readings(
    compared: Comparison, before: Sequence[Readings], classes: Sequence[ClassAudit]
) -> list[tuple[Readings, Readings]]:
    """The readings of what is compared, each two once."""
    older = {id(one.examination): one for one in before}
    newer = {id(one.examination): one.readings for one in classes}
    found = {(id(part.before), id(part.after)) for part in compared.parts if not part.older}
    return [(older[then], newer[now]) for then in older for now in newer if (then, now) in found]
