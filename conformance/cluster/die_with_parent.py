"""Becomes the command that is named, which ends as soon as whoever started it ends, however that comes. Linux only: prctl(2).

python die_with_parent.py PARENT COMMAND...
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(sys.argv[1]):
        sys.exit("the parent has ended already")
    os.execv(sys.argv[2], sys.argv[2:])
