"""The files about the project agree with the package, and the forms for issues are forms."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml
from shell_blocks import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))


def test_the_citation_and_the_changelog_have_the_version_and_licence_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert f"\n## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_a_name_and_each_of_its_fields_a_label(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert form["name"]
    assert form["description"]
    assert all(field["attributes"]["label"] for field in fields)
    assert len({field["id"] for field in fields}) == len(fields)


def test_there_are_forms_for_a_wrong_verdict_and_for_a_file_that_is_read_wrongly() -> None:
    assert [path.stem for path in FORMS] == ["1-wrong-verdict", "2-file", "3-other"]
