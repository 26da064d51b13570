"""A section of an audit in words: the verdict, on what it depends, the table, the shortest stories, and what prevents them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.arguments import argument
from neverlost.spec.exposure import Danger
from neverlost.spec.inquiry import RELEASE, Case, Inquiry, words_of
from neverlost.spec.kafka.releases import RELEASES
from neverlost.studies.audit.audit import AuditResult
from neverlost.studies.audit.comparison import Change, SectionsCompared
from neverlost.studies.audit.sections import NO_SECTIONS, CaseVerdict, Decided, NotAsked, Section, SectionFix, Standing

from .table import BAD, BEYOND, GOOD, OPEN, UNCOUNTED
from .wording import VERDICTS, few, happens, left_open, listed, survived_words, word_of_all

Every = Sequence[Mapping[str, str]]
"""The ways of all that the files may mean, by the names of the points."""


@dataclass(frozen=True, kw_only=True)
class SectionRow:
    """A row of the table: a danger, with which faults, and the verdict in words; `finding` if it happens."""

    danger: Danger
    faults: str
    words: str
    tone: str
    finding: Decided | None = None


@dataclass(frozen=True)
class PartVerdict:
    """Something that was asked about, whose it is, the word for its verdict, and what should be survived there and is not."""

    title: str
    about: str
    verdict: str
    happens: Sequence[Danger] = ()

    @property
    def words(self) -> str:
        """`exactly-once of app.properties`."""
        return f"{self.title} of {self.about}" if self.about else self.title


@dataclass(frozen=True, kw_only=True)
class CaseRow:
    """Cases with one verdict: which they are, and the verdict in words."""

    condition: str
    words: str
    verdict: Verdict


def together(audit: AuditResult) -> str:
    """The verdict on everything, with those that it is made of; empty if only topics were asked about."""
    if not audit.sections.verdicts:
        return ""
    said = "; ".join(f"{part.words}: {part.verdict}" for part in verdicts_of_parts(audit))
    return f"{word_of_all(audit)} ({said})."


def verdicts_of_parts(audit: AuditResult) -> list[PartVerdict]:
    """What was asked about, each with its verdict: topics first."""
    of_topics = list(dict.fromkeys(danger for one in audit.classes for danger in happens(one.examination)))
    parts = [PartVerdict("topics", "", _word_of_topics(audit), of_topics)] if audit.classes or audit.refused else []
    parts += [
        PartVerdict(_lower(section.inquiry.title), section.subject.about, word_of(section), happens_in(section))
        for section in audit.sections.asked
    ]
    parts += [
        PartVerdict(_lower(one.inquiry.title), one.subject.about, VERDICTS[Verdict.UNDECIDED])
        for one in audit.sections.not_asked
        if one.subject is not None
    ]
    return parts


def _word_of_topics(audit: AuditResult) -> str:
    """The verdict on all topics; with which faults they are SAFE, where the user named them."""
    topics = replace(audit, sections=NO_SECTIONS)
    named = topics.verdict == Verdict.HOLDS and audit.tolerance is not None
    return f"{word_of_all(topics)}{survived_words(audit.tolerance) if named else ''}"


def heading(section: Section) -> str:
    """`Exactly-once: app.properties`."""
    return f"{section.inquiry.title}: {section.subject.about}"


def word_of(section: Section) -> str:
    """SAFE, NOT SAFE or UNDECIDED; with which faults it is SAFE, where the user named them."""
    named = section.verdict == Verdict.HOLDS and (section.tolerated is not None or bool(section.case.several))
    return f"{VERDICTS[section.verdict]}{_faults_to_survive(section)}" if named else VERDICTS[section.verdict]


def happens_in(section: Section) -> list[Danger]:
    """What should be survived, and is not."""
    return list(dict.fromkeys(one.ask.danger for one in section.violated if one.usual))


def headline_of(section: Section) -> str:
    """The verdict in a sentence or two: why, with what, and what it rests on."""
    bad = happens_in(section)
    single = [one.ask.danger for one in section.violated if one.usual and not one.several]
    others = [one for one in section.violated if not one.usual and one.ask.danger not in bad]
    uncounted = dict.fromkeys(one.ask.danger for one in others if section.standing(one) == Standing.UNCOUNTED)
    beyond = dict.fromkeys(one.ask.danger for one in others if section.standing(one) == Standing.BEYOND)
    words = f"{VERDICTS[section.verdict]}{_why(section)}"
    if bad:
        words += f": {listed(danger.what for danger in bad if danger in single or not single)}"
    words += f".{_lost_by_several(section)} {section.case.says}"
    if section.case.lacks:
        words += f" Open, because {listed(section.case.lacks)}."
    if section.verdict == Verdict.HOLDS:
        words += f" It assumes that {'; that '.join(section.assumes)}."
    if section.said:
        said = listed(f"{name}={way}" for name, way in section.said.items())
        words += f" Assumed, as {argument('assume')} says: {said}."
    if uncounted:
        this = "This" if section.case.several else "With such faults this"
        words += f" {this} happens too, and is not counted: {listed(danger.what for danger in uncounted)}."
    if beyond:
        words += f" Beyond that: {listed(danger.what for danger in beyond)}."
    return words + left_open([(one.ask.danger, one.verdict) for one in section.decided])


def _lost_by_several(section: Section) -> str:
    """With which several faults the coordinator's log loses what it has acknowledged, as a further sentence; empty if with none."""
    lost = [one.ask.with_what for one in section.violated if one.ask.several and one.ask.danger.concerns == "log"]
    if not lost:
        return ""
    then = "then lose what it has acknowledged" if lost == _breaking(section) else ""
    return f" {section.inquiry.topic} can {then or f'lose what it has acknowledged with {listed(lost)}'}."


