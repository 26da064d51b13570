"""A class of one's own comes before those of a release: a broker with the fix does not lose what leader moves lose."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from neverlost.conformance.cluster.clusters import Clusters
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease, release_named
from neverlost.conformance.cluster.reproduction import Reproduced, reproduce
from neverlost.conformance.cluster.scenarios import scenarios

SCRIPT = spec_from_file_location("fixed_broker", Path(__file__).parents[3] / "tools" / "fixed_broker.py")
assert SCRIPT is not None
assert SCRIPT.loader is not None
fixed_broker = module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(fixed_broker)


def test_the_fix_is_one_argument_that_is_passed_as_true() -> None:
    """Of the four arguments that the method passes on, the loaded isNewLeader becomes the constant 1."""
    passes = bytes.fromhex("2ab40001 1506 1f 1505 21 ba00020000")
    assert fixed_broker.fixed(passes) == bytes.fromhex("2ab40001 1506 1f 0400 21 ba00020000")


@pytest.mark.parametrize("content", [b"", bytes.fromhex("15061f150521ba") * 2])
def test_a_class_that_is_not_as_it_was_read_is_refused(content: bytes) -> None:
    with pytest.raises(ClusterError, match="does not pass isNewLeader on"):
        fixed_broker.fixed(content)


def test_classes_that_are_not_there_are_refused(tmp_path: Path) -> None:
    for wrong in (tmp_path / "gone.jar", Path(__file__)):
        with pytest.raises(ClusterError, match="is neither a jar nor a folder"):
            release_named("4.1.1", classes=str(wrong))


def test_a_release_with_classes_of_ones_own_says_so(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mine.jar", "w") as jar:
        jar.writestr("a", "")
    release = release_named("4.1.1", classes=str(tmp_path / "mine.jar"))
    assert str(release) == "4.1.1 with KRaft and mine.jar"
    assert release.classes == str(tmp_path / "mine.jar")


@pytest.mark.brokers
def test_with_the_fix_nothing_is_acknowledged_too_early(
    runnable: Callable[..., RunnableRelease], tmp_path: Path
) -> None:
    runnable("4.1.1")
    fixed_broker.write("4.1.1", tmp_path / "fixed.jar")
    lost, right = (scenario.trace("kafka-4.1") for scenario in scenarios(["leader-moves-kept-isr", "wrong-known-ends"]))
    with Clusters(release_named("4.1.1", classes=str(tmp_path / "fixed.jar"))) as clusters:
        found = reproduce(lost, clusters)
        assert found.first_difference is not None
        assert (found.first_difference.number, found.lost) == (len(lost.steps), ())
        assert reproduce(right, clusters).verdict is Reproduced.YES
