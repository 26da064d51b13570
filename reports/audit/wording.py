"""An audit in Kafka's words: settings, faults, and where to change what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from neverlost.explorer.traces.commands import check_command
from neverlost.explorer.traces.sentence import sentence
from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.verdict import Verdict
from neverlost.explorer.words import counted
from neverlost.model.arguments import argument
from neverlost.spec.configuration import Deployment, RefusedTopics, SourcedValue
from neverlost.spec.configuration.forms.strimzi import FORM as STRIMZI
from neverlost.spec.configuration.readings import elr_default
from neverlost.spec.configuration.tolerance import NODE_LOSS, REASSIGNMENT, ZONE_LOSS
from neverlost.spec.configuration.versions import differing_releases, version_line
from neverlost.spec.exposure import VERSION, ConfigurationChange, Danger
from neverlost.spec.faults import NO_FAULT, Faults
from neverlost.spec.kafka.releases import ZOOKEEPER, has_mode
from neverlost.studies.audit.audit import AuditResult, ClassAudit
from neverlost.studies.audit.comparison import Change, Comparison, TopicsCompared
from neverlost.studies.audit.dangers import rests_on, that_matter
from neverlost.studies.audit.edits import ROLE_OF, TOOLS
from neverlost.studies.audit.examination import DecidedDanger, Examination, broken_everyday
from neverlost.studies.audit.fixes import Fix
from neverlost.studies.audit.tolerance import Tolerance
from neverlost.studies.audit.unseen import MARK, Unseen, unseen_in

NOT_PROMISED = "NOT PROMISED: acks=0 acknowledges nothing"

NO_SETTING = "no change of settings that was tried prevents it."
BRIDGE = "3.9"
"""The last version with ZooKeeper, in which clusters migrate to KRaft."""

VERDICTS = {Verdict.HOLDS: "SAFE", Verdict.VIOLATED: "NOT SAFE", Verdict.UNDECIDED: "UNDECIDED"}
"""What an audit calls a verdict."""


def few(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return listed(names) if are_few(names) else f"{', '.join(names[:3])} and {len(names) - 3:,} more"


def are_few(names: Sequence[str]) -> bool:
    """Whether all names are said where the first are."""
    return len(names) <= 4


def noun_of(found: Iterable[Deployment | RefusedTopics]) -> str:
    """What is counted: topics, programs, or pairs of a topic and a program."""
    kinds = [(bool(one.topics), bool(one.programs)) for one in found]
    if (True, True) in kinds:
        return "pair"
    return "program" if (False, True) in kinds else "topic"


def in_classes(count: int, noun: str, classes: int) -> str:
    """`5 topics in 4 classes`; only `3 programs` if each is a class by itself."""
    what = counted(count, noun) + (" of topic and program" if noun == "pair" else "")
    return what + ("" if count == classes else f" in {classes} classes")


def cannot_be_audited(refused: RefusedTopics) -> str:
    """Which topics or programs cannot be audited; what is wrong follows."""
    called = called_by_name(refused)
    return f"{called[:1].upper()}{called[1:]} cannot be audited: "


def called_by_name(one: Deployment | RefusedTopics) -> str:
    """`topic a`, `programs a.properties and b.properties`; a topic with a program says by itself what it is."""
    noun = noun_of([one])
    return few(one.units) if noun == "pair" else f"{noun}{'s' if len(one.units) > 1 else ''} {few(one.units)}"


def listed(words: Iterable[object], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`; nothing for nothing."""
    *most, final = [str(word) for word in words] or [""]
    return f"{', '.join(most)} {last} {final}" if most else final


def settings_line(deployment: Deployment) -> str:
    """The most important settings: version, replicas, acks, min.insync.replicas."""
    chosen = deployment.settings
    words = [
        f"Kafka {release_words(deployment)}",
        counted(deployment.replication_factor, "replica"),
        f"acks={chosen['acks']}",
        f"min.insync.replicas={chosen['min_isr']}",
    ]
    words += ["unclean elections"] if chosen["unclean"] else []
    words += ["idempotent producer"] if chosen["idempotence"] else []
    words += ["written by brokers"] if deployment.internal else []
    return ", ".join(words)


def release_words(deployment: Deployment) -> str:
    """`4.1`; with the last number where releases of the version differ: `2.8.0`."""
    differ = len(differing_releases(deployment.version, deployment.mode)) > 1
    return deployment.release if differ else deployment.version


