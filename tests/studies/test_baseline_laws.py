"""What a pipeline relies on beside a baseline, for states of files of any topics, programs and sections.

The same files are never worse, what is new or worse is never hidden, and nothing is called gone that still happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neverlost.explorer.answers.questions import Answer
from neverlost.explorer.verdict import Verdict
from neverlost.spec.configuration import Deployment, Notice, read_deployment
from neverlost.spec.configuration.configuration_file import ConfigurationFile
from neverlost.spec.configuration.programs import Origin
from neverlost.spec.exposure import Danger
from neverlost.spec.families import inquiries
from neverlost.spec.faults import NO_FAULT, Faults
from neverlost.spec.inquiry import Ask, Case, Subject
from neverlost.studies.audit.comparison import Change, Comparison, Examined, SectionsCompared, compare
from neverlost.studies.audit.dangers import DANGERS
from neverlost.studies.audit.examination import WORST_FIRST, DecidedDanger, Examination, is_tolerated
from neverlost.studies.audit.same_files import SameFiles
from neverlost.studies.audit.section_changes import compare_sections
from neverlost.studies.audit.sections import CaseVerdict, Decided, Section, Sections

LOST = DANGERS[0]
SETS = [NO_FAULT, *(Faults.of(f) for f in ({"crashes": 1}, {"crashes": 1, "leader_moves": 1}))]
often = settings(max_examples=3 * settings.default.max_examples)
UNSAID = None
"""In the place of a topic's name or of a producer's file."""


@dataclass(frozen=True)
class Audited:
    """What an audit says of a topic with a program."""

    topic: str | None
    producer: str | None
    consumer: str | None
    verdicts: Mapping[Faults, Verdict]
    doubts: frozenset[str]


VERDICTS = st.sampled_from(WORST_FIRST)
FROM_HERE_ON = st.integers(0, len(SETS)).map(
    lambda first: {faults: Verdict.HOLDS if n < first else Verdict.VIOLATED for n, faults in enumerate(SETS)}
)
SAID = FROM_HERE_ON | FROM_HERE_ON | st.dictionaries(st.sampled_from(SETS), VERDICTS)
DOUBTS = st.frozensets(
    st.sampled_from(
        ["its worker is not there", "{folder}/server.properties:{line}: so", "{folder}/other.yml is not read"]
    )
)


def some_of(*names: str) -> st.SearchStrategy[Sequence[str | None]]:
    return st.lists(st.sampled_from(names), unique=True, max_size=2).map(lambda found: found or [UNSAID])


@st.composite
def states(draw: st.DrawFn) -> list[Audited]:
    """Every topic with every producer and every consumer, each with what was found."""
    topics, producers, consumers = (
        draw(some_of("orders", "bills")),
        draw(some_of("shop/producer.properties", "pay/producer.properties")),
        draw(some_of("shop/consumer.properties", "new/consumer.properties")),
    )
    return [Audited(*names, draw(SAID), draw(DOUBTS)) for names in product(topics, producers, consumers)]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    folder = tmp_path_factory.mktemp("one")
    (folder / "topic.properties").write_text("replication.factor=2\n", encoding="utf-8")
    return read_deployment([str(folder)], kafka_version="4.0.1")


def answer(verdict: Verdict) -> Answer:
    return Answer(verdict=verdict, distinct=1, depth=1, complete=False, hidden=None, trace=None)


def examined(one: Deployment, state: Sequence[Audited], folder: str, line: int = 1) -> Examined:
    """The examinations of a state, whose files are in a folder, with what is in doubt in some line."""

    def client(path: str | None) -> tuple[tuple[str, None, int], ...]:
        return () if path is None else ((f"{folder}/{path}", None, 0),)

    def examination(audited: Audited) -> Examination:
        said = [doubt.format(folder=folder, line=line) for doubt in sorted(audited.doubts)]
        names = " ".join(filter(None, (audited.producer, audited.consumer)))
        deployment = replace(
            one,
            topics=() if audited.topic is None else (audited.topic,),
            origins=(Origin(producer=client(audited.producer), consumer=client(audited.consumer), name=names),),
            warnings=tuple(Notice(what=what, decides=True) for what in said),
            files=(),
        )
        decided = [
            DecidedDanger(danger=LOST, faults=faults, answer=answer(verdict), tolerated=is_tolerated(faults, None))
            for faults, verdict in audited.verdicts.items()
        ]
        return Examination(deployment=deployment, tolerance=None, decided=decided)

    paths = {path for audited in state for path in (audited.producer, audited.consumer) if path is not None}
    others = [
        ConfigurationFile(path=f"{folder}/{path}", form="", role="broker", entries=())
        for path in (*paths, "topic.properties", "server.properties")
    ]
    return Examined(examinations=[examination(audited) for audited in state], others=others)


def compared(one: Deployment, before: Sequence[Audited], now: Sequence[Audited]) -> Comparison:
    return compare(examined(one, before, "base/kafka"), examined(one, now, "kafka", line=7))


def may_be(one: str | None, other: str | None) -> bool:
    return one == other or UNSAID in (one, other)


def happens(audited: Audited, faults: Faults) -> bool:
    return any(verdict == Verdict.VIOLATED and fewer.within(faults) for fewer, verdict in audited.verdicts.items())


@given(states())
def test_the_same_files_are_not_worse_in_another_folder(one: Deployment, state: list[Audited]) -> None:
    found = compared(one, state, state)
    for part in found.parts:
        assert {change for _, change in part.findings} <= {Change.UNCHANGED}
        assert {change for _, change in part.warnings} <= {Change.UNCHANGED}
    decided = all(
        any(is_tolerated(faults, None) for faults in audited.verdicts)
        and all(v != Verdict.UNDECIDED for faults, v in audited.verdicts.items() if is_tolerated(faults, None))
        for audited in state
    )
    assert found.verdict == Verdict.HOLDS if decided else found.verdict != Verdict.VIOLATED


@often
@given(states(), states())
def test_what_did_not_happen_to_the_same_topic_and_producer_is_not_unchanged(
    one: Deployment, before: list[Audited], now: list[Audited]
) -> None:
    later = examined(one, now, "kafka")
    found = compare(examined(one, before, "base/kafka"), later)
    for audited, examination in zip(now, later.examinations, strict=True):
        same = [old for old in before if may_be(old.topic, audited.topic) and may_be(old.producer, audited.producer)]
        for finding in examination.violated:
            if not any(happens(old, finding.faults) for old in same):
                assert found.of_finding(examination, finding) != Change.UNCHANGED
                assert found.verdict != Verdict.HOLDS or not finding.tolerated
            if not same and finding.tolerated:
                assert found.verdict == Verdict.VIOLATED


@often
@given(states(), states())
def test_a_new_doubt_leaves_it_open_whether_anything_got_worse(
    one: Deployment, before: list[Audited], now: list[Audited]
) -> None:
    old = {(a.topic, a.producer, a.consumer): a.doubts for a in before}
    doubtful = any(a.doubts - old.get((a.topic, a.producer, a.consumer), a.doubts) for a in now)
    unheard = frozenset().union(*(a.doubts for a in now)) - frozenset().union(*(a.doubts for a in before))
    if doubtful or unheard:
        assert compared(one, before, now).verdict != Verdict.HOLDS


@often
@given(states(), states())
def test_nothing_is_gone_that_still_happens_or_of_which_nothing_is_known(
    one: Deployment, before: list[Audited], now: list[Audited]
) -> None:
    of_before = {id(audited): audited for audited in before}
    earlier = examined(one, before, "base/kafka")
    by_examination = dict(zip(map(id, earlier.examinations), of_before.values(), strict=True))
    found = compare(earlier, examined(one, now, "kafka"))
    for part in found.parts:
        gone = [finding.faults for finding, change in part.findings if change == Change.GONE]
        if part.before is None or not gone:
            continue
        old = by_examination[id(part.before)]
        of_topic = [audited for audited in now if may_be(audited.topic, old.topic)]
        of_program = [audited for audited in of_topic if may_be(audited.producer, old.producer)]
        of_consumer = [audited for audited in of_program if audited.consumer == old.consumer]
        assert of_program or not of_topic
        for faults in gone:
            assert not any(happens(audited, faults) for audited in of_consumer or of_program)


GROUPS = inquiries()["groups"]
SKIPPED: Danger = GROUPS.dangers[0]


@dataclass(frozen=True, kw_only=True)
class Stub(Case):
    """A case of which only the answers count."""

    faults = GROUPS.faults
    says = ""
    asks = ()

    def model(self, counts: Mapping[str, int]) -> Any:
        return None

    def remedies(self) -> list[Any]:
        return []


CASE = Stub(ways={}, release="4.0.1", stands_for={"4.0.1": "4.0.1"})


@dataclass(frozen=True)
class Client:
    """What a section says of a client: by how many faults a record is skipped, and which doubts there are."""

    path: str
    name: str | None
    verdicts: Mapping[int, Verdict]
    doubts: frozenset[str]


CLIENTS = st.lists(
    st.builds(
        Client,
        st.sampled_from(["shop/consumer.properties", "pay/consumer.properties"]),
        st.sampled_from([None, None, "a-in-0"]),
        st.dictionaries(st.integers(0, 2), VERDICTS, min_size=1),
        DOUBTS,
    ),
    max_size=3,
)


def sections(clients: Sequence[Client], folder: str) -> Sections:
    def decided(count: int, verdict: Verdict) -> Decided:
        counts = {"crashes": count}
        ask = Ask(danger=SKIPPED, model=None, counts=counts, with_what=f"{count}", usual=count < 2)  # type: ignore[arg-type]
        return Decided(ask=ask, answer=answer(verdict), usual=ask.usual, several=False, in_doubt=False)

    def section(client: Client) -> Section:
        path = f"{folder}/{client.path}"
        doubts = tuple(Notice(what=what.format(folder=folder, line=3), decides=True) for what in sorted(client.doubts))
        subject = Subject(about=path, cases=(CASE,), place=(path, None), doubts=doubts, client=(path, client.name))
        found = [decided(*one) for one in client.verdicts.items()]
        counted = {one.verdict for one in found if one.usual} or {Verdict.HOLDS}
        worst = next(verdict for verdict in WORST_FIRST if verdict in counted)
        cases = [CaseVerdict(case=CASE, verdict=worst)]
        return Section(
            inquiry=GROUPS, subject=subject, case=CASE, decided=found, fixes={}, open_fixes=frozenset(), cases=cases
        )

    return Sections(asked=[section(client) for client in clients])


def sections_compared(before: Sequence[Client], now: Sequence[Client]) -> SectionsCompared:
    others = ["topic.properties", "server.properties"]
    paths = [
        [f"{folder}/{path}" for path in (*others, *(client.path for client in clients))]
        for folder, clients in (("base/kafka", before), ("kafka", now))
    ]
    return compare_sections(sections(before, "base/kafka"), sections(now, "kafka"), SameFiles.of(*paths))


def skips(client: Client, count: int) -> bool:
    return any(verdict == Verdict.VIOLATED and less <= count for less, verdict in client.verdicts.items())


@given(CLIENTS)
def test_the_same_sections_are_not_worse_in_another_folder(clients: list[Client]) -> None:
    found = sections_compared(clients, clients)
    assert {one.change for one in found.changes} <= {Change.UNCHANGED}
    assert {one.change for one in found.doubts} <= {Change.UNCHANGED}
    assert (found.verdict, found.left) == (Verdict.HOLDS, ())


@often
@given(CLIENTS, CLIENTS)
def test_a_client_that_skips_records_now_is_not_hidden_behind_another_one(
    before: list[Client], now: list[Client]
) -> None:
    """Of each file and name no more clients may skip records than before, and none of another doubt."""
    found = sections_compared(before, now)
    for client in now:
        same = [one for one in now if (one.path, one.name) == (client.path, client.name)]
        old = [one for one in before if (one.path, one.name) == (client.path, client.name)]
        for count in (0, 1):
            if sum(skips(one, count) for one in same) > sum(skips(one, count) for one in old):
                assert found.verdict == Verdict.VIOLATED
        if client.doubts - frozenset().union(*(one.doubts for one in old)):
            assert found.verdict != Verdict.HOLDS


@often
@given(CLIENTS, CLIENTS)
def test_no_client_is_gone_that_still_skips_records_or_that_no_file_leads_to(
    before: list[Client], now: list[Client]
) -> None:
    found = sections_compared(before, now)
    for change in found.changes:
        if change.change == Change.GONE:
            path, name = change.section.subject.client or ("", None)
            same = [one for one in now if (f"base/kafka/{one.path}", one.name) == (path, name)]
            assert any(not skips(one, int(change.found.ask.with_what)) for one in same)
    if {(one.path, one.name) for one in before} - {(one.path, one.name) for one in now}:
        assert found.verdict != Verdict.HOLDS


PATHS = st.frozensets(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(lambda parts: "/".join([*parts, "x.properties"])),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ("f/a/c f/b/c", "f/a/c f/b/c", "f/a/c f/b/c"),
        ("base/k/a/c base/k/b/c", "k/a/c k/b/c", "k/a/c k/b/c"),
        ("base/k/a/c base/k/b/c", "k/b/c k/d/c", "k/b/c"),
        ("old/a/p old/a/c old/s/t", "new/b/p new/b/c new/s/t", "new/s/t"),
        ("old/p old/c", "new/p new/c new/b/p new/b/c", "new/p new/c"),
        ("old/p old/c old/b/p old/b/c", "new/p new/c", "new/p new/c"),
        ("old/a/x old/b/x", "new/c/x new/d/x", ""),
        ("old/p old/logs", "new/p new/pay", "new/p"),
        ("shop.old/x pay.old/y", "shop/x pay/y", "shop/x pay/y"),
        ("/etc/c base/k/a", "/etc/c k/a", "/etc/c k/a"),
        ("rendered-old.yaml", "rendered.yaml", "rendered.yaml"),
    ],
)
def test_files_are_the_same_by_their_paths_below_the_folders_of_both_states(before: str, now: str, same: str) -> None:
    assert sorted(SameFiles.of(before.split(), now.split()).now_of.values()) == sorted(same.split())


def test_what_is_said_of_files_is_compared_by_the_paths_of_now_and_without_lines() -> None:
    same = SameFiles.of(["base/k/a.yml", "base/k/b.yml"], ["k/a.yml", "k/b.yml"])
    before, now = (
        "base/k/a.yml:3 and xbase/k/a.yml, beside base/k/.env.",
        "k/a.yml:37 and xbase/k/a.yml, beside k/.env.",
    )
    assert same.said_before(before) == same.said_now(now) == "k/a.yml and xbase/k/a.yml, beside k/.env."


@given(PATHS)
def test_every_file_is_found_again_below_another_folder(paths: frozenset[str]) -> None:
    older, newer = ([f"{root}/{path}" for path in sorted(paths)] for root in ("old", "new"))
    found = SameFiles.of(older, newer).now_of
    assert found == dict(zip(older, newer, strict=True))


@given(PATHS, PATHS)
def test_no_two_files_are_the_same_one_and_none_has_another_name(before: frozenset[str], now: frozenset[str]) -> None:
    found = SameFiles.of(before, now).now_of
    assert len(set(found.values())) == len(found)
    assert set(found) <= before
    assert set(found.values()) <= now
    assert len(before) == len(now) == 1 or all(Path(old).name == Path(new).name for old, new in found.items())
    assert all(found[path] == path for path in before & now)
