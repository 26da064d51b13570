"""The jars of a release: Maven finds and keeps them, and a list in a cache remembers where they are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from .releases import ClusterError, RunnableRelease

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
OLDEST_JAVA = 17


def cache_folder() -> Path:
    """Where lists of jars and shared class data are kept: `$XDG_CACHE_HOME/neverlost/brokers`, below ~/.cache if it is not set."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "neverlost" / "brokers"


def java() -> str:
    """The path of Java 17 or newer. Raises ClusterError that says what is missing."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    where = f"JAVA_HOME={home}" if home else "PATH"
    if found is None:
        raise ClusterError(f"Java is not there ({where}); install Java {OLDEST_JAVA} or newer, real brokers run on it")
    said = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = said.split('"')[1] if said.count('"') >= 2 else ""
    if not version.split(".")[0].isdigit() or int(version.split(".")[0]) < OLDEST_JAVA:
        raise ClusterError(
            f"{found} is Java {version or 'of an unknown version'}; real brokers need {OLDEST_JAVA} here"
        )
    return found


def class_path(release: RunnableRelease, *, progress: Callable[[str], None] = lambda _: None) -> str:
    """The class path of a release, from the cache, or found by Maven, which downloads what is not there yet.

    Maven takes its mirrors from the user's settings. Raises ClusterError if Maven is not there, or does not find a jar.
    """
    kept = cache_folder() / f"{release.version}.classpath"
    if kept.is_file():
        found = kept.read_text(encoding="utf-8")
        if found and all(Path(jar).is_file() for jar in found.split(os.pathsep)):
            return found
    progress(f"Maven finds the jars of Kafka {release.version}; what is not there yet is downloaded")
    maven = shutil.which("mvn")
    if maven is None:
        raise ClusterError("Maven (mvn) is not there; install it, it downloads the brokers' jars")
    with TemporaryDirectory(prefix="neverlost-maven-") as folder:
        target = Path(folder) / "classpath"
        (Path(folder) / "pom.xml").write_text(pom_of(release), encoding="utf-8")
        said = subprocess.run(
            [maven, "-q", "-B", "-C", PLUGIN, "-DincludeScope=runtime", f"-Dmdep.outputFile={target}"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if said.returncode or not target.is_file():
            reason = next((line for line in said.stdout.splitlines() if "ERROR" in line), said.stderr.strip()[-500:])
            raise ClusterError(f"Maven does not find the jars of Kafka {release.version}: {reason}")
        found = target.read_text(encoding="utf-8").strip()
    kept.parent.mkdir(parents=True, exist_ok=True)
    unfinished = kept.with_name(f"{kept.name}.{os.getpid()}")
    unfinished.write_text(found, encoding="utf-8")
    unfinished.replace(kept)
    return found


def pom_of(release: RunnableRelease) -> str:
    """A Maven project that depends on what the release needs."""
    wanted = ""
    for artefact in release.artefacts:
        group, name, version = map(escape, artefact.split(":"))
        wanted += f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version></dependency>"
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>neverlost</groupId><artifactId>brokers</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies>{wanted}</dependencies></project>\n"
    )
