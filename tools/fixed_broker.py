"""Makes a jar with one class of a release of Kafka, fixed so that leaders forget in every new epoch what they knew of their followers.

    python tools/fixed_broker.py 4.1.1 fixed.jar
    neverlost reproduce loss.json --kafka 4.1.1 --classes fixed.jar

`Replica.resetReplicaState` then takes its argument isNewLeader for true. Why that fixes it: docs/explanation/a-loss-the-model-found.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import zipfile
from pathlib import Path

from neverlost.conformance.cluster.class_path import class_path
from neverlost.conformance.cluster.releases import ClusterError, release_named

CLASSES = ("kafka/cluster/Replica.class", "org/apache/kafka/server/replica/Replica.class")
"""The class in Scala, and from 4.0 on in Java."""

PASSES_IS_NEW_LEADER = bytes.fromhex("15061f150521ba")
"""iload isFollowerInSync, lload currentTimeMs, iload isNewLeader, lload leaderEndOffset, invokedynamic."""

PASSES_TRUE = bytes.fromhex("15061f040021ba")
"""The same with iconst_1 and nop where isNewLeader was loaded."""


def released_class(version: str) -> tuple[str, bytes]:
    """The name and content of the class in the jars of a release. Raises ClusterError if there is none."""
    for jar in class_path(release_named(version)).split(os.pathsep):
        with zipfile.ZipFile(jar) as opened:
            for name in set(CLASSES) & set(opened.namelist()):
                return name, opened.read(name)
    raise ClusterError(f"Kafka {version} has no class Replica that this tool knows")


def fixed(content: bytes) -> bytes:
    """The class with its fix. Raises ClusterError if the place to fix is not there once."""
    if content.count(PASSES_IS_NEW_LEADER) != 1:
        raise ClusterError("the class does not pass isNewLeader on as this tool knows it")
    return content.replace(PASSES_IS_NEW_LEADER, PASSES_TRUE)


def write(version: str, jar: Path) -> str:
    """Write a jar with the fixed class. Returns the name of the class. Raises ClusterError."""
    name, content = released_class(version)
    changed = fixed(content)
    with zipfile.ZipFile(jar, "w") as opened:
        opened.writestr(name, changed)
    return name


def main() -> None:
    """Write the jar, and say so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("jar", type=Path)
    given = parser.parse_args()
    try:
        name = write(given.version, given.jar)
    except ClusterError as error:
        sys.exit(f"{error}")
    print(f"{given.jar}: {name} of Kafka {given.version}, fixed")


if __name__ == "__main__":
    main()
