"""Each report for Kafka's developers has a test, each test a report; and what tests did is compared with what reports say."""

from __future__ import annotations

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from markdown_links import links_of
from shell_blocks import ROOT


def upstream_tool() -> Any:
    spec = spec_from_file_location("upstream_tests", ROOT / "tools" / "upstream_tests.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["upstream_tests"] = module
    spec.loader.exec_module(module)
    return module


TOOL = upstream_tool()
TESTED = re.compile(r"@Test\n +void (\w+)\(")
PAGE = "[`LossTest`](tests/src/test/java/a/LossTest.java)\n\n| `isKept` | `expected: <1> but was: <0>` |\n"
FAILED = '<testcase name="isKept" classname="a.LossTest"><failure message="expected: &lt;1&gt; but was: &lt;0&gt;"/></testcase>'
PASSED = '<testcase name="isKept" classname="a.LossTest"/>'
BROKEN = '<testcase name="isKept" classname="a.LossTest"><error type="java.io.IOException"/></testcase>'


@pytest.mark.parametrize("page", TOOL.reports(), ids=lambda page: page.stem)
def test_a_report_names_tests_of_its_class_that_fail(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    (name,) = TOOL.classes_of(text)
    code = (TOOL.TESTS / f"{name.replace('.', '/')}.java").read_text(encoding="utf-8")
    named = {test for test, _ in TOOL.ROW.findall(text)}
    assert named
    assert named <= set(TESTED.findall(code))
    assert f"Report: {page.name}" in code


def test_every_test_class_has_one_report_and_the_index_has_every_report() -> None:
    named = [name for page in TOOL.reports() for name in TOOL.classes_of(page.read_text(encoding="utf-8"))]
    classes = [path.relative_to(TOOL.TESTS).with_suffix("") for path in TOOL.TESTS.rglob("*Test.java")]
    assert sorted(named) == sorted(str(path).replace("/", ".") for path in classes)
    links = links_of((TOOL.FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(link for link in links if "/" not in link) == [page.name for page in TOOL.reports()]


@pytest.mark.parametrize("page", TOOL.reports(), ids=lambda page: page.stem)
def test_a_report_has_the_parts_of_a_report(page: Path) -> None:
    headings = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert headings == [
        "Affected versions",
        "The schedule",
        "The cause",
        "What was seen on brokers",
        "The test",
        "The smallest fix, and what it costs",
        "What is not known",
    ]


@pytest.mark.parametrize(
    ("result", "different"),
    [(FAILED, False), (PASSED, True), (BROKEN, True), (FAILED.replace("0", "2"), True), ("", True)],
)
def test_only_the_failure_that_the_report_shows_is_accepted(result: str, different: bool) -> None:
    did = TOOL.observed([f"<testsuite>{result}</testsuite>"])
    assert bool(TOOL.differences(TOOL.expected([PAGE]), did)) == different


def test_a_failure_that_no_report_has_is_a_difference() -> None:
    did = TOOL.observed([f"<testsuite>{FAILED}{FAILED.replace('isKept', 'other')}</testsuite>"])
    (found,) = TOOL.differences(TOOL.expected([PAGE]), did)
    assert found.startswith("a.LossTest.other\n    report: passes\n")


def test_a_page_about_two_classes_or_none_is_refused() -> None:
    with pytest.raises(ValueError, match="one test class"):
        TOOL.expected([PAGE + PAGE.replace("LossTest", "OtherTest")])
    with pytest.raises(ValueError, match="one test class"):
        TOOL.expected(["no link"])