def verdict_words(verdict: Verdict, deployment: Deployment) -> str:
    """The verdict; what acknowledges nothing is not called SAFE."""
    if verdict == Verdict.HOLDS and deployment.settings["acks"] == "0":
        return "NOTHING IS PROMISED (acks=0), and nothing else happens"
    return VERDICTS[verdict]


def conditions(verdicts: Iterable[tuple[Deployment, Danger]]) -> str:
    """What it rests on that these dangers do not happen to these deployments; empty for none."""
    return listed(dict.fromkeys(chain(*(rests_on(deployment, danger) for deployment, danger in verdicts))))


def held(examination: Examination) -> list[tuple[Deployment, Danger]]:
    """What does not happen to the deployment, with some faults."""
    return [(examination.deployment, one.danger) for one in examination.decided if one.verdict == Verdict.HOLDS]


def happens(examination: Examination) -> list[Danger]:
    """What should be survived, and is not."""
    return list(dict.fromkeys(one.danger for one in examination.violated if one.tolerated))


def headline(examination: Examination) -> str:
    """The verdict in a sentence or two, with the defaults that it rests on."""
    bad = happens(examination)
    beyond = {d.danger: None for d in examination.violated if not d.tolerated and d.danger not in bad}
    usual = "a single fault" if bad else "any single fault"
    broken, survived = _events(examination)
    tolerance = examination.tolerance
    said = usual if tolerance is None else listed(broken or [name for name, _ in tolerance.named])
    whether = " whether it is safe" if examination.verdict == Verdict.UNDECIDED else ""
    opening = f"{verdict_words(examination.verdict, examination.deployment)}{whether} with {said}"
    if not bad:
        opening += everyday_words(broken_everyday(examination))
    defaults = listed(f"{key}={value}" for key, value in examination.deployment.deciding_defaults.items())
    if bad:
        opening += f": {listed(danger.what for danger in bad)}."
    else:
        opening += f", if these keys, which no file sets, have their defaults: {defaults}." if defaults else "."
    if examination.verdict == Verdict.HOLDS:
        opening += f" It assumes that {conditions(held(examination))}."
    chosen = examination.deployment.reading.chosen
    if chosen.stands_for is not None:
        opening += f" Assumed: Kafka {chosen.stands_for}, which is not known here, behaves as {chosen.release}."
    unchecked = examination.deployment.unchecked
    if unchecked:
        opening += f" Not checked: {listed(notice.unchecked for notice in unchecked)}."
    if broken and survived:
        opening += f" It survives {listed(survived)}, if {conditions(held(examination))}."
    if examination.deployment.settings["acks"] == "0":
        opening += " But with acks=0 the producer never learns what was lost."
    if beyond:
        opening += f" Beyond that: {listed(danger.what for danger in beyond)}."
    opening += left_open([(d.danger, d.verdict) for d in examination.decided])
    assumed = examination.deployment.reading.assumed
    if assumed:
        opening += (
            f" Assumed, as {argument('assume')} says: {listed(f'{name}={value}' for name, value in assumed.items())}."
        )
    if bad and defaults:
        opening += f" Defaults, because no file sets these keys: {defaults}."
    return opening


def every_state(verdicts: Iterable[Verdict]) -> str:
    """How far the searches for some answers went."""
    cut_short = sum(verdict == Verdict.UNDECIDED for verdict in verdicts)
    but = f", but for {cut_short:,} that a limit cut short" if cut_short else ""
    return f"each up to a violation or through every reachable state{but}"


def left_open(asked: Sequence[tuple[Danger, Verdict]]) -> str:
    """How many questions are undecided, those of each row of the table, as a further sentence; empty if none is."""
    found = Counter(danger.name for danger, verdict in asked if verdict == Verdict.UNDECIDED)
    if not found:
        return ""
    rows = listed(f'{count:,} of "{name}"' for name, count in found.items())
    questions = f"{found.total():,} of {counted(len(asked), 'question')}"
    raised = argument("limits", options=("max_states", "time_limit"))
    return f" Undecided, because searches were cut short: {questions}, {rows}. Raise {raised}."


def survived_words(tolerance: Tolerance | None) -> str:
    """With what something is SAFE: ` with any single fault`."""
    return f" with {'any single fault' if tolerance is None else listed(name for name, _ in tolerance.named)}"


