"""Reads the links of Markdown pages, and says which of them lead nowhere: to no file, or to no heading of a page."""

from __future__ import annotations

import re
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
NAMED = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def links_of(text: str) -> list[str]:
    """The targets of the links of a page; what stands in code is no link."""
    return LINK.findall(CODE.sub("code", FENCED.sub("", text)))


def anchors_of(text: str) -> set[str]:
    """The anchors of a page, as GitHub makes them from its headings: lower case, no punctuation, a hyphen for each blank."""
    found: dict[str, int] = {}
    anchors = set(NAMED.findall(text))
    for heading in HEADING.findall(FENCED.sub("", text)):
        said = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", said.lower()).replace(" ", "-")
        anchors.add(f"{slug}-{found[slug]}" if slug in found else slug)
        found[slug] = found.get(slug, 0) + 1
    return anchors


def dead_links(page: Path) -> list[str]:
    """The relative links of the page that lead to no file or folder, or to an anchor that the page there does not have."""
    dead = []
    for link in links_of(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        if not target.exists():
            dead.append(f"{link}: there is no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target.read_text(encoding="utf-8")):
            dead.append(f"{link}: the page has no such heading")
    return dead
