"""Puts links to the checkout where the wheel was installed: an edit is seen by the next run, and by an editor's type checker.

.venv/bin/python tools/develop.py        after `make tools`; `make develop` does both
"""

from __future__ import annotations

import shutil
import sysconfig
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]


def packages() -> dict[str, Path]:
    """Where in the checkout each package of the first level below neverlost lies."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    homes = settings["package-dir"]
    return {name.removeprefix("neverlost."): CHECKOUT / home for name, home in homes.items() if name != "neverlost"}


def link(installed: Path) -> None:
    """Replace the installed package by a folder of links."""
    shutil.rmtree(installed)
    installed.mkdir()
    for entry in sorted((CHECKOUT / "neverlost").iterdir()):
        if entry.name != "__pycache__":
            (installed / entry.name).symlink_to(entry)
    for name, home in packages().items():
        (installed / name).symlink_to(home)
    for record in installed.parent.glob("neverlost-*.dist-info/RECORD"):
        # What is listed there pip removes when it uninstalls, and it would follow the links into the checkout.
        lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
        record.write_text("".join(line for line in lines if not line.startswith("neverlost/")), encoding="utf-8")


if __name__ == "__main__":
    target = Path(sysconfig.get_path("purelib")) / "neverlost"
    if not target.is_dir():
        raise SystemExit(f"{target} is not there: run `make develop`, which installs the wheel first")
    link(target)
    print(f"{target} leads to {CHECKOUT}")
