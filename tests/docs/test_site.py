"""The site has every page of the documentation, once, and its links lead to where they lead in the repository."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml
from shell_blocks import ROOT

GENERATED = {"decisions/index.md", "stories/index.md"}


def site_tool() -> Any:
    spec = spec_from_file_location("docs_site", ROOT / "tools" / "docs_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["docs_site"] = module
    spec.loader.exec_module(module)
    return module


SITE = site_tool()


def named(navigation: Any) -> Iterator[str]:
    if isinstance(navigation, str):
        yield navigation
    elif isinstance(navigation, dict):
        for part in navigation.values():
            yield from named(part)
    else:
        for part in navigation:
            yield from named(part)


def test_every_page_is_in_the_navigation_exactly_once() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    found = list(named(settings["nav"]))
    docs = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(set(found) - GENERATED) == sorted({*docs, *SITE.OF_THE_ROOT})
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("page", "link", "address"),
    [
        ("index.md", "docs/how-to/audit.md", "how-to/audit.md"),
        ("index.md", "CONTRIBUTING.md", "CONTRIBUTING.md"),
        ("index.md", "docs/decisions/", "decisions/index.md"),
        ("index.md", "spec/golden.json", "files/spec/golden.json.txt"),
        ("how-to/audit.md", "../../README.md", "index.md"),
        ("how-to/audit.md", "../explanation/faq.md", "explanation/faq.md"),
        ("how-to/audit.md", "../../examples/audit/good", "files/examples/audit/good.txt"),
    ],
)
def test_a_link_leads_to_the_same_text_on_the_site(page: str, link: str, address: str) -> None:
    assert SITE.address(page, link) == address


@pytest.mark.thorough
def test_the_site_is_built_without_a_dead_link_and_with_a_page_for_every_known_loss(tmp_path: Path) -> None:
    if find_spec("mkdocs") is None:
        pytest.skip("the site is not built: make site installs what that needs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "site" / "stories" / "kept-known-ends.html").is_file()
    ledger = (tmp_path / "site" / "stories" / "ledger.html").read_text(encoding="utf-8")
    assert "https://" not in re.sub(r'<a href="https://issues.apache.org/jira/browse/KAFKA-\d+"', "", ledger)
