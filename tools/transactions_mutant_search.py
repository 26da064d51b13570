"""Finds out which case of a suite refuses each mistake of the in-process transactions, and writes the table. Takes minutes."""

from __future__ import annotations

from mutants.transactions_outcomes import search, write


def main() -> None:
    """Search, and write."""
    write(search())


if __name__ == "__main__":
    main()
