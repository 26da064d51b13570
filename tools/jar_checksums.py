"""Writes conformance/cluster/jars.sha256: the SHA-256 of every jar of every release that can be run, as Maven finds them now.

Run it after a change of releases.toml, and compare what changed: a jar that was there keeps its checksum.
"""

from __future__ import annotations

import os
from pathlib import Path

from neverlost.conformance.cluster.class_path import CHECKSUMS, found_by_maven, name_of, pom_of, sha256
from neverlost.conformance.cluster.releases import release_named, runnable_releases

TARGET = Path(__file__).parents[1] / "conformance" / "cluster" / CHECKSUMS


def main() -> None:
    """Write the file anew."""
    found = {}
    for version in runnable_releases():
        release = release_named(version)
        for jar in found_by_maven(release, pom_of(release), progress=print).split(os.pathsep):
            found[name_of(jar)] = sha256(jar)
    TARGET.write_text("".join(f"{found[name]}  {name}\n" for name in sorted(found)), encoding="ascii")


if __name__ == "__main__":
    main()
