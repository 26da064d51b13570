"""A search in a folder, in a process that a test can kill.

python tests/support/stored_search.py FOLDER WORKERS      search for as long as it takes, or until killed
"""

from __future__ import annotations

import sys
from pathlib import Path

from neverlost.explorer.stores import explore
from neverlost.spec.published.profiles import KIP_320

MODEL = KIP_320.bounded(replicas=3, log_size=2, records=2, leader_epochs=3)

if __name__ == "__main__":
    explore(MODEL, Path(sys.argv[1]), workers=int(sys.argv[2]), until="all")
