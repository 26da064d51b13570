"""The sections of an audit: transactions, consumer groups and the controllers' quorum, each with its own settings and faults.

The expected stories are those of public tickets and KIPs, which are named beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Run, running
from shell_blocks import ROOT

from neverlost.explorer.answers.questions import Answers
from neverlost.explorer.search import Limits
from neverlost.explorer.verdict import Verdict
from neverlost.model.core import NeverlostError
from neverlost.spec.configuration import ConfigurationError, parse_tolerances, read_all
from neverlost.spec.configuration.controllers import controls_only
from neverlost.spec.configuration.readings import ALTERNATIVES
from neverlost.spec.families import inquiries
from neverlost.spec.inquiry import Read
from neverlost.spec.kafka.groups.inquiry import GroupsCase
from neverlost.spec.kafka.quorum.inquiry import QuorumCase
from neverlost.spec.kafka.releases import RELEASES
from neverlost.studies.audit.audit import read_of
from neverlost.studies.audit.comparison import Change
from neverlost.studies.audit.examination import tolerance_of
from neverlost.studies.audit.reading_verdicts import examine_readings
from neverlost.studies.audit.section_changes import compare_sections
from neverlost.studies.audit.sections import Section, Sections, sections_of
from neverlost.studies.study import Study

BROKER = "process.roles=broker\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
VOTERS = "controller.quorum.voters=1@a:1,2@b:1,3@c:1\n"
CONTROLLER = f"process.roles=controller\nnode.id=1\nlog.dirs=/data\n{VOTERS}"
APP = "key.serializer=a.B\nacks=all\ntransactional.id=app\n"
CONSUMER = "group.id=a\nkey.deserializer=a.B\nenable.auto.commit={}\nauto.offset.reset={}\n"

Asking = Callable[..., Sections]


@pytest.fixture
def asking(store: Path, tmp_path: Path) -> Asking:
    """What asks the families about files with these texts."""

    def ask(version: str, assume: str | None = None, tolerate: str | None = None, **texts: str) -> Sections:
        found = read_all(written(tmp_path, texts), kafka_version=version, assume=assume)
        given = parse_tolerances(tolerate)
        return sections_of(read_of(found, given.of_families), Study(Answers(store), Limits()))

    return ask


@pytest.fixture
def surviving(store: Path, tmp_path: Path) -> Asking:
    """What asks the families about files with these texts whose topics should survive an event."""

    def ask(event: str, version: str, assume: str, **texts: str) -> Sections:
        found = read_all(written(tmp_path, texts), kafka_version=version, assume=assume)
        tolerance = tolerance_of(None, event)
        assert tolerance is not None
        return sections_of(replace(read_of(found, {}), survived=tolerance.named), Study(Answers(store), Limits()))

    return ask


def written(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """The paths of files with these texts: what Kafka's tools print has no ending."""
    paths = [folder / (name if text.startswith("Topic: ") else f"{name}.properties") for name, text in texts.items()]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in paths]


def only(found: Sections, family: str) -> Section:
    (section,) = [section for section in found.asked if section.inquiry.family == family]
    return section


def happening(section: Section) -> set[tuple[str, str]]:
    """What happens and should not: properties, each with what else happens."""
    return {(one.ask.danger.property, one.ask.with_what) for one in section.violated if one.usual}


BOTH = "1 later member, 1 orderly close"
TV2 = "elr=on,transaction-version=2,transaction-client=2,unanswered=sends-again"


def test_a_late_marker_tears_a_transaction_to_4_1_and_4_2_is_the_fix(asking: Asking) -> None:  # KIP-1228, KAFKA-19446
    section = only(asking("4.1.1", TV2, producer=APP, broker=BROKER), "transactions")
    assert section.verdict == Verdict.VIOLATED
    assert ("all_or_nothing", "1 held-up marker") in happening(section)
    fixes = {danger.property: fix for danger, fix in section.fixes.items()}
    fix = fixes["all_or_nothing"]
    assert fix is not None
    assert "4.2.0" in fix.remedy.words
    assert only(asking("4.2.0", TV2, producer=APP, broker=BROKER), "transactions").verdict == Verdict.HOLDS


def test_version_0_is_torn_by_a_held_up_request_on_any_release(asking: Asking) -> None:  # KAFKA-17754
    old = TV2.replace("transaction-client=2", "transaction-client=0")
    for version, said in (("3.8.1", None), ("4.2.0", old)):
        section = only(asking(version, said, producer=APP, broker=BROKER), "transactions")
        assert ("all_or_nothing", "1 held-up request") in happening(section)


def test_what_no_file_says_of_a_client_is_not_safe(asking: Asking) -> None:
    section = only(asking("4.3.1", "elr=on,transaction-version=2", producer=APP, broker=BROKER), "transactions")
    assert {one.case.ways["transaction-client"]: one.verdict for one in section.cases} == {
        "2": Verdict.HOLDS,
        "0": Verdict.VIOLATED,
    }
    assert section.verdict == Verdict.VIOLATED


def test_one_replica_of_the_coordinator_log_loses_decisions(asking: Asking) -> None:
    alone = f"{BROKER}transaction.state.log.replication.factor=1\n"
    section = only(asking("4.3.1", TV2, producer=APP, broker=alone), "transactions")
    assert {with_what for _, with_what in happening(section)} == {"1 power loss", "1 disk loss"}
    assert all(fix is not None for fix in section.fixes.values())


def test_an_exception_with_auto_commit_skips_a_record(asking: Asking) -> None:  # ConsumerCoordinator.close
    consumer = CONSUMER.format("true", "earliest")
    section = only(asking("4.3.1", "processing=poll", consumer=consumer, broker=BROKER), "groups")
    assert happening(section) == {("none_skipped", "1 failed record")}
    (fix,) = section.fixes.values()
    assert fix is not None
    assert "enable.auto.commit=false" in fix.remedy.words


def test_whether_a_program_commits_after_processing_is_open(asking: Asking) -> None:
    consumer = CONSUMER.format("false", "earliest")
    section = only(asking("4.3.1", consumer=consumer, broker=BROKER), "groups")
    verdicts = {one.case.ways["commit"]: one.verdict for one in section.cases}
    assert verdicts == {"sync": Verdict.HOLDS, "async": Verdict.HOLDS, "before": Verdict.VIOLATED}
    assert section.verdict == Verdict.UNDECIDED
    assert only(asking("4.3.1", "commit=sync", consumer=consumer, broker=BROKER), "groups").verdict == Verdict.HOLDS


def test_latest_skips_what_an_added_partition_has_and_earliest_does_not(asking: Asking) -> None:  # KAFKA-12261
    for reset, skipped in (("latest", True), ("earliest", False)):
        consumer = CONSUMER.format("false", reset)
        section = only(asking("4.3.1", "commit=sync", consumer=consumer, broker=BROKER), "groups")
        beyond = {(one.ask.danger.property, one.ask.with_what) for one in section.violated}
        assert (("none_skipped", "1 added partition") in beyond) == skipped


