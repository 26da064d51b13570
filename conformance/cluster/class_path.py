"""The jars of a release: Maven finds and keeps them, their checksums are compared, and a cache remembers where they are."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from .folders import LockedFolder
from .processes import dying_with_this_process
from .releases import ClusterError, MissingError, RunnableRelease

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
OLDEST_JAVA = 17
INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)
"""How Maven ends if the user interrupts it together with this process."""
CHECKSUMS = "jars.sha256"
"""The checksum of every jar of every release, as `sha256sum` writes it; `tools/jar_checksums.py` makes it."""


def cache_folder() -> Path:
    """Where lists of jars and archives of class data are kept: `$XDG_CACHE_HOME/neverlost/brokers`, below ~/.cache if it is not set."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "neverlost" / "brokers"


def java() -> str:
    """The path of Java 17 or newer. Raises MissingError."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    where = f"JAVA_HOME={home}" if home else "PATH"
    if found is None:
        raise MissingError(f"real brokers need Java, which is not in {where}; install Java {OLDEST_JAVA} or newer")
    said = java_version(found)
    version = said.split('"')[1] if said.count('"') >= 2 else ""
    if not version.split(".")[0].isdigit() or int(version.split(".")[0]) < OLDEST_JAVA:
        raise MissingError(
            f"{found} is Java {version or 'of an unknown version'}, and real brokers need {OLDEST_JAVA} or newer here; install it, "
            "or set JAVA_HOME"
        )
    return found


@cache
def java_version(path: str) -> str:
    """What `java -version` says: the version, and the build."""
    return subprocess.run([path, "-version"], capture_output=True, text=True, check=False).stderr


def class_path(release: RunnableRelease, *, progress: Callable[[str], None] = lambda _: None) -> str:
    """The class path of a release, from the cache, or found by Maven, which downloads what is not there yet.

    Maven takes mirrors and proxies from the user's own settings. Raises MissingError if Maven is not there, or does not find a jar,
    and ClusterError if a jar is not the one whose checksum is known.
    """
    pom = pom_of(release)
    known = checksums()
    made_from = hashlib.sha256(f"{pom}{known}".encode()).hexdigest()[:16]
    kept = cache_folder() / f"{release.version}-{made_from}.classpath"
    if kept.is_file():
        found = kept.read_text(encoding="utf-8")
        if found and all(Path(jar).is_file() for jar in found.split(os.pathsep)):
            return found
    found = found_by_maven(release, pom, progress=progress)
    compare(found.split(os.pathsep), known)
    kept.parent.mkdir(parents=True, exist_ok=True)
    unfinished = kept.with_name(f"{kept.name}.{os.getpid()}")
    unfinished.write_text(found, encoding="utf-8")
    unfinished.replace(kept)
    return found


def found_by_maven(release: RunnableRelease, pom: str, *, progress: Callable[[str], None]) -> str:
    """The class path as Maven makes it from a project; what is not in the local repository is downloaded."""
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingError(
            f"the jars of Kafka {release.version} are downloaded by Maven, and mvn is not in PATH; install Maven"
        )
    progress(f"Maven finds the jars of Kafka {release.version}")
    folder = LockedFolder(f"{release.version}-jars")
    try:
        return _run_maven(maven, release, pom, folder.path, progress)
    finally:
        folder.remove()


def _run_maven(maven: str, release: RunnableRelease, pom: str, folder: Path, progress: Callable[[str], None]) -> str:
    target = folder / "classpath"
    (folder / "pom.xml").write_text(pom, encoding="utf-8")
    command = [maven, "-B", "-C", PLUGIN, "-DincludeScope=runtime", f"-Dmdep.outputFile={target}"]
    lines, downloaded = [], 0
    with subprocess.Popen(
        [*dying_with_this_process(), *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            if "Downloaded from" in line and ".jar" in line:
                downloaded += 1
                progress(f"Maven downloads Kafka {release.version}, jar {downloaded}")
    if process.returncode in INTERRUPTED:
        raise KeyboardInterrupt
    if process.returncode or not target.is_file():
        reason = next((line for line in lines if "ERROR" in line), "\n".join(lines[-3:]))
        raise MissingError(f"Maven does not find the jars of Kafka {release.version}: {reason}")
    return target.read_text(encoding="utf-8").strip()


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


def checksums() -> dict[str, str]:
    """The known SHA-256 of each jar, by its name."""
    rows = (files(__package__) / CHECKSUMS).read_text(encoding="ascii").splitlines()
    return {name: digest for digest, name in (row.split("  ", 1) for row in rows)}


def name_of(jar: str) -> str:
    """How the file of checksums names a jar: artifact, version and file, which is how its path in a Maven repository ends."""
    return "/".join(Path(jar).parts[-3:])


def sha256(jar: str) -> str:
    """The checksum of a jar."""
    return hashlib.sha256(Path(jar).read_bytes()).hexdigest()


def compare(jars: list[str], known: dict[str, str]) -> None:
    """Raises ClusterError that names the jars that are not the known ones."""
    wrong = list(_wrong(jars, known))
    if wrong:
        raise ClusterError(
            "\n  ".join(
                [
                    "these jars are not the ones that neverlost knows; remove them, and they are downloaded again:",
                    *wrong,
                ]
            )
        )


def _wrong(jars: list[str], known: dict[str, str]) -> Iterator[str]:
    for jar in jars:
        wanted = known.get(name_of(jar), "none")
        found = sha256(jar)
        if found != wanted:
            yield f"{jar}: its SHA-256 is {found}, known is {wanted}"