def _why(section: Section) -> str:
    """With what the verdict is so."""
    if section.verdict == Verdict.VIOLATED:
        named = section.tolerated is not None or all(one.several for one in section.violated if one.usual)
        return f" with {listed(_breaking(section), 'or')}" if named else " with a single fault"
    if section.verdict == Verdict.HOLDS:
        return _faults_to_survive(section)
    if section.case.lacks:
        return ": the model does not have all of it"
    if section.case.left_open and section.examined.verdict == Verdict.UNDECIDED:
        return f": {section.case.left_open}"
    if any(one.verdict == Verdict.VIOLATED for one in section.cases):
        return ": it depends on what no file says"
    return ": a search was cut short"


def _faults_to_survive(section: Section) -> str:
    """With which faults something is SAFE: those that the user named, or any single one."""
    own = None if section.tolerated is None else words_of(section.inquiry.faults, section.tolerated)
    return f" with {listed([own or 'any single fault', *section.case.several])}"


def _breaking(section: Section) -> list[str]:
    """The fewest faults with which something happens that should be survived."""
    return list(dict.fromkeys(one.ask.with_what for one in section.violated if one.usual))


def case_rows(section: Section) -> list[CaseRow]:
    """Each verdict with the cases that have it, the safe ones first; nothing if there is one verdict."""
    order = [Verdict.HOLDS, Verdict.UNDECIDED, Verdict.VIOLATED]
    said: dict[tuple[Verdict, str], list[Case]] = {}
    for one in sorted(section.cases, key=lambda one: order.index(one.verdict)):
        said.setdefault((one.verdict, _words_of(one, section)), []).append(one.case)
    if len(said) <= 1:
        return []
    every = _every_ways(section)
    return [
        CaseRow(condition=_condition(cases, every, section), words=words, verdict=verdict)
        for (verdict, words), cases in said.items()
    ]


def _words_of(one: CaseVerdict, section: Section) -> str:
    if one.verdict == Verdict.HOLDS:
        return f"{VERDICTS[one.verdict]}{_faults_to_survive(section)}"
    if one.verdict == Verdict.VIOLATED and one.first is not None:
        return f"{VERDICTS[one.verdict]}: {one.first.ask.danger.what}"
    return VERDICTS[one.verdict]


def _every_ways(section: Section) -> Every:
    return [ways for one in section.cases for ways in one.case.ways_by_release]


def _differing(every: Every) -> list[str]:
    """The names of what is not the same in every case."""
    return [name for name in dict.fromkeys(n for ways in every for n in ways) if len(_ways(name, every)) > 1]


def _condition(cases: Sequence[Case], every: Every, section: Section) -> str:
    """Which cases these are, in as few words as will do."""
    names = _differing(every)
    blocks: list[dict[str, tuple[str | None, ...]]] = [
        {n: (ways.get(n),) for n in names} for case in cases for ways in case.ways_by_release
    ]
    for name in names:
        blocks = _merged(blocks, name)
    blocks = [{name: _all_or(ways, name, block, every) for name, ways in block.items()} for block in blocks]
    for name in names:
        blocks = _merged(blocks, name)
    return "; or ".join(dict.fromkeys(_block(block, every, section) for block in blocks))


def _ways(name: str, every: Every) -> tuple[str | None, ...]:
    return tuple(dict.fromkeys(ways.get(name) for ways in every))


