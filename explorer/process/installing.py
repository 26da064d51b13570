"""How what is missing is installed."""

from __future__ import annotations

import re
import shlex

OF_EXTRA = re.compile(r"""(.+?)\s*;\s*extra == ["']([\w-]+)["']""")


def install_command(extra: str) -> str:
    """The command that installs an extra of neverlost, from its own metadata.

    It names packages, not the extra: no index of packages has neverlost, and what one would offer under this name is not it.
    """
    # Only what is missing is worth this import, which takes a tenth of the start of a command.
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires("neverlost") or []
    except PackageNotFoundError:
        declared = []
    named = [found[1] for line in declared if (found := OF_EXTRA.fullmatch(line)) and found[2] == extra]
    return shlex.join(["pip", "install", *(named or [f".[{extra}]"])])
