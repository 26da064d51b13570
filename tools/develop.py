"""Puts a link to the checkout where the wheel was installed: an edit is seen by the next run, and by an editor's type checker.

.venv/bin/python tools/develop.py        after `make tools`; `make develop` does both
"""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "neverlost"


def link(installed: Path) -> None:
    """Replace the installed package by a link."""
    if installed.is_symlink():
        installed.unlink()
    else:
        shutil.rmtree(installed)
    installed.symlink_to(PACKAGE)
    for record in installed.parent.glob("neverlost-*.dist-info/RECORD"):
        # What is listed there pip removes when it uninstalls, and it would follow the link into the checkout.
        lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
        record.write_text("".join(line for line in lines if not line.startswith("neverlost/")), encoding="utf-8")


if __name__ == "__main__":
    target = Path(sysconfig.get_path("purelib")) / "neverlost"
    if not target.is_dir():
        raise SystemExit(f"{target} is not there: run `make develop`, which installs the wheel first")
    link(target)
    print(f"{target} leads to {PACKAGE}")
