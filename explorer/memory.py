"""How much memory the process holds, and may hold."""

from __future__ import annotations

import errno
import os
import resource
import sys

LEAST_ADDRESS_SPACE = 512 * 2**20
"""The libraries take 300 MiB of it. With less, NumPy's ends the process while it is loaded, with 1, which would be a verdict."""

NO_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "Failed to launch worker thread",
    "out of memory",
)
"""What libraries say that do not raise MemoryError, each in an error of its own."""


SENSIBLE_SHARE = 0.75
"""Of the memory that is free at the start: the rest is left to others and to what a search allocates between two looks."""


def address_space_suffices() -> bool:
    """May the process have as many addresses as the libraries take?"""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit == resource.RLIM_INFINITY or limit >= LEAST_ADDRESS_SPACE


def lacks_memory(error: Exception) -> bool:
    """Was an error raised for want of memory?"""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or any(said in str(error) for said in NO_MEMORY)
    )


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


def sensible_memory() -> int | None:
    """How much memory the process may use without being killed; None where the system does not tell."""
    free = [amount for amount in (_available(), _control_group()) if amount is not None]
    return int(min(free) * SENSIBLE_SHARE) if free else None


def _available() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None


def _control_group() -> int | None:
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="ascii") as file:
                return int(file.read())
        except (OSError, ValueError):
            continue
    return None