def event_words(examination: Examination) -> list[str]:
    """What the faults of the events that are to be survived do not cover."""
    named = dict(examination.tolerance.named) if examination.tolerance else {}
    moved = "is two moves of the leader: that a replica is removed, and added again, is not searched."
    words = [f"{REASSIGNMENT} {moved}"] if REASSIGNMENT in named else []
    if NODE_LOSS in named and examination.deployment.replicas_on_one_machine > 1:
        words.append(f"the files have several brokers run on one machine, so {NODE_LOSS} is {named[NODE_LOSS]}.")
    return words + ([_zone_words(examination.deployment, named[ZONE_LOSS])] if ZONE_LOSS in named else [])


def _zone_words(deployment: Deployment, lost: Faults) -> str:
    """How many replicas of a partition a zone may have that is to be lost, and why."""
    if deployment.replicas_in_one_zone == 1:
        return f"{ZONE_LOSS} takes one replica only of partitions that Kafka placed itself with racks set, in {deployment.zones} zones."
    said = counted(deployment.zones, "zone") if deployment.zones else "no zone"
    those = "every replica" if deployment.zones <= 1 else counted(deployment.replicas_in_one_zone, "replica")
    enough = argument("assume", f"zones={deployment.replication_factor}")
    named = f"the files name {said} (broker.rack): a zone may have {those} of a partition, so {ZONE_LOSS} is {lost}."
    return f"{named} If every partition has its replicas in {deployment.replication_factor} zones, add {enough}."


def everyday_words(everyday: Mapping[str, Verdict]) -> str:
    """What is said beside SAFE: `; NOT SAFE with rolling-restart`; empty if nothing happens."""
    return "".join(f"; {words}" for words in _everyday(everyday))


def word_with(word: str, everyday: Mapping[str, Verdict]) -> str:
    """The word for a verdict, never without the everyday work that it does not cover: `SAFE, but NOT SAFE with rolling-restart`."""
    words = listed(_everyday(everyday))
    return f"{word}, but {words}" if words else word


def _everyday(everyday: Mapping[str, Verdict]) -> Iterator[str]:
    for verdict in (Verdict.VIOLATED, Verdict.UNDECIDED):
        names = [name for name, found in everyday.items() if found == verdict]
        if names:
            yield f"{VERDICTS[verdict]} with {listed(names, 'or')}"


def word_of_class(audit: ClassAudit) -> str:
    """The verdict on a class of topics, with the everyday work that it does not cover."""
    return word_with(verdict_words(audit.verdict, audit.deployment), audit.everyday)


def word_of_all(audit: AuditResult) -> str:
    """The verdict on all that was asked, with the everyday work that it does not cover, and what promises nothing."""
    promised = [one.deployment.settings["acks"] != "0" for one in audit.classes]
    if audit.verdict != Verdict.HOLDS or all(promised):
        return word_with(VERDICTS[audit.verdict], audit.everyday)
    if not any(promised):
        return word_with(verdict_words(audit.verdict, audit.classes[0].deployment), audit.everyday)
    return f"{word_with(VERDICTS[audit.verdict], audit.everyday)}; nothing is promised with acks=0"


COMPARED = {
    Verdict.HOLDS: "NOT WORSE than the baseline",
    Verdict.VIOLATED: "WORSE than the baseline",
    Verdict.UNDECIDED: "UNDECIDED whether it is worse than the baseline",
}


def left_words(part: TopicsCompared) -> str:
    """That a program is not there any more."""
    named = f"the program of before: {few(part.units)}" if part.units else "the program of before"
    return f"open: no file leads to {named} any more, so nothing is known of it"


def comparison_headline(comparison: Comparison) -> str:
    """Whether something got worse, and how many findings are new, open, gone and unchanged."""
    changes = [change for part in comparison.parts for _, change in part.findings]
    changes += [one.change for one in comparison.sections.changes]
    said = [f"{changes.count(change)} {change}" for change in Change if change in changes]
    return f"{COMPARED[comparison.verdict]}. Findings: {listed(said)}." if said else f"{COMPARED[comparison.verdict]}."


def _events(examination: Examination) -> tuple[list[str], list[str]]:
    """The named events that the deployment does not survive, and those that it does."""
    tolerance = examination.tolerance
    if tolerance is None or not tolerance.of_events:
        return [], []
    broken = [
        name
        for name, faults in tolerance.named
        if any(d.faults.within(faults) for d in examination.decided if d.verdict == Verdict.VIOLATED)
    ]
    return broken, [name for name, faults in tolerance.named if name not in broken and _survived(examination, faults)]


