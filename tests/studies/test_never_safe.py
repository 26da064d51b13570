"""Files that were once called SAFE and are not: each kind of them, and why it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Run, running

FAULTS = Path(__file__).with_name("faults")
NOT_SAFE, REFUSED = 1, 2
JUDGED = {
    "dynamic-default-ignored": ((".",), "4.1.0", NOT_SAFE, "min.insync.replicas=1"),
    "connect-topic-creation": ((".",), "4.1.0", NOT_SAFE, "1 replica,"),
    "elr-metadata-version": ((".",), None, NOT_SAFE, "Kafka 4.1.0, the Java client"),
    "strimzi-label-pause/no-label": (("no-label.yaml",), None, REFUSED, "has no label strimzi.io/cluster"),
    "strimzi-label-pause/paused": (("paused.yaml",), None, REFUSED, "pause-reconciliation"),
    "no-version-assumes-the-safe-one": ((".",), None, NOT_SAFE, "NOT SAFE in every case"),
    "image-default-tag/compose": (("compose.yml",), None, NOT_SAFE, "Kafka 3.6"),
    "image-default-tag/bitnamilegacy-latest": (("bitnamilegacy-latest.yml",), None, NOT_SAFE, "Kafka 4.0"),
    "client-older-than-brokers": ((".",), "4.1.0", NOT_SAFE, "a Java client of 2.1 to 3.1"),
    "spring-profile-file": ((".",), "4.1.0", REFUSED, "the file of profile prod"),
    "log-dirs-tmp": ((".",), "4.1.0", REFUSED, "/tmp, which is emptied"),
}
"""The files, the release that is said, the exit code, and what the first lines have to say."""

SAFE_CONTROLLERS = ("--assume", "kraft-version=1,formats=no-initial-controllers")
WITHOUT_OTHER_REASONS = {
    "connect-topic-creation": SAFE_CONTROLLERS,
    "image-default-tag/bitnamilegacy-latest": SAFE_CONTROLLERS,
}
"""What makes the controllers safe, so that the exit code is of the topics, which were called SAFE."""

LONG = "dynamic-default-ignored"
"""Searched for longest, because its files leave the most open."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.thorough] * (name == LONG)) for name in JUDGED])
def test_what_was_falsely_safe_is_not(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run: Run = running(capsys, "audit")
    monkeypatch.setenv("COLUMNS", "100")
    files, release, expected, said = JUDGED[name]
    folder = FAULTS / name.partition("/")[0]
    version = () if release is None else ("--kafka-version", release)
    paths = [str(folder if file == "." else folder / file) for file in files]
    code, out, err = run(*paths, *version, *WITHOUT_OTHER_REASONS.get(name, ()), "--quiet")
    assert code == expected
    assert said in " ".join((out.partition("What may happen")[0] + err).split())


def test_every_folder_of_files_is_judged() -> None:
    assert {folder.name for folder in FAULTS.iterdir()} == {name.partition("/")[0] for name in JUDGED}
