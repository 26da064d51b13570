"""The rows of the tables of an audit: what each tone means."""

from __future__ import annotations

BAD, BEYOND, GOOD, OPEN = "bad", "beyond", "good", "open"
ROW_STYLES = {BAD: "red", BEYOND: "yellow", GOOD: "", OPEN: ""}
