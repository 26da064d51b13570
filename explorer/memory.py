"""How much memory the process holds."""

from __future__ import annotations

import errno
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