def _survived(examination: Examination, faults: Faults) -> bool:
    """Whether nothing happens with these faults, or even with more of them."""
    return all(
        any(
            that_matter(examination.deployment, danger, faults).within(d.faults)
            for d in examination.decided
            if d.danger == danger and d.verdict == Verdict.HOLDS
        )
        for danger in examination.dangers
    )


def shown_first(found: Sequence[tuple[DecidedDanger, Fix | None]]) -> DecidedDanger:
    """The finding whose story is shown: of those that should be survived, if there are any, the one with the shortest."""
    return min((finding for finding, _ in found), key=lambda one: (not one.tolerated, one.answer.steps or 0))


def story(finding: DecidedDanger) -> str:
    """What happens, in one sentence."""
    return sentence(trace_of(finding))


def command(finding: DecidedDanger) -> list[str]:
    """The words of the command that finds the story again."""
    return check_command(trace_of(finding))


def trace_of(finding: DecidedDanger) -> Trace:
    """The shortest story of a violated finding."""
    assert finding.answer.trace is not None
    return finding.answer.trace


def mark_of(finding: DecidedDanger) -> str:
    """The mark of a story with a step that no broker was seen to do."""
    return MARK if unseen_in(trace_of(finding)) else ""


def unseen_words(unseen: Unseen) -> str:
    """What of a story no broker was seen to do, in a sentence or two."""
    if unseen.step is None:
        return f"{MARK} A step of it was not seen on any broker: {unseen.seen}"
    return f"{MARK} Step {unseen.step} was not seen on any broker. What was seen: {unseen.seen}"


def unseen_note(examination: Examination) -> str:
    """What the mark means, and how long the losses are without such a step; empty if nothing is marked."""
    found = [(one, unseen_in(trace_of(one))) for one in examination.violated]
    marked = [(one, unseen) for one, unseen in found if unseen is not None]
    if not marked:
        return ""
    known = [(one, unseen) for one, unseen in marked if unseen.without]
    said = f"{MARK} A step of this story was not seen on any broker, and may still happen."
    if not known:
        return f"{said} Whether there is a story without such a step was not searched."
    lengths = "; ".join(f"with {one.faults} {unseen.without}" for one, unseen in known)
    once = ", of a producer that sends each record once" if any(unseen.once for _, unseen in known) else ""
    return f"{said} The shortest loss of an acknowledged record without such a step{once}: {lengths}."


def change_words(deployment: Deployment, change: ConfigurationChange) -> str:
    """Where to change what: `in producer.properties line 4: acks=1 -> acks=all`."""
    if change.key == VERSION:
        return _upgrade_words(deployment, change.value)
    if change.key == "eligible.leader.replicas.version":
        return f"turn eligible leader replicas on: {TOOLS[change.key]} --feature {change.key}={change.value}"
    source = deployment.sources.get(change.key)
    advice = f" ({TOOLS[change.key]})" if change.key in TOOLS else ""
    if source is None or source.file is None:
        usual = f" (by default {source.value})" if source is not None and source.value else ""
        role = ROLE_OF[change.key]
        client = deployment.clients.get(role)
        key = f"{client.added_as.get(role, '') if client else ''}{change.key}"
        return f"add {key}={change.value} to the {role}'s configuration{_added_in(deployment, role)}{usual}{advice}"
    line = "" if source.line is None else f" line {source.line}"
    return f"in {source.file}{line}: {_assigned(source)} -> {source.key}={change.value}{advice}"


def _upgrade_words(deployment: Deployment, release: str) -> str:
    """How to come to another release: with ZooKeeper by a migration, and with Strimzi by its resource."""
    before = release_words(deployment)
    words = f"upgrade Kafka from {before} to {release}, brokers and clients"
    if deployment.mode == ZOOKEEPER and not has_mode(release, ZOOKEEPER):
        bridge = "" if deployment.version == BRIDGE else f"upgrade Kafka from {before} to {BRIDGE}, "
        words = f"{bridge}migrate from ZooKeeper to KRaft, then upgrade Kafka to {release}, brokers and clients"
    resource = next((file for file in deployment.files if file.form == STRIMZI and file.release is not None), None)
    if resource is not None and resource.release is not None:
        words += (
            f": in {resource.path} line {resource.release.line} spec.kafka.version, later spec.kafka.metadataVersion"
        )
    line = version_line(release)
    if line is not None and elr_default(line) == "1" and deployment.settings.get("elr") is None:
        tool = f"kafka-features.sh upgrade --release-version {line}"
        if resource is not None:
            tool = f"{TOOLS['eligible.leader.replicas.version']} --feature eligible.leader.replicas.version=1 in the pod of a broker"
        words += f"{', with' if resource is None else '; then'} {tool}, which turns eligible leader replicas on"
    return words