def test_static_membership_is_not_modelled_and_so_nothing_is_safe(asking: Asking) -> None:
    consumer = f"{CONSUMER.format('false', 'earliest')}group.instance.id=a-1\n"
    section = only(asking("4.3.1", "commit=sync", consumer=consumer, broker=BROKER), "groups")
    assert section.verdict == Verdict.UNDECIDED
    assert "static membership" in section.case.lacks[0]


def test_librdkafka_commits_what_it_has_handed_out(asking: Asking) -> None:
    consumer = "group.id=a\nbootstrap.servers=b:1\nenable.auto.commit=true\nauto.offset.reset=earliest\n"
    found = asking("4.3.1", "client=librdkafka", consumer=consumer, broker=BROKER)
    assert ("none_skipped", "1 consumer crash") in happening(only(found, "groups"))
    stored = f"{consumer}enable.auto.offset.store=false\n"
    found = asking("4.3.1", "client=librdkafka", consumer=stored, broker=BROKER)
    assert only(found, "groups").verdict == Verdict.HOLDS


def test_librdkafka_repeats_what_it_had_not_committed_yet(asking: Asking) -> None:  # auto.commit.interval.ms
    consumer = "group.id=a\nbootstrap.servers=b:1\nenable.auto.commit=true\nauto.offset.reset=earliest\n"
    section = only(asking("4.3.1", "client=librdkafka", consumer=consumer, broker=BROKER), "groups")
    assert ("none_repeated", "1 consumer crash") in {(o.ask.danger.property, o.ask.with_what) for o in section.violated}


SPRING = "spring.kafka.consumer.group-id=a\nspring.kafka.consumer.auto-offset-reset=earliest\n"


def test_spring_logs_a_record_that_fails_and_goes_on(asking: Asking) -> None:  # DefaultErrorHandler
    section = only(asking("4.3.1", application=SPRING, broker=BROKER), "groups")
    assert happening(section) == {("none_skipped", "1 failed record")}
    (fix,) = section.fixes.values()
    assert fix is not None
    assert "dead letters" in fix.remedy.words
    assert only(asking("4.3.1", "failed=keeps", application=SPRING, broker=BROKER), "groups").verdict == Verdict.HOLDS
    retried = f"{SPRING}spring.kafka.retry.topic.enabled=true\n"
    assert only(asking("4.3.1", application=retried, broker=BROKER), "groups").verdict == Verdict.HOLDS


def test_two_changes_that_help_only_together_are_one_fix(asking: Asking) -> None:
    """Dead letters alone leave what `latest` skips, and `earliest` alone leaves what the error handler skips."""
    brokers = f"{BROKER}offsets.topic.replication.factor=1\n"
    section = only(asking("4.3.1", application=SPRING.replace("earliest", "latest"), broker=brokers), "groups")
    (fix,) = section.fixes.values()
    assert fix is not None
    assert "dead letters; and set auto.offset.reset=earliest (" in fix.remedy.words
    assert fix.remedy.place is not None
    assert fix.remedy.place[0].endswith("application.properties")


def test_changes_of_one_thing_are_never_tried_together(asking: Asking) -> None:
    """Not `process before the next poll` with `commit after processing`: the second has the first in it."""
    text = CONSUMER.format("true", "latest")
    section = only(asking("4.3.1", "processing=threads", consumer=text, broker=BROKER), "groups")
    words = [remedy.words for remedy in section.case.remedies()]
    assert [w.count("; and ") for w in words] == sorted(w.count("; and ") for w in words)
    assert len(words) == len(set(words)) == 5
    assert not any("before the next poll" in w and "after processing" in w for w in words)


POOLS = (
    "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: a}\nspec: {kafka: {version: 4.1.0}}\n---\n"
    "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaNodePool\nmetadata: {name: c, labels: {strimzi.io/cluster: a}}\n"
    "spec:\n  replicas: REPLICAS\n  roles: [controller]\n  storage: {type: STORAGE}\n"
)
QUORUM = next(inquiry for inquiry in inquiries().values() if inquiry.family == "quorum")


def of_pools(folder: Path, replicas: str, storage: str, assume: str | None = None) -> tuple[Read, Sequence[QuorumCase]]:
    """What is read of Strimzi's pools, and the cases of their controllers."""
    resource = folder / "kafka.yaml"
    resource.write_text(POOLS.replace("REPLICAS", replicas).replace("STORAGE", storage), encoding="utf-8")
    read = read_of(read_all([str(resource)], assume=assume), {})
    return read, [case for subject in QUORUM.subjects(read) for case in subject.cases if isinstance(case, QuorumCase)]


def usual_faults(case: QuorumCase) -> set[str]:
    return {ask.with_what for ask in case.asks if ask.usual}


def test_what_strimzi_writes_for_controllers_is_read_from_its_pools(tmp_path: Path) -> None:
    """Static voters (withKRaft), a start at once, and a quorum-state that kafka_run.sh deletes, unless somebody says otherwise."""
    read, cases = of_pools(tmp_path, "3", "persistent-claim")
    assert {(case.controllers, case.starts, case.forgets) for case in cases} == {(3, "at-once", None)}
    assert {(case.level, case.state) for case in cases} == {(0, "deleted"), (0, "kept"), (1, "deleted"), (1, "kept")}
    assert "1 quorum state loss" in usual_faults(cases[0])
    _, kept = of_pools(tmp_path, "3", "persistent-claim", "kraft-version=0,quorum-state=kept")
    assert usual_faults(kept[0]) == {"no fault", "1 crash", "1 power loss", "1 disk loss"}
    (subject,) = QUORUM.subjects(read)
    assert subject.place == (str(tmp_path / "kafka.yaml"), 10)


def test_controllers_with_ephemeral_storage_lose_a_disk_with_each_pod(tmp_path: Path) -> None:
    _, cases = of_pools(tmp_path, "3", "ephemeral")
    assert "2 disk losses" in usual_faults(cases[0])
    remedies = [remedy for remedy in cases[0].remedies() if "persistent-claim" in remedy.words]
    assert [remedy.place for remedy in remedies] == [(str(tmp_path / "kafka.yaml"), 12)]
    assert "2 disk losses" not in {ask.with_what for ask in remedies[0].case.asks if ask.usual}


def test_more_controllers_than_an_audit_asks_about_are_open(tmp_path: Path) -> None:
    _, cases = of_pools(tmp_path, "5", "jbod")
    assert cases[0].lacks == ("there are 5 controllers, and an audit asks about 3",)


def test_pools_that_do_not_say_how_many_controllers_they_have_are_named(tmp_path: Path) -> None:
    read, cases = of_pools(tmp_path, "${CONTROLLERS}", "jbod")
    assert not cases
    assert "no KafkaNodePool of these resources has the role controller and says" in QUORUM.why_not_asked(read)