def _all_or(
    ways: tuple[str | None, ...], name: str, block: Mapping[str, tuple[str | None, ...]], every: Every
) -> tuple[str | None, ...]:
    """The ways of a name; all that there are, if its releases have no others: before 4.0 none has eligible leader replicas."""
    own = {one.get(name) for one in every if RELEASE not in block or one.get(RELEASE) in block[RELEASE]}
    return _ways(name, every) if name != RELEASE and own <= set(ways) else ways


def _merged(blocks: Sequence[dict[str, tuple[str | None, ...]]], name: str) -> list[dict[str, tuple[str | None, ...]]]:
    """Blocks that differ in one name only, as one."""
    together: dict[object, dict[str, tuple[str | None, ...]]] = {}
    for block in blocks:
        rest = tuple((other, ways) for other, ways in block.items() if other != name)
        known = together.setdefault(rest, {**block, name: ()})
        known[name] = tuple(dict.fromkeys((*known[name], *block[name])))
    return list(together.values())


def _block(block: dict[str, tuple[str | None, ...]], every: Every, section: Section) -> str:
    words = []
    for name, ways in block.items():
        named = [way for way in ways if way is not None]
        if set(named) == {way for way in _ways(name, every) if way is not None}:
            continue
        if name == RELEASE:
            words.append(_releases(named, section))
        elif named:
            words.append(listed((_way(name, way, section.inquiry) for way in named), "or"))
    return ", ".join(words) or "otherwise"


def _releases(named: Sequence[str], section: Section) -> str:
    """`Kafka 4.0.0 to 4.1.2`: releases of which none between is otherwise, in one span."""
    until = {release: last for one in section.cases for release, last in one.case.stands_for.items()}
    order = [release for release in RELEASES if release in until]
    spans: list[list[str]] = []
    for release in (one for one in order if one in named):
        if spans and order.index(release) == order.index(spans[-1][-1]) + 1:
            spans[-1].append(release)
        else:
            spans.append([release])
    said = [(span[0], until[span[-1]]) for span in spans]
    return f"Kafka {listed((a if a == b else f'{a} to {b}' for a, b in said), 'or')}"


def _way(name: str, way: str, inquiry: Inquiry) -> str:
    return next(point.ways[way] for point in inquiry.points if point.name == name)


def narrowing(section: Section) -> str:
    """How to say which case it is; empty if there is only one."""
    every = _every_ways(section)
    names = _differing(every)
    said = [argument("kafka_version", "N.N.N")] if RELEASE in names else []
    for name in names:
        if name != RELEASE:
            ways = "|".join(way for way in _ways(name, every) if way is not None)
            said.append(argument("assume", f"{name}={ways}"))
    return listed(said)


def examined_words(section: Section) -> str:
    """Which case the details are of; empty if there is only one."""
    differing = _differing(_every_ways(section))
    words = [
        f"Kafka {way}" if name == RELEASE else _way(name, way, section.inquiry)
        for name, way in section.case.ways.items()
        if name in differing
    ]
    return ", ".join(words)


TONE_OF = {Standing.COUNTED: BAD, Standing.UNCOUNTED: UNCOUNTED, Standing.BEYOND: BEYOND}


def standing_words(standing: Standing) -> str:
    """What is said of something that happens, beside that it does."""
    return "" if standing == Standing.COUNTED else f", {standing}"


def rows_of_section(section: Section) -> Iterator[SectionRow]:
    """What happens with the fewest faults, what never does, and what is open."""
    for danger in section.dangers:
        for finding in section.of(danger, Verdict.VIOLATED):
            steps = counted(finding.answer.steps or 0, "step")
            standing = section.standing(finding)
            words = f"HAPPENS in {steps}{standing_words(standing)}"
            tone, faults = TONE_OF[standing], finding.ask.with_what
            yield SectionRow(danger=danger, faults=faults, words=words, tone=tone, finding=finding)
        for verdict, opening, tone in (
            (Verdict.HOLDS, "never, in", GOOD),
            (Verdict.UNDECIDED, "UNDECIDED after", OPEN),
        ):
            found = section.of(danger, verdict)
            if found:
                most = " up to" if len(found) > 1 and verdict == Verdict.HOLDS else ""
                states = counted(max(one.answer.distinct for one in found), "state")
                faults = listed((one.ask.with_what for one in found), "or")
                yield SectionRow(danger=danger, faults=faults, words=f"{opening}{most} {states}", tone=tone)