def _added_in(deployment: Deployment, role: str) -> str:
    """In which file a key is added: the only one of its role, unless Kafka's tools printed it."""
    paths = list(dict.fromkeys(file.path for file in deployment.files if file.role == role and not file.printed))
    return f" in {paths[0]}" if len(paths) == 1 else ""


def _assigned(source: SourcedValue) -> str:
    return f"{source.key}={source.value}"


COSTS: Mapping[str, str] = {
    "acks": "each write waits for every replica in sync",
    "eligible.leader.replicas.version": "a partition may stay offline until an eligible replica is back",
    "flush.messages": "each write waits for the disk of every replica in sync",
    "max.in.flight.requests.per.connection": "fewer records each second, as each request waits for the one before it",
    "min.insync.replicas": "nothing can be written while fewer replicas are in sync",
    "replication.factor": "more disk and network",
    "retries": "the program has to send again what fails",
    "unclean.leader.election.enable": "a partition stays offline until a replica that was in sync is back",
}
"""What a change of a setting costs, where it costs something."""


def fix_words(deployment: Deployment, fixes: Sequence[Fix]) -> str:
    """The common changes of several fixes, what they cost, and what they were verified for; then what helps until an upgrade."""
    words = _changes_words(deployment, fixes)
    until = [fix.until for fix in fixes if fix.until is not None]
    if until and len(until) == len(fixes):
        words += f" Until you upgrade: {_changes_words(deployment, until)}"
    elif fixes[0].upgrades:
        words += f" Until you upgrade: {NO_SETTING}"
    return words


def changes_line(deployment: Deployment, changes: Sequence[ConfigurationChange]) -> str:
    """What to do where, as the beginning of a sentence."""
    words = "; and ".join(change_words(deployment, change) for change in changes)
    return f"{words[0].upper()}{words[1:]}"


def first_fix(audit: ClassAudit) -> Fix | None:
    """What prevents the first danger that should be survived; None if nothing is known to."""
    urgent = [fix for found, fix in zip(audit.examination.violated, audit.fixes, strict=True) if found.tolerated]
    return next((fix for fix in urgent if fix is not None), None)


def first_words(deployment: Deployment, fix: Fix) -> str:
    """What to do first, with its price: what helps for good, and before an upgrade what helps until then."""
    words = _with_costs(deployment, sorted(fix.changes, key=lambda change: change.key == VERSION))
    if not fix.upgrades:
        return words
    if fix.until is None:
        return f"{words} Until then: {NO_SETTING}"
    until = _with_costs(deployment, fix.until.changes)
    return f"{words} Until then: {until[:1].lower()}{until[1:]}"


def _with_costs(deployment: Deployment, changes: Sequence[ConfigurationChange]) -> str:
    costs = costs_line(changes)
    return f"{changes_line(deployment, changes)}.{' ' if costs else ''}{costs}"


def costs_line(changes: Sequence[ConfigurationChange]) -> str:
    """What changes cost; empty if nothing is known to."""
    costs = listed(COSTS[change.key] for change in changes if change.key in COSTS)
    return f"It costs: {costs}." if costs else ""


def _changes_words(deployment: Deployment, fixes: Sequence[Fix]) -> str:
    sets = list(dict.fromkeys(faults for fix in fixes for faults in fix.faults))
    fewest = (
        " (no earlier version that was tried prevents it)" if fixes[0].upgrades and len(fixes[0].changes) == 1 else ""
    )
    costs = f" {line}" if (line := costs_line(fixes[0].changes)) else ""
    states = counted(max(fix.states for fix in fixes), "state")
    most = "up to " if len(sets) > 1 else ""
    return (
        f"{changes_line(deployment, fixes[0].changes)}{fewest}.{costs} Verified by checking that:"
        f" it then never happens with {listed(sets, 'or')}, in {most}{states}."
    )


def no_fix_words(examination: Examination, findings: Sequence[DecidedDanger]) -> str:
    """A sentence that no setting helps, and the most faults that the deployment survives."""
    danger = findings[0].danger
    held = [d.faults for d in examination.of(danger, Verdict.HOLDS) if d.faults != NO_FAULT]
    against = listed((d.faults for d in findings), "or")
    survived = f" It does not happen with {listed(held, 'or')}." if held else ""
    return f"No change of settings that was tried protects against {against}.{survived} {danger.otherwise}".strip()
