"""Compares what the tests of docs/upstream did on a released Kafka with what the reports there say; `make upstream` does this.

A report has a table of the tests that fail, each with its message. Those fail with that message, and all other tests pass: anything
else is printed, and the exit code is 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

FOLDER = Path(__file__).parents[1] / "docs" / "upstream"
TESTS = FOLDER / "tests" / "src" / "test" / "java"
RESULTS = FOLDER / "tests" / "target" / "surefire-reports"
CLASS = re.compile(r"\]\(tests/src/test/java/([\w/]+)\.java\)")
ROW = re.compile(r"^\| `(\w+)` \| `(.+)` \|$", re.MULTILINE)

Outcomes = Mapping[str, str | None]
"""By the names of tests, `package.Class.method`: the message of a test that fails, or None for one that passes."""


def reports() -> list[Path]:
    """The pages that report a loss."""
    return sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md")


def classes_of(page: str) -> list[str]:
    """The test classes that a page links to."""
    return sorted({path.replace("/", ".") for path in CLASS.findall(page)})


def expected(pages: Iterable[str]) -> dict[str, str]:
    """The message of every test that fails, as the pages have it. Raises ValueError if a page is not about one test class."""
    found = {}
    for page in pages:
        classes = classes_of(page)
        if len(classes) != 1:
            raise ValueError(f"a report has one test class, not {classes}")
        found.update({f"{classes[0]}.{test}": message for test, message in ROW.findall(page)})
    return found


def observed(results: Iterable[str]) -> dict[str, str | None]:
    """What the tests did, from surefire's files."""
    found: dict[str, str | None] = {}
    for result in results:
        for case in ET.fromstring(result).iter("testcase"):
            failed = next((part for part in case if part.tag in ("failure", "error", "skipped")), None)
            message = None if failed is None else failed.get("message") or failed.tag
            found[f"{case.get('classname')}.{case.get('name')}"] = message
    return found


def differences(said: Mapping[str, str], did: Outcomes) -> list[str]:
    """What tests did other than the reports say, in words."""
    missing = [f"{test}: a report says that it fails, and it did not run" for test in said if test not in did]
    return missing + [
        f"{test}\n    report: {said.get(test, 'passes')}\n    test:   {'passes' if message is None else message}"
        for test, message in sorted(did.items())
        if said.get(test) != message
    ]


def main() -> int:
    """Compare, and say what differs."""
    said = expected(page.read_text(encoding="utf-8") for page in reports())
    did = observed(file.read_text(encoding="utf-8") for file in sorted(RESULTS.glob("TEST-*.xml")))
    found = differences(said, did)
    print(
        "\n".join(found)
        or f"{len(said)} tests fail with the messages of their reports, and {len(did) - len(said)} pass"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
