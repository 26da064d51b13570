"""How much memory the process holds."""

from __future__ import annotations

import resource
import sys


def resident_bytes() -> int:
    """The memory that the process holds now; its peak where the system does not tell."""
    return _told("VmRSS") or _peak_of_usage()


def peak_bytes() -> int:
    """The most memory that the process has held.

    Asked of the system's status page first: the figure of `getrusage` begins at what the parent held when it started this process.
    """
    return _told("VmHWM") or _peak_of_usage()


def _told(name: str) -> int | None:
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith(name)), None)
    except OSError:
        return None


def _peak_of_usage() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
