"""What real brokers need, and what is said where it is missing, or is not what it should be."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from fake_programs import fake_java, fake_maven

from neverlost.conformance.cluster import class_path as jars
from neverlost.conformance.cluster.class_path import cache_folder, checksums, class_path, java
from neverlost.conformance.cluster.releases import ClusterError, release_named, runnable_releases

RELEASE = release_named("0.10.2.2")


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "repository" / "kafka_2.11" / "0.10.2.2" / "kafka_2.11-0.10.2.2.jar"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"a jar")
    return path


def knowing(monkeypatch: pytest.MonkeyPatch, jar: Path) -> None:
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    monkeypatch.setattr(jars, "checksums", lambda: {"kafka_2.11/0.10.2.2/kafka_2.11-0.10.2.2.jar": digest})


def test_missing_java_is_said_with_where_it_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        ClusterError, match=f"real brokers need Java, which is not in JAVA_HOME={tmp_path}; install Java 17"
    ):
        java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match="Java, which is not in PATH; install Java 17"):
        java()


@pytest.mark.parametrize("version", ["1.8.0_412", "11.0.2"])
def test_an_old_java_is_refused_with_its_version(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, monkeypatch, says="", version=version)
    with pytest.raises(
        ClusterError, match=rf"java is Java {re.escape(version)}, and real brokers need 17 or newer here"
    ):
        java()


def test_missing_maven_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ClusterError, match=r"the jars of Kafka 0.10.2.2 are downloaded by Maven, and mvn is not in PATH"
    ):
        class_path(RELEASE)


def test_what_maven_does_not_find_is_said_in_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_maven(tmp_path, monkeypatch, jars=[])
    with pytest.raises(
        ClusterError, match=r"Maven does not find the jars of Kafka 0.10.2.2: \[ERROR\] no such artefact"
    ):
        class_path(RELEASE)


def test_jars_are_counted_while_maven_downloads_them(
    jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowing(monkeypatch, jar)
    fake_maven(tmp_path, monkeypatch, jars=[jar], says="[INFO] Downloaded from central: https://repo/kafka.jar (5 MB)")
    said: list[str] = []
    assert class_path(RELEASE, progress=said.append) == str(jar)
    assert said == ["Maven finds the jars of Kafka 0.10.2.2", "Maven downloads Kafka 0.10.2.2, jar 1"]


def test_maven_is_asked_once(jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    knowing(monkeypatch, jar)
    fake_maven(tmp_path, monkeypatch, jars=[jar])
    class_path(RELEASE)
    fake_maven(tmp_path, monkeypatch, jars=[])
    assert class_path(RELEASE) == str(jar)


def test_a_jar_with_another_checksum_is_named_and_nothing_is_kept(
    jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_maven(tmp_path, monkeypatch, jars=[jar])
    with pytest.raises(ClusterError, match="not the ones that neverlost knows") as caught:
        class_path(RELEASE)
    known = checksums()["kafka_2.11/0.10.2.2/kafka_2.11-0.10.2.2.jar"]
    found = hashlib.sha256(b"a jar").hexdigest()
    assert f"{jar}: its SHA-256 is {found}, known is {known}" in str(caught.value)
    assert not list(cache_folder().glob("*"))


def test_a_jar_that_nobody_knows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = tmp_path / "stranger" / "1" / "stranger-1.jar"
    stranger.parent.mkdir(parents=True)
    stranger.write_bytes(b"")
    fake_maven(tmp_path, monkeypatch, jars=[stranger])
    with pytest.raises(ClusterError, match=r"stranger-1.jar: its SHA-256 is e3b0c442\w+, known is none"):
        class_path(RELEASE)


def test_every_release_has_the_checksum_of_its_broker() -> None:
    known = checksums()
    for version in runnable_releases():
        for artefact in release_named(version).artefacts:
            _, name, number = artefact.split(":")
            assert re.fullmatch("[0-9a-f]{64}", known[f"{name}/{number}/{name}-{number}.jar"]), artefact
