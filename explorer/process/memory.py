"""How much memory the process holds, and how much it may hold."""

from __future__ import annotations

import errno
import os
import resource
import sys

LEAST_ADDRESS_SPACE = 512 * 2**20
"""The libraries take 300 MiB of it. With less, NumPy's library ends the process with 1 while loading, and 1 is a verdict."""

NO_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "can't start new thread",
    "Failed to launch worker thread",
    "out of memory",
)
"""Messages of libraries that do not raise MemoryError, but an error of their own."""


PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

SENSIBLE_SHARE = 0.75
"""The share of the memory that is free at the start. The rest is for other processes, and for allocations between two checks."""


def address_space_suffices() -> bool:
    """Whether the process may have the address space that the libraries need."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit == resource.RLIM_INFINITY or limit >= LEAST_ADDRESS_SPACE


def lacks_memory(error: Exception) -> bool:
    """Whether an error was raised because memory ran out."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or any(said in str(error) for said in NO_MEMORY)
    )


def resident_bytes() -> int:
    """The memory that the process holds now; its peak if the system does not report it.

    Searches ask often, so it is read where the system has the least to write.
    """
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE_BYTES
    except OSError:
        return _peak_of_usage()


def peak_bytes() -> int:
    """The most memory that the process has held.

    Read from the system's status file if there is one: the figure of `getrusage` includes the parent's memory at the start.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return _peak_of_usage()


def _peak_of_usage() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def sensible_memory() -> int | None:
    """How much memory the process may use without being killed; None if the system does not report it."""
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
