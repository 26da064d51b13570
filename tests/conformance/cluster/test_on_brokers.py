"""What is known of each action on real brokers, and that nobody asks in which mode a cluster is but who makes its controller."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neverlost.conformance import cluster
from neverlost.conformance.cluster.leaderless import with_leaderless_news
from neverlost.conformance.cluster.planning import NOT_SCHEDULED
from neverlost.conformance.cluster.steps.registry import ON_BROKERS
from neverlost.spec import profiles

PERFORMED = {
    *("poll", "poll_follower", "crash_consumer"),
    *("produce", "retry", "refuse_as_not_leader", "time_out", "fetch"),
    *("become_leader", "become_follower", "hear_of_no_leader"),
    *("shrink_isr", "expand_isr", "grant_isr", "refuse_isr", "learn_isr", "hear_of_isr"),
    *("fence_follower", "lose_leader", "fail_over", "elect", "elect_unclean", "fail_over_unclean", "move_leader"),
    *("crash", "power_loss", "disk_loss", "restart", "pause", "unfence", "hand_over", "leave_isr", "shut_down"),
}
BY_THEMSELVES = {
    *("expand_isr", "shrink_isr", "hear_of_isr", "elect", "fetch"),
    *("become_leader", "become_follower", "hear_of_no_leader"),
    *("fence_follower", "fail_over", "lose_leader", "fail_over_unclean"),
}


def test_these_actions_happen_on_real_brokers_and_these_also_by_themselves() -> None:
    assert set(ON_BROKERS) == PERFORMED
    assert {name for name, action in ON_BROKERS.items() if action.hidden} == BY_THEMSELVES
    assert not PERFORMED & NOT_SCHEDULED.keys()


def _takes(function: Callable[..., object], names: set[str]) -> bool:
    """Does a function take these arguments, after its first, and no others?"""
    _, *others = inspect.signature(function).parameters.values()
    any_names = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in others)
    return any_names or {one.name for one in others} == names


@pytest.mark.parametrize("name", sorted(PERFORMED))
def test_what_performs_an_action_and_what_stands_in_its_way_take_what_the_action_takes(name: str) -> None:
    models = [
        with_leaderless_news(profiles()[version].bounded()) for version in ("kafka-0.9", "kafka-2.0", "kafka-4.1")
    ]
    (found,) = {action for model in models for action in model.profile.actions if action.name == name}
    names = {parameter for parameter, _ in found.parameters}
    assert _takes(ON_BROKERS[name].perform, names)
    assert _takes(ON_BROKERS[name].obstacle, names)


def questions_of_mode(text: str) -> Iterator[str]:
    """The questions in a module whether a cluster is in KRaft mode: of a release, or of what decides or brings the news."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(attr="kraft"):
                yield ast.unparse(node)
            case ast.Compare(left=ast.Attribute(attr="mode")):
                yield ast.unparse(node)
            case ast.Call(func=ast.Name("isinstance"), args=[_, kind]):
                if any(word in ast.unparse(kind) for word in ("Control", "News", "KRaft", "ZooKeeper")):
                    yield ast.unparse(node)


@pytest.mark.parametrize(
    "question",
    [
        "if self.kraft: pass",
        "x = 1 if release.mode == KRAFT else 2",
        "assert not isinstance(control, (int, KRaftControl))",
    ],
)
def test_a_question_of_mode_is_found(question: str) -> None:
    assert len(list(questions_of_mode(question))) == 1
    assert not list(questions_of_mode("print(release.mode, isinstance(error, str))"))


def test_only_who_makes_the_controller_who_shows_it_and_the_random_runs_ask_for_the_mode() -> None:
    (folder,) = map(Path, cluster.__path__)
    asked = {
        str(path.relative_to(folder)): found
        for path in folder.rglob("*.py")
        if (found := list(questions_of_mode(path.read_text(encoding="utf-8"))))
    }
    assert asked == {
        "cluster.py": ["release.kraft", "release.kraft"],
        "operating.py": ["isinstance(self.control, QuorumControl)"],
        "releases.py": ["self.mode == KRAFT"],
        "soaking.py": ["release.kraft"],
    }