def test_a_binder_with_dead_letters_keeps_a_record_that_fails(asking: Asking) -> None:  # enableDlq
    text = (
        "spring.cloud.stream.kafka.binder.brokers=a:1\nspring.cloud.stream.bindings.in-in-0.group=a\n"
        "spring.cloud.stream.kafka.bindings.in-in-0.consumer.enable-dlq={}\n"
    )
    for value, verdict in (("true", Verdict.HOLDS), ("false", Verdict.VIOLATED)):
        found = asking("4.3.1", "elr=on", application=text.format(value), broker=BROKER)
        assert only(found, "groups").verdict == verdict


STREAMS = "application.id=a\nbootstrap.servers=b:1\nreplication.factor=3\n"


def test_streams_goes_on_behind_a_record_that_it_cannot_read_if_it_is_set_to(asking: Asking) -> None:  # KIP-161
    handlers = {
        "LogAndFailExceptionHandler": Verdict.HOLDS,
        "org.apache.kafka.streams.errors.LogAndContinueExceptionHandler": Verdict.VIOLATED,
    }
    for handler, verdict in handlers.items():
        text = f"{STREAMS}default.deserialization.exception.handler={handler}\n"
        assert only(asking("4.3.1", streams=text, broker=BROKER), "groups").verdict == verdict


def test_a_handler_of_the_applications_own_is_a_doubt(asking: Asking) -> None:  # KIP-1033
    for handler, doubted in (("a.b.OurHandler", True), ("LogAndFailProcessingExceptionHandler", False)):
        section = only(asking("4.3.1", streams=f"{STREAMS}processing.exception.handler={handler}\n"), "groups")
        assert any("a record that fails" in doubt.what for doubt in section.subject.doubts) == doubted


def test_the_protocol_of_streams_is_not_modelled(asking: Asking) -> None:  # KIP-1071
    section = only(asking("4.3.1", streams=f"{STREAMS}group.protocol=streams\n", broker=BROKER), "groups")
    assert section.verdict == Verdict.UNDECIDED


@pytest.mark.parametrize(("mode", "verdict"), [("implicit", Verdict.HOLDS), ("explicit", Verdict.UNDECIDED)])
def test_a_share_group_is_not_modelled(mode: str, verdict: Verdict, asking: Asking) -> None:  # KIP-932
    written = f"{CONSUMER.format('false', 'earliest')}share.acknowledgement.mode={mode}\n"
    assert only(asking("4.3.1", "commit=sync", consumer=written, broker=BROKER), "groups").verdict == Verdict.UNDECIDED
    values = (
        *written.splitlines(),
        "bootstrap.servers=[a:1]",
        "isolation.level=read_uncommitted",
        "value.deserializer=class a.B",
    )
    logged = "".join(f"\t{line.replace('=', ' = ')}\n" for line in values)
    found = asking("4.3.1", "commit=sync", consumer=f"INFO ConsumerConfig values: \n{logged}", broker=BROKER)
    assert only(found, "groups").verdict == verdict


def test_a_sink_that_tolerates_errors_skips_records_unless_it_keeps_them(asking: Asking) -> None:  # KIP-298
    sink = "connector.class=a.ASink\ntopics=t\nerrors.tolerance=all\n"
    for more, verdict in (("", Verdict.VIOLATED), ("errors.deadletterqueue.topic.name=d\n", Verdict.HOLDS)):
        found = asking("4.3.1", connector=f"{sink}{more}", broker=BROKER)
        assert only(found, "groups").verdict == verdict


@pytest.mark.parametrize(
    ("client", "verdict"),
    [
        ("java", Verdict.HOLDS),
        ("franz-go", Verdict.HOLDS),
        ("sarama", Verdict.VIOLATED),
        ("kafkajs", Verdict.VIOLATED),
        ("kafka-python-2.2", Verdict.VIOLATED),
        ("librdkafka", Verdict.VIOLATED),
    ],
)
def test_a_client_without_leader_epochs_skips_what_replaces_a_truncated_record(
    asking: Asking, client: str, verdict: Verdict
) -> None:  # KIP-320
    consumer = "group.id=a\nbootstrap.servers=b:1\nenable.auto.commit=false\nauto.offset.reset=earliest\n"
    unclean = f"{BROKER}unclean.leader.election.enable=true\n"
    section = only(asking("4.3.1", f"client={client},commit=sync", consumer=consumer, broker=unclean), "groups")
    assert section.verdict == verdict
    skipped = ("none_skipped", "1 later member + 1 truncation of the source")
    assert (skipped in happening(section)) == (verdict == Verdict.VIOLATED)


def test_spring_commits_no_leader_epoch(asking: Asking) -> None:
    unclean = f"{BROKER}unclean.leader.election.enable=true\n"
    section = only(asking("4.3.1", "failed=keeps", application=SPRING, broker=unclean), "groups")
    assert happening(section) == {("none_skipped", "1 later member + 1 truncation of the source")}


def lost_commits(section: Section) -> set[str]:
    """With what a committed offset is lost from the coordinator's log."""
    return {one.ask.with_what for one in section.violated if one.ask.danger.name == "commit lost"}


def test_the_log_of_the_coordinator_is_as_its_brokers_say(asking: Asking) -> None:
    consumer = CONSUMER.format("false", "earliest")
    for line, loses in (
        ("", False),
        ("unclean.leader.election.enable=true\n", True),
        ("offsets.commit.required.acks=1\n", True),
    ):
        found = asking("3.9.1", "commit=sync", consumer=consumer, broker=f"{BROKER}broker.rack=a\n{line}")
        assert ("1 crash" in lost_commits(only(found, "groups"))) == loses, line


def test_offsets_expire_in_use_to_2_0(asking: Asking) -> None:  # KIP-211
    consumer = CONSUMER.format("false", "latest")
    broker = BROKER.replace("process.roles=broker", "zookeeper.connect=a:1")
    for version, skips in (("2.0.1", True), ("2.1.1", False)):
        section = only(asking(version, "commit=sync", consumer=consumer, broker=broker), "groups")
        with_what = {one.ask.with_what for one in section.violated if one.ask.danger.property == "none_skipped"}
        assert any("idle time" in one for one in with_what) == skips


def test_what_an_audit_leaves_out_is_a_doubt(asking: Asking) -> None:
    consumer = f"{CONSUMER.format('false', 'latest')}group.protocol=consumer\n"
    unclean = f"{BROKER}unclean.leader.election.enable=true\n"
    section = only(asking("4.3.1", "commit=sync", consumer=consumer, broker=unclean), "groups")
    doubts = " ".join(doubt.what for doubt in section.subject.doubts)
    assert "has no leader epoch" in doubts  # KAFKA-20507
    assert "expires by the time of its commit" in doubts  # ConsumerGroup.offsetExpirationCondition
    assert (
        only(asking("4.3.1", "commit=sync", consumer=CONSUMER.format("false", "earliest")), "groups").subject.doubts
        == ()
    )


