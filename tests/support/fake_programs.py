"""Programs that stand in for Java and Maven, so that what goes wrong with them can be tested without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def program(path: Path, script: str) -> None:
    """Write a shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def fake_java(folder: Path, monkeypatch: pytest.MonkeyPatch, *, says: str, version: str = "17.0.15") -> None:
    """From now on Java is a program that says something, and ends with 1."""
    script = f"""[ "$1" = -version ] && {{ echo 'openjdk version "{version}"' >&2; exit 0; }}\necho '{says}'\nexit 1"""
    program(folder / "java" / "bin" / "java", script)
    monkeypatch.setenv("JAVA_HOME", str(folder / "java"))


def fake_maven(folder: Path, monkeypatch: pytest.MonkeyPatch, *, jars: list[Path], says: str = "") -> None:
    """From now on Maven is a program that finds these jars, or fails if there are none."""
    script = f"""printf '%s\\n' '{says}'"""
    found = os.pathsep.join(map(str, jars))
    script += (
        f"""\nfor word; do case $word in -Dmdep.outputFile=*) printf '%s\\n' '{found}' > "${{word#*=}}";; esac; done"""
    )
    program(folder / "maven" / "mvn", script if jars else "echo '[ERROR] no such artefact'\nexit 1")
    monkeypatch.setenv("PATH", f"{folder / 'maven'}{os.pathsep}{os.environ['PATH']}")
