"""Finds out which case of a suite refuses each mistake of an in-process family, and writes the table. Takes minutes.

python tools/suite_mutant_search.py FAMILY
"""

from __future__ import annotations

import sys

from mutants.suite_outcomes import FAMILIES


def main() -> None:
    """Search, and write."""
    FAMILIES[sys.argv[1]].search()


if __name__ == "__main__":
    main()