def test_a_wiped_static_voter_elects_two_leaders_and_directory_ids_end_that(
    asking: Asking,
) -> None:  # KAFKA-14077, KIP-853
    found = asking("3.9.1", "formatted-starts=at-once", controller=CONTROLLER)
    section = only(found, "quorum")
    assert {("one_leader_per_epoch", "1 disk loss"), ("acked_never_lost", "1 disk loss")} <= happening(section)
    dynamic = CONTROLLER.replace(VOTERS, "controller.quorum.bootstrap.servers=a:1,b:1,c:1\n")
    found = asking("3.9.1", "formats=no-initial-controllers", controller=dynamic)
    assert only(found, "quorum").verdict == Verdict.HOLDS


def test_one_controller_loses_all_with_its_disk(asking: Asking) -> None:
    alone = CONTROLLER.replace(VOTERS, "controller.quorum.voters=1@a:1\n")
    section = only(asking("3.9.1", "formatted-starts=settled", controller=alone), "quorum")
    assert ("committed_is_held", "1 disk loss") in happening(section)
    assert all(fix is not None and "three controllers" in fix.remedy.words for fix in section.fixes.values())


def test_more_controllers_than_the_model_has_are_undecided(asking: Asking) -> None:
    five = CONTROLLER.replace(VOTERS, "controller.quorum.voters=1@a:1,2@b:1,3@c:1,4@d:1,5@e:1\n")
    assert only(asking("3.9.1", "formatted-starts=settled", controller=five), "quorum").verdict == Verdict.UNDECIDED


def test_static_voters_do_not_say_that_kraft_version_is_0(asking: Asking) -> None:  # KAFKA-19719
    section = only(asking("3.9.1", "formatted-starts=settled", "1 quorum disk loss", controller=CONTROLLER), "quorum")
    assert section.verdict == Verdict.VIOLATED
    section = only(asking("3.8.1", "formatted-starts=settled", "1 quorum disk loss", controller=CONTROLLER), "quorum")
    assert section.verdict == Verdict.HOLDS


def test_voters_in_a_file_beside_kraft_version_1_are_a_danger_with_two_lost_directories(asking: Asking) -> None:
    said = "kraft-version=1,formats=no-initial-controllers"
    section = only(asking("4.1.1", said, "2 quorum disk losses", controller=CONTROLLER), "quorum")
    assert ("committed_never_lost", "2 disk losses") in happening(section)
    fixes = {fix.remedy.words for fix in section.fixes.values() if fix is not None}
    assert any("without controller.quorum.voters" in words for words in fixes)
    dynamic = CONTROLLER.replace(VOTERS, "controller.quorum.bootstrap.servers=a:1,b:1,c:1\n")
    section = only(
        asking("4.1.1", "formats=no-initial-controllers", "2 quorum disk losses", controller=dynamic), "quorum"
    )
    assert {name for name, _ in happening(section)} == {"committed_is_held"}


def test_a_crash_and_a_power_loss_lose_what_each_alone_does_not(asking: Asking) -> None:
    dynamic = CONTROLLER.replace(VOTERS, "controller.quorum.bootstrap.servers=a:1,b:1,c:1\n")
    said = "formats=no-initial-controllers"
    section = only(asking("3.9.1", said, "1 quorum crash, 1 quorum power loss", controller=dynamic), "quorum")
    assert {with_what for _, with_what in happening(section)} == {"1 crash + 1 power loss"}


def test_two_voters_with_one_id_are_one(asking: Asking) -> None:
    twice = CONTROLLER.replace(VOTERS, "controller.quorum.voters=1@a:1,1@b:1,1@c:1\n")
    section = only(asking("3.8.1", "formatted-starts=settled", "1 quorum power loss", controller=twice), "quorum")
    assert section.verdict == Verdict.VIOLATED


def test_controllers_that_migrate_from_zookeeper_are_undecided(asking: Asking) -> None:
    migrates = CONTROLLER + "zookeeper.metadata.migration.enable=true\nzookeeper.connect=z:2181\n"
    section = only(asking("3.8.1", "formatted-starts=settled", "1 quorum crash", controller=migrates), "quorum")
    assert section.verdict == Verdict.UNDECIDED


def test_a_snapshot_that_is_not_synced_is_a_doubt(asking: Asking) -> None:  # KAFKA-15312
    for version, doubted in (("3.5.1", True), ("3.5.2", False)):
        section = only(asking(version, "formatted-starts=settled", "1 quorum crash", controller=CONTROLLER), "quorum")
        assert any("KAFKA-15312" in doubt.text for doubt in section.subject.doubts) == doubted


@pytest.mark.parametrize(
    ("family", "first", "name", "text"),
    [
        ("quorum", "3.1.0", "controller", CONTROLLER),
        ("groups", "0.9.0.0", "consumer", CONSUMER.format("true", "latest")),
        ("transactions", "0.11.0.0", "producer", APP),
    ],
    ids=["quorum", "groups", "transactions"],
)
def test_every_release_that_files_may_be_of_stands_in_a_case(
    tmp_path: Path, family: str, first: str, name: str, text: str
) -> None:
    (tmp_path / f"{name}.properties").write_text(text, encoding="utf-8")
    read = read_of(read_all([str(tmp_path / f"{name}.properties")], kafka_version=None), {})
    (subject,) = inquiries()[family].subjects(read)
    covered = {release for case in subject.cases for release in case.stands_for}
    possible = {chosen.release for chosen in read.versions}
    assert covered == {release for release in possible if RELEASES.index(release) >= RELEASES.index(first)}


def test_a_fault_belongs_to_a_family() -> None:
    given = parse_tolerances("1 disk loss, 2 quorum disk losses, 1 held-up request, 1 consumer crash")
    assert given.of_topics == "1 disk loss, 1 consumer crash"
    assert given.of_families == {"quorum": {"disk_losses": 2}, "transactions": {"delays": 1}}
    with pytest.raises(ConfigurationError, match="several families"):
        parse_tolerances("1 move of the coordinator")
    with pytest.raises(ConfigurationError, match="at most 2"):
        parse_tolerances("3 quorum disk losses")


def test_a_tolerance_of_a_family_is_asked_together(asking: Asking) -> None:
    dynamic = CONTROLLER.replace(VOTERS, "controller.quorum.bootstrap.servers=a:1,b:1,c:1\n")
    found = asking("3.9.1", "formats=no-initial-controllers", "1 quorum crash", controller=dynamic)
    section = only(found, "quorum")
    assert {one.ask.with_what for one in section.decided} == {"no fault", "1 crash"}
    assert section.verdict == Verdict.HOLDS


@pytest.mark.parametrize(
    ("version", "tolerate", "said"), [("3.9.1", None, True), ("4.1.1", None, False), ("3.9.1", BOTH, False)]
)
def test_a_verdict_of_a_preview_says_that_no_partition_comes_while_an_offset_is_fetched(
    version: str, tolerate: str | None, said: bool, asking: Asking
) -> None:  # KAFKA-17674
    consumer = CONSUMER.format("false", "latest") + "group.protocol=consumer\n"
    section = only(asking(version, "commit=sync", tolerate, consumer=consumer), "groups")
    assert any("KAFKA-17674" in clause for clause in section.assumes) == said
    skips = [what for name, what in happening(section) if name == "none_skipped"]
    assert any("later member" in what and "orderly close" in what for what in skips) == (tolerate is not None)


