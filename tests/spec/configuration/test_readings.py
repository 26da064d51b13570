"""What files leave open: each choice of it is a reading, and none that is possible is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from finalized_features import finalized

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment
from neverlost.spec.configuration.features import ELR_KEY, has_feature
from neverlost.spec.configuration.readings import parse_assumptions

TOPIC = "replication.factor=3\nmin.insync.replicas=2\n"
SETTLED = "acks=all\nenable.idempotence=true\n"


def read(folder: Path, version: str | None = None, assume: str | None = None, **texts: str) -> list[Deployment]:
    """Every reading of these files, by role, that behaves otherwise than those before it."""
    arguments = []
    for role, text in {"topic": TOPIC, "producer": SETTLED, **texts}.items():
        path = folder / f"{role}.conf"
        path.write_text(text, encoding="utf-8")
        arguments.append(f"{role}:{path}")
    found = read_deployment(arguments, kafka_version=version, assume=assume)
    return [found, *found.others]


def opened(readings: list[Deployment], name: str) -> set[str | None]:
    """The values of a name in all readings."""
    return {reading.open.get(name) for one in readings for reading in one.alike}


def test_a_release_that_nobody_says_may_be_each_that_has_the_keys(tmp_path: Path) -> None:
    releases = opened(read(tmp_path), "release")
    assert {"0.11.0.0", "2.0.0", "2.0.1", "2.8.1", "3.9.0", "3.9.1", "4.0.1", "4.3.0"} <= releases
    assert "0.10.2.0" not in releases  # it has no enable.idempotence


@pytest.mark.parametrize(
    ("version", "stands_for"),
    [("4.1.7", {("4.1.2", "4.1.7")}), ("4.1.1", {("4.1.1", None)}), ("2.8", {("2.8.1", None), ("2.8.0", None)})],
)
def test_a_last_number_that_is_not_known_yet_stands_for_the_newest_that_is(
    tmp_path: Path, version: str, stands_for: set[tuple[str, str | None]]
) -> None:
    readings = [reading for one in read(tmp_path, version) for reading in one.alike]
    assert {(reading.chosen.release, reading.chosen.stands_for) for reading in readings} == stands_for


def test_keys_of_one_mode_leave_only_releases_with_it(tmp_path: Path) -> None:
    kraft = opened(read(tmp_path, broker="process.roles=broker\nmin.insync.replicas=2\n"), "release")
    zookeeper = opened(read(tmp_path, broker="zookeeper.connect=a:1\nmin.insync.replicas=2\n"), "release")
    assert "4.3.0" in kraft
    assert not {"2.8.1", "3.0.0"} & kraft
    assert "4.0.1" not in zookeeper
    assert {"2.8.1", "3.9.1"} <= zookeeper


def test_a_release_with_two_modes_is_read_in_both(tmp_path: Path) -> None:
    assert opened(read(tmp_path, "3.9.1"), "mode") == {"KRaft", "ZooKeeper"}
    assert opened(read(tmp_path, "4.1.1"), "mode") == {None}


@pytest.mark.parametrize(
    ("version", "broker", "levels"),
    [
        ("4.1", "", {"on", "off"}),
        ("4.0.1", "", {"on", "off"}),
        ("3.9.1", "process.roles=broker\n", {None}),
        ("4.1", finalized(ELR_KEY, "1"), {None}),
        ("4.1", "process.roles=broker\nmetadata.version=4.1-IV1\n", {"on", "off"}),
        ("4.1", "process.roles=broker\nmetadata.version=4.0-IV0\n", {None}),
        ("4.1", "process.roles=broker\nmetadata.version=3.9-IV0\n", {None}),
    ],
)
def test_eligible_leader_replicas_may_be_on_and_off_where_nothing_says_it(
    tmp_path: Path, version: str, broker: str, levels: set[str | None]
) -> None:
    texts = {"broker": broker if "Feature:" in broker else f"min.insync.replicas=2\n{broker}"} if broker else {}
    assert opened(read(tmp_path, version, **texts), "elr") == levels


@pytest.mark.parametrize(
    ("level", "has"),
    [("3.9-IV0", False), ("4.0-IV0", False), ("4.0-IV1", True), ("4.0-IV3", True), ("4.0", True), ("4.1-IV1", True)],
)
def test_eligible_leader_replicas_need_metadata_version_4_0_iv1(level: str, has: bool) -> None:
    assert has_feature(ELR_KEY, level) == has


def test_a_metadata_version_without_them_leaves_them_off(tmp_path: Path) -> None:
    broker = "process.roles=broker\nmin.insync.replicas=2\nmetadata.version=3.9-IV0\n"
    found = read(tmp_path, "4.1", broker=broker)
    assert {one.settings["elr"] for one in found} == {False}


@pytest.mark.parametrize(
    ("version", "producer", "clients"),
    [
        ("4.1", "acks=all\n", {"java", "java-2.8", "librdkafka"}),
        ("3.9.1", "acks=all\n", {"java", "java-2.8", "java-2.0", "librdkafka"}),
        ("2.8.1", "acks=all\n", {"java", "java-2.0", "librdkafka"}),
        ("1.1.1", "acks=all\n", {"java", "java-2.8", "librdkafka"}),
        ("0.10.2.2", "acks=all\n", {"java", "java-2.8"}),
        ("0.9.0.1", "acks=all\n", {None}),
        ("4.1", "acks=all\nkey.serializer=a.B\n", {"java", "java-2.8"}),
        ("3.9.1", "acks=all\ndelivery.timeout.ms=9\nkey.serializer=a.B\n", {"java", "java-2.8"}),
        ("4.1", "acks=all\nsasl.username=a\n", {None}),
    ],
)
def test_the_client_may_be_each_that_has_the_keys_and_that_the_brokers_serve(
    tmp_path: Path, version: str, producer: str, clients: set[str | None]
) -> None:
    assert opened(read(tmp_path, version, producer=producer), "client") == clients


def test_a_clients_key_says_nothing_of_the_brokers_release(tmp_path: Path) -> None:
    newer = f"{SETTLED}metadata.recovery.rebootstrap.trigger.ms=9\n"  # from 4.0 on
    gone = f"{SETTLED}auto.include.jmx.reporter=true\n"  # from 3.4 to 3.9
    plain = opened(read(tmp_path), "release")
    assert opened(read(tmp_path, producer=newer), "release") == plain
    assert opened(read(tmp_path, producer=gone), "release") == plain
    assert opened(read(tmp_path, consumer="enable.auto.commit=false\ngroup.protocol=classic\n"), "release") == plain


def test_a_client_with_keys_that_its_brokers_release_lacks_is_newer_than_they_are(tmp_path: Path) -> None:
    key = "metadata.recovery.rebootstrap.trigger.ms=9\nkey.serializer=a.B\n"
    (found,) = read(tmp_path, "2.8.1", producer=f"acks=all\n{key}")
    assert (found.release, found.reading.java, found.settings["idempotence"]) == ("2.8.1", "4.0", True)


def test_before_2_1_a_newer_client_retries_where_that_of_the_release_does_not(tmp_path: Path) -> None:
    found = read(tmp_path, "2.0.1", producer="acks=all\nkey.serializer=a.B\n")
    assert {(one.settings["retries"], one.settings["idempotence"]) for one in found} == {(0, False), (1, False)}


@pytest.mark.parametrize("version", ["4.1.1", "3.9.1", "3.0.2", "2.8.1"])
def test_a_client_with_keys_of_3_1_may_be_3_1_0_which_is_not_idempotent_by_default(
    tmp_path: Path, version: str
) -> None:
    found = read(tmp_path, version, producer="acks=all\nsasl.login.retry.backoff.ms=9\n")
    assert {one.settings["idempotence"] for one in found} == {True, False}


def test_brokers_that_move_from_zookeeper_to_kraft_are_read_in_both_modes(tmp_path: Path) -> None:
    moving = (
        "zookeeper.connect=a:1\nzookeeper.metadata.migration.enable=true\ncontroller.quorum.voters=1@a:1,2@b:1,3@c:1\n"
    )
    broker = f"min.insync.replicas=2\nlog.dirs=/data\n{moving}"
    assert opened(read(tmp_path, "3.6.2", broker=broker), "mode") == {"KRaft", "ZooKeeper"}
    controller = f"process.roles=controller\n{broker}"
    assert opened(read(tmp_path, "3.6.2", broker=controller), "mode") == {"KRaft", "ZooKeeper"}


def test_keys_of_zookeeper_that_are_left_over_beside_roles_are_not_used(tmp_path: Path) -> None:
    broker = "process.roles=broker\nzookeeper.connect=a:1\nmin.insync.replicas=2\nlog.dirs=/data\n"
    assert {one.mode for one in read(tmp_path, "3.6.2", broker=broker)} == {"KRaft"}


def test_what_every_client_takes_alike_is_one_reading(tmp_path: Path) -> None:
    broker = finalized(ELR_KEY, "1")
    one_at_a_time = "acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\n"
    (found,) = read(tmp_path, "4.1.1", broker=broker, producer=one_at_a_time)
    assert found.settings["idempotence"] is True
    one, *others = read(tmp_path, "4.1.1", broker=broker, producer="acks=all\n")
    assert one.settings["idempotence"] is True
    assert {other.settings["idempotence"] for other in others} == {False}


def test_librdkafka_takes_a_refused_record_for_written_where_partitions_accept_any_first_one(tmp_path: Path) -> None:
    producer = "acks=all\nenable.idempotence=true\n"
    found = {
        version: read(tmp_path, version, "client=librdkafka", producer=producer)[0] for version in ("2.4.1", "2.5.1")
    }
    assert {version: one.settings.get("acks_earlier") for version, one in found.items()} == {
        "2.4.1": None,
        "2.5.1": True,
    }
    for text in (f"{producer}max.in.flight.requests.per.connection=1\n", "acks=all\n"):
        assert "acks_earlier" not in read(tmp_path, "2.5.1", "client=librdkafka", producer=text)[0].settings
    assert "acks_earlier" not in read(tmp_path, "2.5.1", "client=java", producer=producer)[0].settings


@pytest.mark.parametrize(
    ("version", "client", "added", "renumbers"),
    [
        ("2.5.1", "java", "", True),
        ("4.1.1", "java", "", True),
        ("2.4.1", "java", "", False),
        ("4.1.1", "java-2.8", "", True),
        ("4.1.1", "librdkafka", "", False),
        ("4.1.1", "java", "max.in.flight.requests.per.connection=1\n", False),
        ("4.1.1", "java", "transactional.id=payments\n", False),
    ],
    ids=str,
)
def test_javas_idempotent_producer_begins_epochs_from_kip_360_on_unless_it_has_transactions(
    version: str, client: str, added: str, renumbers: bool, tmp_path: Path
) -> None:
    found = read(tmp_path, version, f"client={client}", producer=f"acks=all\nenable.idempotence=true\n{added}")
    assert {one.settings.get("renumbers", False) for one in found} == {renumbers}


def test_a_client_that_is_not_named_may_be_older_where_there_is_no_file_of_it(tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text(TOPIC, encoding="utf-8")
    found = read_deployment([f"topic:{tmp_path / 'topic.properties'}"], kafka_version="3.9.1")
    assert {one.settings["acks"] for one in (found, *found.others)} == {"all", "1"}


def test_what_is_assumed_narrows_the_readings(tmp_path: Path) -> None:
    found = read(tmp_path, "4.1", "elr=off,client=java", producer="acks=all\n")
    assert [one.settings for one in found] == [
        {**found[0].settings, "elr": False, "idempotence": True, "acks": "all"},
    ]


def test_what_goes_with_no_reading_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="mode=ZooKeeper goes with no reading of the files"):
        read(tmp_path, "4.1", "mode=zookeeper")


@pytest.mark.parametrize(
    ("version", "level", "assume"),
    [("4.1", "1", "elr=off"), ("4.1", "0", "elr=on"), ("3.9.1", None, "elr=on")],
)
def test_an_assumption_that_the_files_contradict_is_refused(
    tmp_path: Path, version: str, level: str | None, assume: str
) -> None:
    texts = {} if level is None else {"broker": f"process.roles=broker\neligible.leader.replicas.version={level}\n"}
    with pytest.raises(ConfigurationError, match=f"{assume} goes with no reading of the files"):
        read(tmp_path, version, assume, **texts)


def test_an_assumption_that_the_files_say_too_is_accepted(tmp_path: Path) -> None:
    broker = finalized(ELR_KEY, "1")
    found = read(tmp_path, "4.1", "elr=on", broker=broker)
    assert [one.reading.assumed for one in found] == [{}, {}]


@pytest.mark.parametrize("text", ["elr", "elr=maybe", "release=4.1", "elr=on,elr=off", ""])
def test_what_cannot_be_assumed_is_refused_with_what_can(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"elr=on\|off; client=java"):
        parse_assumptions(text)


@pytest.mark.parametrize(
    ("texts", "unchecked"),
    [
        ({"producer": "acks=all\ntransactional.id=a\n"}, ["transactions"]),
        ({"consumer": "enable.auto.commit=false\nisolation.level=read_committed\n"}, ["transactions"]),
        ({"consumer": "enable.auto.commit=false\nisolation.level=read_uncommitted\n"}, []),
        (
            {"broker": "process.roles=broker\nmin.insync.replicas=2\nlog.dirs=/data/a, /data/b\n"},
            ["several log directories"],
        ),
        ({"broker": "process.roles=broker\nmin.insync.replicas=2\nlog.dirs=/data/a,\n"}, []),
        ({"topic": f"{TOPIC}remote.storage.enable=true\n"}, ["tiered storage"]),
        ({"topic": f"{TOPIC}cleanup.policy=compact,delete\n"}, ["compaction"]),
        ({"topic": f"{TOPIC}cleanup.policy=delete\n"}, []),
        ({"topic": f"{TOPIC}retention.ms=3600000\n"}, ["early deletion"]),
        ({"topic": f"{TOPIC}retention.ms=604800000\n"}, []),
        ({"topic": f"{TOPIC}retention.ms=-1\n"}, []),
        ({"topic": f"{TOPIC}retention.bytes=1\n"}, ["early deletion"]),
        ({"topic": f"{TOPIC}flush.ms=0\n"}, []),
        ({"topic": f"{TOPIC}retention.bytes=-1\n"}, []),
        ({"broker": "min.insync.replicas=2\nlog.dirs=/data\nlog.retention.hours=167\n"}, ["early deletion"]),
        ({"broker": "min.insync.replicas=2\nlog.dirs=/data\nlog.retention.hours=168\n"}, []),
        ({"broker": "min.insync.replicas=2\nlog.dirs=/data\nlog.retention.minutes=10080\n"}, []),
        ({"consumer": "enable.auto.commit=false\nclient.rack=a\n"}, ["reads from followers"]),
        ({"broker": "min.insync.replicas=2\nlog.dirs=/data\ncontroller.quorum.voters=1@a:9093\n"}, ["one controller"]),
        (
            {"broker": "min.insync.replicas=2\nlog.dirs=/data\ncontroller.quorum.voters=1@a:9093,2@b:9093,3@c:9093\n"},
            [],
        ),
    ],
)
def test_what_the_files_have_and_the_model_does_not_is_named(
    tmp_path: Path, texts: dict[str, str], unchecked: list[str]
) -> None:
    found = read(tmp_path, "4.1.1", **texts)
    named = [[notice.unchecked for notice in one.unchecked] for one in found]
    assert named == [unchecked] * len(found)
