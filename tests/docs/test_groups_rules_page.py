"""What the page on the rules of consumer groups says that searches find now is what they find."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_options import asked

from neverlost.explorer.search import explore
from neverlost.spec.families import profiles

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "groups-rules.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"`(kafka-groups-\S+)((?: --\S+(?: \w\S*)?)+)`, ([^|]*) \| [^|]* \| ([^|]*) \|$", PAGE, flags=re.MULTILINE
)


def test_every_correction_has_a_row() -> None:
    assert len(ROWS) == len(re.findall(r"^\| .*\| `kafka-groups-", PAGE, flags=re.MULTILINE)) == 20


@pytest.mark.parametrize(("version", "options", "properties", "verdict"), ROWS)
def test_a_row_is_what_searches_find(version: str, options: str, properties: str, verdict: str) -> None:
    names = re.findall(r"`(\w+)`", properties)
    result = explore(profiles()[version].model(**asked(options)), until="each", properties=names)
    traces = [result.findings[name].trace for name in names]
    lengths = [str(len(trace) - 1) for trace in traces if trace is not None]
    assert verdict == (f"violated, {' and '.join(lengths)} steps" if lengths else "holds")
    assert len(lengths) in (0, len(names))
