"""No link of the documentation leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_links import anchors_of, dead_links, links_of
from shell_blocks import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = "```"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert dead_links(page) == []


def test_every_page_of_the_documentation_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        for link in links_of(page.read_text(encoding="utf-8")):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.is_file():
                waiting.append(target)
            elif target == ROOT / "docs" / "decisions":
                waiting += sorted(target.glob("*.md"))
    assert sorted(set(PAGES) - reached) == []


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[a](other.md)", []),
        ("[a](other.md#two-words)", []),
        ("[a](#here)\n# Here", []),
        ("[a](https://example.com/nowhere.md#x) [b](mailto:x)", []),
        ("`[a](nowhere.md)`", []),
        (f"{FENCE}text\n[a](nowhere.md)\n{FENCE}", []),
        ("[a](nowhere.md)", ["nowhere.md: there is no such file"]),
        ("[a](nowhere.md#x)", ["nowhere.md#x: there is no such file"]),
        ("[a](other.md#three)", ["other.md#three: the page has no such heading"]),
        (f"[a](#here)\n{FENCE}sh\n# Here\n{FENCE}", ["#here: the page has no such heading"]),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text: str, dead: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Two words\n", encoding="utf-8")
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert dead_links(tmp_path / "page.md") == dead


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("# When `--symmetry` is refused", "when---symmetry-is-refused"),
        ("## C-26", "c-26"),
        ("## What's this, [a link](x.md)?", "whats-this-a-link"),
        ("## Closed ##", "closed"),
    ],
)
def test_an_anchor_is_made_as_github_makes_it(heading: str, anchor: str) -> None:
    assert anchors_of(heading) == {anchor}


def test_headings_of_the_same_name_have_different_anchors() -> None:
    assert anchors_of("# One\n# One\n# One") == {"one", "one-1", "one-2"}