def several_lose(section: Section) -> set[str]:
    """With which several faults the coordinator's log loses what it has acknowledged."""
    return {one.ask.with_what for one in section.violated if one.ask.several and one.ask.danger.concerns == "log"}


def test_a_rolling_restart_may_lose_a_decision_of_the_coordinator(surviving: Asking) -> None:
    """As it may lose a record of any topic with three replicas, of which two must be in sync."""
    section = only(surviving("rolling-restart", "4.4.0", TV2, producer=APP, broker=BROKER), "transactions")
    assert section.verdict == Verdict.VIOLATED
    lost = ("acked_never_lost", "1 leader move + 2 shutdowns (rolling-restart)")
    assert happening(section) == {
        lost,
        *((name, "2 moves of the coordinator (rolling-restart)") for name in BY_TWO_MOVES),
    }
    assert several_lose(section) == {"1 leader move + 2 shutdowns (rolling-restart)"}


BY_TWO_MOVES = ("all_or_nothing", "no_aborted_read", "no_commit_lost", "zombie_fenced", "nothing_hangs")


def test_a_coordinator_that_moves_twice_tears_though_its_log_keeps_what_is_acknowledged(surviving: Asking) -> None:
    """It reads beyond the high watermark, and acts on it (TransactionStateManager.loadTransactionMetadata)."""
    section = only(surviving("planned-reassignment", "4.4.0", TV2, producer=APP, broker=BROKER), "transactions")
    assert section.verdict == Verdict.VIOLATED
    assert happening(section) == {(name, "2 moves of the coordinator (planned-reassignment)") for name in BY_TWO_MOVES}
    assert several_lose(section) == set()


def test_of_two_replicas_both_have_what_is_last_in_the_coordinators_log(surviving: Asking) -> None:
    """Unless one loses power, and with it what was not flushed."""
    two = f"{BROKER}transaction.state.log.replication.factor=2\n"
    section = only(surviving("rolling-restart", "4.4.0", TV2, producer=APP, broker=two), "transactions")
    assert (section.verdict, happening(section)) == (Verdict.HOLDS, set())
    asked = [one.ask for one in section.decided if one.ask.counts == {"coordinator_moves": 2}]
    assert {ask.model.settings["reads_to_log_end"] for ask in asked} == {0}


def test_one_fault_of_a_broker_is_asked_as_ever(surviving: Asking) -> None:
    """A zone of three has one replica of a partition: its loss is one power loss. A client's crash is nothing to a broker."""
    for event, said in (("pod-kill,node-loss", TV2), ("az-loss", f"{TV2},zones=3")):
        section = only(surviving(event, "4.4.0", said, producer=APP, broker=BROKER), "transactions")
        assert (section.verdict, section.case.several) == (Verdict.HOLDS, ())
    section = only(surviving("az-loss", "4.4.0", TV2, producer=APP, broker=BROKER), "transactions")
    assert several_lose(section) == {"3 power losses (az-loss)"}


def test_a_group_skips_nothing_by_an_offset_that_is_lost_unless_it_then_begins_at_the_end(surviving: Asking) -> None:
    for reset, verdict, skipped in (
        ("earliest", Verdict.HOLDS, set[tuple[str, str]]()),
        ("latest", Verdict.VIOLATED, {("none_skipped", "1 offset lost from the coordinator's log + 1 later member")}),
    ):
        texts = {"consumer": CONSUMER.format("false", reset), "broker": BROKER}
        section = only(surviving("rolling-restart", "4.4.0", "elr=on,commit=sync", **texts), "groups")
        assert (section.verdict, happening(section)) == (verdict, skipped)
        assert several_lose(section) == {"1 leader move + 2 shutdowns (rolling-restart)"}
    kept = {"consumer": CONSUMER.format("false", "latest"), "broker": f"{BROKER}offsets.topic.replication.factor=2\n"}
    section = only(surviving("rolling-restart", "4.4.0", "elr=on,commit=sync", **kept), "groups")
    assert (section.verdict, several_lose(section)) == (Verdict.HOLDS, set())


def test_offsets_in_a_transaction_must_not_be_lost_at_all(surviving: Asking) -> None:
    texts = {"consumer": CONSUMER.format("false", "earliest"), "broker": BROKER, "producer": APP}
    said = f"{TV2},commit=transaction"
    section = only(surviving("rolling-restart", "4.4.0", said, **texts), "groups")
    assert happening(section) == {("acked_never_lost", "1 leader move + 2 shutdowns (rolling-restart)")}


def test_offsets_in_a_transaction_must_not_go_back_when_the_coordinator_moves(surviving: Asking) -> None:
    """KAFKA-20634: an offset that was acknowledged is truncated, its transaction is committed, and the output is written again."""
    texts = {"consumer": CONSUMER.format("false", "earliest"), "broker": BROKER, "producer": APP}
    moved = {("never_back", "1 move of the coordinator")}
    for release, found in (("4.2.0", moved), ("4.2.2", set[tuple[str, str]]())):
        section = only(surviving("pod-kill", release, f"{TV2},commit=transaction", **texts), "groups")
        assert happening(section) == found


def test_offsets_in_a_transaction_go_back_where_a_partition_that_is_taken_passes_for_given_up(asking: Asking) -> None:
    """Two members have the partition, and the coordinator accepts the offsets of both: the output is written twice."""
    taken = ("never_back", "1 orderly close + 1 failed heartbeat")
    for protocol, release, found in (("consumer", "4.3.1", True), ("classic", "4.3.1", False)):
        consumer = CONSUMER.format("false", "earliest") + f"group.protocol={protocol}\n"
        texts = {"consumer": consumer, "broker": BROKER, "producer": APP}
        section = only(asking(release, f"{TV2},commit=transaction", **texts), "groups")
        assert (section.verdict == Verdict.VIOLATED, taken in happening(section)) == (found, found)
        if found:
            (fix,) = (fix for danger, fix in section.fixes.items() if danger.property == "never_back")
            assert "set group.protocol=classic" in str(fix)


def test_offsets_in_a_transaction_go_back_where_a_member_joins_again_in_the_background(asking: Asking) -> None:
    """KIP-848: `groupMetadata()` has the new epoch by then, and the coordinator does not ask who owns the partition."""
    for protocol, release in (("consumer", "4.1.1"), ("consumer", "4.3.1"), ("classic", "4.3.1")):
        consumer = CONSUMER.format("false", "earliest") + f"group.protocol={protocol}\n"
        texts = {"consumer": consumer, "broker": BROKER, "producer": APP}
        section = only(asking(release, f"{TV2},commit=transaction", "1 timeout of a member", **texts), "groups")
        found = {("never_back", "1 timeout of a member")} if protocol == "consumer" else set[tuple[str, str]]()
        assert {one for one in happening(section) if one[0] == "never_back"} == found
        fixes = [fix for danger, fix in section.fixes.items() if danger.property == "never_back"]
        assert ["set group.protocol=classic" in str(fix) for fix in fixes] == [True] * len(found)


