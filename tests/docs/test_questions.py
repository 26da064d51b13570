"""The pages on public questions have one form, and the table of decision 24 is what audits say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import running
from markdown_links import links_of
from shell_blocks import ROOT

FOLDER = ROOT / "docs" / "questions"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
DECISION = (ROOT / "docs" / "decisions" / "0024-what-a-sane-deployment-survives.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| ([\d., ]+) \| (ZooKeeper|KRaft) \| (no|\*\*yes\*\*) \| (.*?) ?\| (.+) \|$", DECISION, flags=re.MULTILINE
)
CASES = [(release.strip(), *row[1:]) for row in ROWS for release in row[0].split(",")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_its_thread_and_says_what_happens_the_fix_and_what_is_outside(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    title, asked = text.split("\n\n")[:2]
    assert title.endswith("?")
    assert asked.startswith("*Asked in [")
    assert any(link.startswith("https://") for link in links_of(asked))
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings[0].startswith("What happens")
    assert "The fix" in headings
    assert headings[-1] == "Outside of the model"


def test_the_index_has_each_page_once() -> None:
    links = links_of((FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(link for link in links if "/" not in link) == [page.name for page in PAGES]


def steps_of(cell: str) -> dict[str, int]:
    """The steps by the faults that a cell names: `crash + leader move 11, 2 crashes 20`."""
    parts = [part.rsplit(" ", 1) for part in cell.split(", ") if part not in ("", "no other")]
    return {
        " + ".join(fault if fault[0].isdigit() else f"1 {fault}" for fault in faults.split(" + ")): int(steps)
        for faults, steps in parts
    }


def said(table: str, *, beyond: bool) -> dict[str, int]:
    """The steps by the faults in the first rows of an audit's table, those on the loss of acknowledged records."""
    rows = table[table.index("acknowledged, then lost") : table.index("read, then lost")]
    found = re.findall(r"^.{24}(\S.*?) {2,}HAPPENS in (\d+) steps(, beyond tolerance)?$", rows, flags=re.MULTILINE)
    return {faults: int(steps) for faults, steps, further in found if bool(further) == beyond}


@pytest.mark.thorough
@pytest.mark.parametrize(("release", "mode", "passes", "single", "beyond"), CASES)
def test_a_row_of_the_decision_is_what_an_audit_says(
    release: str,
    mode: str,
    passes: str,
    single: str,
    beyond: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    key = {"ZooKeeper": "zookeeper.connect=zookeeper-1:2181", "KRaft": "process.roles=broker"}[mode]
    broker = tmp_path / "server.properties"
    broker.write_text(f"{key}\nmin.insync.replicas=2\n", encoding="utf-8")
    clients = (str(ROOT / "examples" / "audit" / "good" / f"{role}.properties") for role in ("producer", "topic"))
    code, out, _ = running(capsys, "audit")("--quiet", "--kafka-version", release, *clients, str(broker))
    assert (code == 0) == (passes == "**yes**")
    assert (said(out, beyond=False), said(out, beyond=True)) == (steps_of(single), steps_of(beyond))


def test_the_decision_has_releases_that_pass_and_releases_that_do_not() -> None:
    assert len(CASES) > 12
    assert {row[2] for row in ROWS} == {"no", "**yes**"}
