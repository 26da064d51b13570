"""The workflow and the hook that the documentation shows: they are read back, and what they run is run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import running

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "audit.md"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.example")


def yaml_blocks() -> list[Any]:
    """The YAML of the page, in its order: the workflow, then the configuration of pre-commit."""
    return [
        yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    ]


def hooks() -> list[dict[str, Any]]:
    return list(yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")))


def repository(folder: Path) -> None:
    """A repository whose branch main has safe settings, and whose work tree has others."""

    def git(*words: str) -> None:
        subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)

    shutil.copytree(ROOT / "examples" / "audit" / "good", folder / "kafka")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "safe")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    shutil.rmtree(folder / "kafka")
    shutil.copytree(ROOT / "examples" / "audit" / "acks-1", folder / "kafka")


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_steps_of_the_workflow_write_what_is_uploaded(tmp_path: Path) -> None:
    workflow, _ = yaml_blocks()
    steps = workflow["jobs"]["audit"]["steps"]
    (install, *run) = [step["run"] for step in steps if "run" in step]
    assert install.startswith("pip install ")
    repository(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "GITHUB_BASE_REF": "main"}
    codes = [
        subprocess.run(
            ["bash", "-e", "-c", step], cwd=tmp_path, env=environment, capture_output=True, check=False
        ).returncode
        for step in run
    ]
    assert codes == [0, 1]
    (upload,) = [step["with"]["sarif_file"] for step in steps if "upload-sarif" in step.get("uses", "")]
    assert (tmp_path / upload).stat().st_size > 0


def test_the_hook_is_installed_by_python_and_judges_a_deployment_as_a_whole() -> None:
    (hook,) = hooks()
    assert (hook["id"], hook["language"], hook["pass_filenames"]) == ("neverlost-audit", "python", False)
    files = [str(path.relative_to(ROOT)) for path in (ROOT / "examples" / "audit").rglob("*") if path.is_file()]
    assert [file for file in files if not re.search(hook["files"], file)] == []


def test_what_the_hook_runs_with_the_arguments_of_the_page_is_an_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (hook,) = hooks()
    _, configuration = yaml_blocks()
    (chosen,) = configuration["repos"][0]["hooks"]
    assert chosen["id"] == hook["id"]
    program, *words = [*shlex.split(hook["entry"]), *chosen["args"]]
    assert program == "neverlost"
    shutil.copytree(ROOT / "examples" / "audit" / "good", tmp_path / "kafka")
    monkeypatch.chdir(tmp_path)
    code, out, _ = running(capsys)(*words, "--tolerate", "1 pause")
    assert (code, out.startswith("SAFE (topics: SAFE with 1 pause; consumer group of ")) == (0, True)
    code, _, err = running(capsys)(*words[: words.index(chosen["args"][0])])
    assert code == 2
    assert "no configuration file is named" in err