def doubts_of_section(section: Section) -> list[str]:
    """What could change the verdict: what the files say beside, and what the bounds hide."""
    doubts = [doubt.short for doubt in section.subject.doubts if doubt.decides]
    hidden = max((one.answer.hidden or 0 for one in section.decided), default=0)
    if hidden:
        out_of = f"{counted(hidden, 'state')} ran out of what the bounds give: what follows was not searched."
        doubts.append(f"{out_of} neverlost check with higher bounds searches it.")
    return doubts


def trace_of_section(finding: Decided) -> Trace:
    """The shortest story of a finding."""
    assert finding.answer.trace is not None
    return finding.answer.trace


def story_of(finding: Decided) -> str:
    """What happens, in one sentence."""
    return sentence(trace_of_section(finding))


def command_of(finding: Decided) -> list[str]:
    """The words of the command that finds the story again."""
    return check_command(trace_of_section(finding))


def nothing_helps(section: Section, danger: Danger) -> str:
    """Why no change is named that prevents a danger."""
    if section.case.lacks:
        return "No change was tried: the model does not have all of it."
    if danger in section.open_fixes:
        return "Whether a change prevents it is undecided: a search was cut short."
    return "No change that was tried prevents it with all of these faults."


def fix_line(section: Section, danger: Danger) -> str:
    """What prevents a danger, and how that is known."""
    fix = section.fixes.get(danger)
    if fix is None:
        return f"none. {nothing_helps(section, danger)} {danger.otherwise}".strip()
    return f"{upper(fix.remedy.words)}. {_verified(fix)}"


def first_of_section(section: Section) -> str:
    """What to do first, in a sentence; empty if nothing is known to help."""
    fix = next((fix for fix in section.fixes.values() if fix is not None), None)
    return "" if fix is None else f"{upper(fix.remedy.words)}."


def _verified(fix: SectionFix) -> str:
    sets = listed(dict.fromkeys(ask.with_what for ask in fix.asked), "or")
    most = "up to " if len(fix.asked) > 1 else ""
    return f"Verified by checking that: it then never happens with {sets}, in {most}{counted(fix.states, 'state')}."


def upper(text: str) -> str:
    """The text as the beginning of a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def shown_of(section: Section, danger: Danger) -> Decided:
    """The finding whose story is shown: the shortest of those that should be survived, if there are any."""
    found = [one for one in section.violated if one.ask.danger == danger]
    return min(found, key=lambda one: (not one.usual, one.answer.steps or 0))


def verified_alone(audit: AuditResult) -> str:
    """That a fix was not verified for the other parts of the report; empty if there is no fix, or no other part."""
    fixes = [
        *(fix for one in audit.classes for fix in one.fixes),
        *(f for s in audit.sections.asked for f in s.fixes.values()),
    ]
    classes = [f"class {number} of topics" for number in range(1, len(audit.classes) + 1)]
    topics = classes if len(classes) > 1 else ["topics"] * len(classes)
    parts = [*topics, *map(part_words, audit.sections.asked)]
    if len(parts) < 2 or all(fix is None for fix in fixes):
        return ""
    said = few(parts)
    return f"Each fix was verified for the part in which it stands, and not for the others ({said}). Make the change, and audit again."


def not_asked_words(not_asked: Sequence[NotAsked]) -> str:
    """Which families were not asked, and what would lead to them; empty if all were."""
    said = "; ".join(f"{_lower(one.inquiry.title)} ({why_not(one)})" for one in not_asked)
    return f"Not asked: {said}." if said else ""


def why_not(one: NotAsked) -> str:
    """Why a family was not asked."""
    if one.subject is None:
        return one.why
    return f"UNDECIDED: {one.subject.about} is of a release that is not modelled, or of none that goes with its keys"


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def section_changes(compared: SectionsCompared) -> Iterator[str]:
    """What is new, open or gone, in a line for each danger and doubt; and which sections there were before."""
    together: dict[tuple[Change, Danger, Standing, str], list[str]] = {}
    for one in compared.changes:
        if one.change != Change.UNCHANGED:
            key = one.change, one.found.ask.danger, one.standing, part_words(one.section)
            together.setdefault(key, []).append(one.found.ask.with_what)
    for (change, danger, standing, part), faults in together.items():
        yield f"{change}: {danger.what}, with {listed(faults, 'or')}{standing_words(standing)} ({part})"
    for doubt in compared.doubts:
        if doubt.change != Change.UNCHANGED:
            yield f"{doubt.change} warning: {doubt.doubt.short} ({part_words(doubt.section)})"
    for section in compared.left:
        yield f"open: no file leads to {part_words(section)} any more, so nothing is known of it"


def part_words(section: Section) -> str:
    """`exactly-once of app.properties`."""
    return f"{_lower(section.inquiry.title)} of {section.subject.about}"