def test_how_a_topic_of_the_coordinator_is_made_must_be_known(surviving: Asking) -> None:
    section = only(surviving("rolling-restart", "4.4.0", TV2, producer=APP), "transactions")
    assert (section.verdict, several_lose(section)) == (Verdict.UNDECIDED, set())
    assert section.case.left_open == "no file says how brokers create __transaction_state: add a broker's file"
    assert only(surviving("pod-kill", "4.4.0", TV2, producer=APP), "transactions").verdict == Verdict.HOLDS


def test_a_topic_of_the_coordinator_that_is_described_counts_as_it_is(surviving: Asking) -> None:
    """It was made with two replicas before brokers said three."""
    row = "Topic: __consumer_offsets\tPartitionCount: 1\tReplicationFactor: {}\tConfigs: min.insync.replicas=2\n"
    for replicas, lost in ((2, False), (3, True)):
        texts = {"consumer": CONSUMER.format("false", "latest"), "broker": BROKER, "topics": row.format(replicas)}
        section = only(surviving("rolling-restart", "4.4.0", "elr=on,commit=sync", **texts), "groups")
        assert bool(several_lose(section)) == lost


@pytest.mark.parametrize("event", ["rolling-restart", "planned-reassignment", "az-loss"])
def test_a_section_says_of_its_topic_what_an_audit_says_that_has_it_described(
    surviving: Asking, store: Path, tmp_path: Path, event: str
) -> None:
    for replicas in (2, 3):
        brokers = f"{BROKER}transaction.state.log.replication.factor={replicas}\n"
        section = only(surviving(event, "4.4.0", TV2, producer=APP, broker=brokers), "transactions")
        configs = "min.insync.replicas=2,unclean.leader.election.enable=false"
        described = (
            f"Topic: __transaction_state\tPartitionCount: 1\tReplicationFactor: {replicas}\tConfigs: {configs}\n"
        )
        (tmp_path / "described").mkdir(exist_ok=True)
        for name, text in (("topics", described), ("broker.properties", BROKER)):
            (tmp_path / "described" / name).write_text(text, encoding="utf-8")
        (topic,) = read_all([str(tmp_path / "described")], kafka_version="4.4.0", assume="elr=on").deployments
        found = examine_readings(topic, tolerance_of(None, event), Study(Answers(store), Limits())).examination
        lost = {one.danger.property for one in found.violated}
        assert ("acked_never_lost" in lost) == bool(several_lose(section)), replicas


def test_a_topic_of_the_coordinator_that_cannot_be_audited_leaves_its_section_open(tmp_path: Path, store: Path) -> None:
    """Brokers that differ are refused, unless a topic has a value of its own: what is audited has one, __consumer_offsets has none."""
    broker = "All configs for broker {} are:\n  min.insync.replicas={} sensitive=false synonyms={{{}:min.insync.replicas={}}}\n"
    texts = {
        "one": broker.format(1, 2, "STATIC_BROKER_CONFIG", 2),
        "two": broker.format(2, 1, "DEFAULT_CONFIG", 1),
        "topics": "Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "a.properties").write_text(CONSUMER.format("false", "earliest"), encoding="utf-8")
    found = read_all(
        [str(path) for path in sorted(tmp_path.iterdir()) if path.is_file()],
        kafka_version="4.3.1",
        assume="elr=on,commit=sync",
    )
    section = only(sections_of(read_of(found, {}), Study(Answers(store), Limits())), "groups")
    assert section.verdict == Verdict.UNDECIDED
    assert section.case.left_open.startswith("__consumer_offsets: ")
    assert "min.insync.replicas: broker 2 has '1'" in section.case.left_open


def test_a_verdict_says_what_it_rests_on_that_the_log_of_the_coordinator_is_kept(surviving: Asking) -> None:
    of_log = "for __consumer_offsets no exchange is delayed and the controllers lose no decision"
    of_several = "__consumer_offsets loses no record by several faults together, such as a rolling restart"
    for event, reset, said in (
        ("pod-kill", "latest", {of_log, of_several}),
        ("planned-reassignment", "latest", {of_log}),
        ("planned-reassignment", "earliest", set[str]()),
    ):
        texts = {"consumer": CONSUMER.format("false", reset), "broker": BROKER}
        section = only(surviving(event, "4.4.0", "elr=on,commit=sync", **texts), "groups")
        assert section.verdict == Verdict.HOLDS
        assert {of_log, of_several} & set(section.assumes) == said, (event, reset)


def test_what_a_cut_search_may_make_possible_is_open(tmp_path: Path, store: Path) -> None:
    """Whether the rolling restart takes the offset is not known after so few states: then nobody knows whether the group skips."""
    texts = {"consumer": CONSUMER.format("false", "latest"), "broker": BROKER}
    found = read_all(written(tmp_path, texts), kafka_version="4.4.0", assume="elr=on,commit=sync")
    tolerance = tolerance_of(None, "rolling-restart")
    assert tolerance is not None
    read = replace(read_of(found, {}), survived=tolerance.named)
    section = only(sections_of(read, Study(Answers(store / "few"), Limits(states=200_000))), "groups")
    log = {one.ask.with_what: one.verdict for one in section.decided if one.ask.danger.name == "commit lost"}
    assert log["1 leader move + 2 shutdowns (rolling-restart)"] == Verdict.UNDECIDED
    assert (section.verdict, happening(section)) == (Verdict.UNDECIDED, set())


def test_whether_eligible_leader_replicas_are_on_counts_for_offsets_too(asking: Asking) -> None:
    """Without them, the last replica in sync is elected though it comes back with an empty disk."""
    texts = {"consumer": CONSUMER.format("false", "latest"), "broker": BROKER}
    for said, verdict in (("elr=on", Verdict.HOLDS), ("elr=off", Verdict.VIOLATED)):
        assert only(asking("4.3.1", f"{said},commit=sync", **texts), "groups").verdict == verdict
    assert only(asking("4.3.1", "commit=sync", **texts), "groups").verdict == Verdict.VIOLATED


def test_what_several_faults_lose_is_in_every_format(audit: Run, tmp_path: Path) -> None:
    for name, text in (("producer", APP), ("broker", BROKER)):
        (tmp_path / f"{name}.properties").write_text(text, encoding="utf-8")
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    given = (*paths, "--kafka-version", "4.4.0", "--assume", TV2, "--survive", "rolling-restart")
    code, out, _ = audit(*given, "--json", str(tmp_path / "a.json"), "--html", str(tmp_path / "a.html"))
    assert code == 1
    lost = "__transaction_state can lose what it has acknowledged with 1 leader move + 2 shutdowns (rolling-restart)."
    assert lost in " ".join(out.split())
    (section,) = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["sections"]
    assert section["several"] == ["rolling-restart"]
    happens = [one for one in section["findings"] if one["tolerated"] and one["verdict"] == "violated"]
    (found,) = [one for one in happens if one["property"] == "acked_never_lost"]
    assert "--leader-moves 1 --shutdowns 2 --property acked_never_lost" in " ".join(found["command"])
    assert lost in (tmp_path / "a.html").read_text(encoding="utf-8")
    for form, words in (
        ("sarif", "transactions/acked_never_lost"),
        ("junit", "1 leader move + 2 shutdowns (rolling-restart)"),
        ("github", "1 leader move + 2 shutdowns (rolling-restart)"),
        ("markdown", "1 leader move + 2 shutdowns (rolling-restart)"),
    ):
        assert words in audit(*given, "--format", form)[1], form


def test_what_is_said_of_a_family_that_is_not_asked_is_refused(asking: Asking) -> None:
    with pytest.raises(NeverlostError, match="unanswered=closes goes with no reading"):
        asking("4.3.1", "unanswered=closes", consumer=CONSUMER.format("true", "latest"), broker=BROKER)
    with pytest.raises(NeverlostError, match="no question about quorum"):
        asking("4.3.1", None, "1 quorum crash", broker=BROKER)


def test_controllers_of_two_quorums_are_refused(asking: Asking) -> None:
    other = CONTROLLER.replace("3@c:1", "3@d:1")
    with pytest.raises(ConfigurationError, match="other controllers"):
        asking("3.9.1", controller=CONTROLLER, second_controller=other)


def test_the_names_of_open_points_are_of_one_family_each() -> None:
    names = [
        point.name for inquiry in inquiries().values() for point in inquiry.points if point.name not in ALTERNATIVES
    ]
    assert len(names) == len(set(names))


def test_a_controller_that_sets_defaults_of_topics_counts_for_them(tmp_path: Path) -> None:
    for text, alone in ((CONTROLLER, True), (f"{CONTROLLER}min.insync.replicas=1\n", False)):
        path = tmp_path / "controller.properties"
        path.write_text(text, encoding="utf-8")
        (file,) = read_all([str(path)], kafka_version="3.9.1").files
        assert controls_only(file) == alone


@pytest.fixture
def audit(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(ROOT)

    def run(*arguments: str) -> tuple[int, str, str]:
        return running(capsys, "audit")("--store", str(store), *arguments)

    return run


def test_controllers_alone_are_audited_in_every_format(audit: Run, tmp_path: Path) -> None:
    path = "examples/audit/controllers/controller.properties"
    said = ("--kafka-version", "3.9.1", "--assume", "formatted-starts=at-once", "--tolerate", "1 quorum disk loss")
    code, out, _ = audit(path, *said, "--json", str(tmp_path / "a.json"), "--html", str(tmp_path / "a.html"))
    assert code == 1
    assert out.startswith(
        "NOT SAFE (controllers' quorum of examples/audit/controllers/controller.properties: NOT SAFE)."
    )
    assert "Not asked: consumer group (no file is of a consumer)" in out
    values = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert (values["version"], values["classes"]) == (None, [])
    (section,) = values["sections"]
    assert section["verdict"] == "violated"
    assert "two controllers lead one epoch" in (tmp_path / "a.html").read_text(encoding="utf-8")
    for form, word in (("sarif", "quorum/one_leader_per_epoch"), ("junit", "two leaders"), ("github", "::error")):
        assert word in audit(path, *said, "--format", form)[1]
    assert "### Controllers" in audit(path, *said, "--format", "markdown")[1]


def test_a_new_finding_of_a_section_is_worse_than_the_baseline(audit: Run, tmp_path: Path) -> None:
    for name, commit in (("old", "false"), ("new", "true")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "consumer.properties").write_text(CONSUMER.format(commit, "earliest"), encoding="utf-8")
        (tmp_path / name / "broker.properties").write_text(BROKER, encoding="utf-8")
    said = ("--kafka-version", "4.3.1", "--assume", "elr=on,commit=sync,client=java", "--tolerate", "1 leader move")
    code, out, _ = audit(str(tmp_path / "new"), *said, "--baseline", str(tmp_path / "old"), "--quiet")
    assert code == 1
    assert "new: a record is skipped, and nobody processes it, with 1 failed record (consumer group of" in " ".join(
        out.split()
    )


def test_a_consumer_that_has_a_section_is_not_asked_about_with_topics_too(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "consumer.properties").write_text(CONSUMER.format("true", "earliest"), encoding="utf-8")
    (tmp_path / "broker.properties").write_text(BROKER, encoding="utf-8")
    said = (str(tmp_path), "--kafka-version", "4.3.1", "--assume", "elr=on,commit=sync,client=java", "--quiet")
    _, out, _ = audit(*said)
    topics, _, group = out.partition("Consumer group:")
    assert "skipped, no rebalance" not in topics
    assert "skipped by the group" in group
    _, out, _ = audit(*said, "--tolerate", "2 consumer crashes")
    assert "skipped, no rebalance" in out.partition("Consumer group:")[0]


def test_what_nobody_promises_is_compared_with_the_baseline_and_makes_nothing_worse(audit: Run, tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "broker.properties").write_text(BROKER, encoding="utf-8")
    (tmp_path / "new" / "consumer.properties").write_text(CONSUMER.format("false", "earliest"), encoding="utf-8")
    said = (
        "--kafka-version",
        "4.3.1",
        "--assume",
        "elr=on,commit=sync,client=java",
        "--json",
        str(tmp_path / "a.json"),
    )
    code, out, err = audit(str(tmp_path / "new"), *said, "--baseline", str(tmp_path / "old"), "--quiet")
    assert (code, err, out.startswith("NOT WORSE")) == (0, "", True)
    expected = "new: a record is processed twice, with 1 consumer crash or 1 timeout of a member, not counted"
    assert expected in " ".join(out.split())
    assert "HAPPENS in 10 steps, not counted" in out
    compared = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["baseline"]["sections"]
    assert {(one["change"], one["tolerated"]) for one in compared} == {("new", False)}
    said = ("--kafka-version", "4.3.1", "--assume", "elr=on,client=java")
    code, out, _ = audit(str(tmp_path / "old"), *said, "--baseline", str(tmp_path / "new"), "--quiet")
    assert code == 3
    assert "open: a record is processed twice" in out
    assert "open: no file leads to consumer group of" in out


def test_a_finding_of_a_section_whose_search_was_cut_short_is_not_gone(asking: Asking) -> None:
    consumer = CONSUMER.format("true", "earliest")
    found = asking("4.3.1", "processing=poll", consumer=consumer, broker=BROKER)
    section = only(found, "groups")
    cut_short = [
        replace(one, answer=replace(one.answer, verdict=Verdict.UNDECIDED, trace=None))
        if one.verdict == Verdict.VIOLATED
        else one
        for one in section.decided
    ]
    case = replace(section.examined, verdict=Verdict.UNDECIDED)
    later = Sections(asked=[replace(section, decided=cut_short, cases=[case])])
    compared = compare_sections(found, later)
    assert {one.change for one in compared.changes} == {Change.OPEN}
    assert compared.verdict == Verdict.UNDECIDED
    compared = compare_sections(later, found)
    assert {one.change for one in compared.changes} == {Change.OPEN}
    assert compared.verdict == Verdict.VIOLATED


BASE = ("--kafka-version", "4.2.2", "--quiet", "--assume")


def in_folder(folder: Path, **texts: str) -> str:
    """A folder with these files."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.properties").write_text(text, encoding="utf-8")
    return str(folder)


def test_two_moves_of_a_coordinator_are_not_said_to_be_survived(asking: Asking) -> None:
    """TransactionStateManager.loadTransactionMetadata reads beyond the high watermark."""
    section = only(
        asking("4.2.2", TV2, "2 transactions coordinator moves", producer=APP, broker=BROKER), "transactions"
    )
    assert section.verdict == Verdict.VIOLATED
    assert {with_what for _, with_what in happening(section)} == {"2 moves of the coordinator"}


def test_idle_times_that_a_user_names_expire_no_offsets_of_a_group_with_members(asking: Asking) -> None:  # KIP-211
    consumer = CONSUMER.format("false", "latest")
    said = ("4.2.2", "elr=on,commit=sync,client=java", "1 groups later member, 1 groups idle time of a partition")
    section = only(asking(*said, consumer=consumer, broker=BROKER), "groups")
    asked = [one for one in section.decided if one.ask.danger.property == "none_skipped"]
    assert {one.ask.model.settings["expires_in_use"] for one in asked} == {0}
    assert any("what it reads is not lost" in clause for clause in section.assumes)


def test_offsets_that_brokers_delete_are_a_doubt(asking: Asking) -> None:
    topic = "Topic: __consumer_offsets\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: cleanup.policy=delete\n"
    consumer = CONSUMER.format("false", "latest")
    texts = {"consumer": consumer, "broker": BROKER, "described": topic}
    section = only(asking("4.2.2", "elr=on,commit=sync,client=java", **texts), "groups")
    assert [doubt.what for doubt in section.subject.doubts] == ["__consumer_offsets is not only compacted."]


def test_a_second_client_that_gets_worse_is_found_beside_one_that_was_bad_before(audit: Run, tmp_path: Path) -> None:
    bad, good = CONSUMER.format("true", "latest"), CONSUMER.format("false", "earliest")
    old = in_folder(tmp_path / "old", consumer_a=bad, consumer_b=good, broker=BROKER)
    new = in_folder(tmp_path / "new", consumer_a=bad, consumer_b=bad, broker=BROKER)
    said = (*BASE, "elr=on,commit=sync,processing=poll,client=java", "--baseline")
    paths = [f"consumer:{new}/consumer_{name}.properties" for name in "ab"]
    code, out, _ = audit(*paths, f"{new}/broker.properties", *said, old)
    assert (code, "new: a record is skipped" in out) == (1, True)
    assert f"(consumer group of {new}/consumer_b.properties)" in " ".join(out.split())


def test_what_makes_a_section_speak_of_nothing_is_not_called_no_worse(audit: Run, tmp_path: Path) -> None:
    """A consumer that reads what is not committed, and a producer without transactional.id."""
    reader = CONSUMER.format("false", "earliest")
    files = {"producer": APP, "broker": BROKER}
    old = in_folder(tmp_path / "old", consumer=f"{reader}isolation.level=read_committed\n", **files)
    uncommitted = in_folder(tmp_path / "uncommitted", consumer=f"{reader}isolation.level=read_uncommitted\n", **files)
    plain = APP.replace("transactional.id=app", "max.in.flight.requests.per.connection=1")
    without = in_folder(
        tmp_path / "without", consumer=f"{reader}isolation.level=read_committed\n", producer=plain, broker=BROKER
    )
    said = (*BASE, "elr=on,commit=sync,client=java", "--baseline", old)
    code, out, _ = audit(uncommitted, *said)
    assert code == 3
    said_new = " ".join(out.partition("SAFE (")[0].split())
    assert "new warning:" in said_new
    assert "isolation.level: this consumer reads what is not committed" in said_new
    code, out, _ = audit(without, *said)
    assert code == 3
    assert "open: no file leads to exactly-once of" in " ".join(out.split())


@pytest.mark.parametrize(
    ("version", "tickets"),
    [
        ("3.7.0", {"KAFKA-16352", "KAFKA-17507"}),
        # 16352 is fixed in 3.7.1 and 3.8.0.
        pytest.param("3.7.1", {"KAFKA-17507"}, marks=pytest.mark.thorough),
        pytest.param("3.9.0", {"KAFKA-17507"}, marks=pytest.mark.thorough),
        ("3.9.1", set()),  # 17507 is fixed in 3.9.1 and 4.0.0
    ],
)
def test_a_verdict_on_transactions_assumes_that_bugs_which_the_model_does_not_have_do_not_happen(
    asking: Asking, version: str, tickets: set[str]
) -> None:
    section = only(asking(version, "transaction-client=0", producer=APP, broker=BROKER), "transactions")
    said = " ".join(section.assumes)
    assert {ticket for ticket in ("KAFKA-16352", "KAFKA-17507") if ticket in said} == tickets


def test_offsets_in_a_transaction_are_asked_as_if_processing_and_commit_were_one_step(
    tmp_path: Path,
) -> None:  # KIP-447
    """Without a transactional producer's file nothing asks whether offsets and records end together: then it stays open."""
    groups = next(inquiry for inquiry in inquiries().values() if inquiry.family == "groups")

    def case_of(assume: str, **texts: str) -> GroupsCase:
        for name, text in texts.items():
            (tmp_path / f"{name}.properties").write_text(text, encoding="utf-8")
        paths = [str(tmp_path / f"{name}.properties") for name in texts]
        (subject,) = groups.subjects(read_of(read_all(paths, kafka_version="4.3.1", assume=assume), {}))
        case = subject.cases[0]
        assert isinstance(case, GroupsCase)
        return case

    consumer = CONSUMER.format("false", "earliest")
    alone = case_of("commit=transaction", consumer=consumer, broker=BROKER)
    assert any("nothing asks whether its transactions are torn" in what for what in alone.lacks)
    both = case_of("commit=transaction", consumer=consumer, broker=BROKER, producer=APP)
    assert (both.lacks, both.commit) == ((), "transaction")
    asked = {(ask.danger.property, ask.with_what, ask.usual) for ask in both.asks}
    of_sync = {
        (a.danger.property, a.with_what, a.usual) for a in case_of("commit=sync", consumer=consumer, broker=BROKER).asks
    }
    assert {one for one in of_sync if one[0] == "none_skipped"} == {one for one in asked if one[0] == "none_skipped"}
    assert not {one[0] for one in asked} & {"none_repeated"}
    expelled, taken = "1 timeout of a member", "1 orderly close + 1 failed heartbeat"
    assert {one[1] for one in asked if one[0] == "never_back"} == {expelled, taken}
    assert any("end together, which exactly-once is asked about" in one for one in groups.assumed_of(both))
