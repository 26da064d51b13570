"""YAML that would be too much for a reader is refused at once, in every form that is YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
from sampling import quick_one_in

from neverlost.spec.configuration import ConfigurationError, read_configuration
from neverlost.spec.configuration.forms.yaml_documents import DEEPEST, MOST_VALUES, Listing, Mapping, read_documents

LEVELS = 12

HEADS = {
    "Spring": "spring:\n  kafka:\n    producer:\n      acks: all\n",
    "Strimzi": "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\n",
    "compose": "services:\n  kafka:\n    image: apache/kafka:4.1.0\n",
}


def listed(levels: int = LEVELS) -> str:
    """Lists of nine of the one before: nine to the power of the levels."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, levels)]
    return "\n".join(lines) + "\n"


def keyed(levels: int = LEVELS) -> str:
    """The same with keys."""
    lines = ["a0: &a0 {b: x, c: x, d: x, e: x}"]
    lines += [f"a{k}: &a{k} {{b: *a{k - 1}, c: *a{k - 1}, d: *a{k - 1}, e: *a{k - 1}}}" for k in range(1, levels)]
    return "\n".join(lines) + "\n"


def merged() -> str:
    """Many keys that are merged in at many places."""
    keys = ", ".join(f"k{number}: x" for number in range(2000))
    return f"a: &a {{{keys}}}\n" + "".join(f"b{number}: {{<<: *a}}\n" for number in range(2000))


BOMBS = {"lists": listed(), "keys": keyed(), "merges": merged()}


@pytest.mark.parametrize("form", HEADS)
@pytest.mark.parametrize("bomb", ["lists", "keys"])
def test_aliases_of_aliases_are_refused_at_once(form: str, bomb: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text(HEADS[form] + BOMBS[bomb], encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match="it has more than 1,000,000 values, with all that its aliases stand for"
    ):
        read_configuration(str(path))


@pytest.mark.parametrize("form", ["Spring", "compose"])
def test_merges_of_many_keys_are_refused_at_once(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text(HEADS[form] + BOMBS["merges"], encoding="utf-8")
    with pytest.raises(ConfigurationError, match="it has more than 1,000,000 values"):
        read_configuration(str(path))


@pytest.mark.parametrize("form", HEADS)
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
@pytest.mark.parametrize("depth", quick_one_in(3, [DEEPEST + 1, 10 * DEEPEST, 1000 * DEEPEST]))
def test_what_is_nested_deeply_is_refused(form: str, opening: str, closing: str, depth: int, tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text(f"{HEADS[form]}x: {opening * depth}1{closing * depth}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="it is nested too deeply"):
        read_configuration(str(path))


def test_aliases_that_nest_each_other_are_deep_too() -> None:
    text = "a0: &a0 [x]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}]\n" for k in range(1, DEEPEST + 2))
    with pytest.raises(ConfigurationError, match="it is nested too deeply"):
        read_documents(text, "a")


def test_ordinary_aliases_and_depths_are_read() -> None:
    assert len(read_documents(listed(5) + keyed(5).replace("a", "b"), "a", merges=True)) == 1
    assert len(read_documents(f"x: {'[' * (DEEPEST - 2)}1{']' * (DEEPEST - 2)}\n", "a")) == 1
    assert MOST_VALUES > 9**5


@pytest.mark.parametrize("depth", [200, 100_000])
@pytest.mark.parametrize(
    "head", ['{"acks": ', '{"connector.class": "a", "config": ', '{"format_version": "1.0", "values": ']
)
def test_json_that_is_nested_deeply_is_refused(head: str, depth: int, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(f"{head}{'[' * depth}1{']' * depth}}}", encoding="utf-8")
    with pytest.raises(ConfigurationError):
        read_configuration(str(path))


@pytest.mark.parametrize(
    "name", ["a", "a.b", "größe", "a/b", "a-b_c", "1", "a@b", "<x>", "a'b", 'a"b', "*", "&", "!a", "a?"]
)
def test_an_anchor_may_have_every_name_that_yaml_allows(name: str) -> None:
    (document,) = read_documents(f"one: &{name} {{acks: 1}}\ntwo: *{name}\nthree: [*{name} , *{name}]\n", "a")
    assert isinstance(document, Mapping)
    assert document.text("two", "acks") == "1"
    three = document.at("three")
    assert isinstance(three, Listing)
    assert [one.text("acks") for one in three.values if isinstance(one, Mapping)] == ["1", "1"]


@pytest.mark.parametrize("text", ["a: & b\n", "a: &\n", "a: *\n", "a: *b\n", "a: &b 1\n---\nc: *b\n"])
def test_an_anchor_without_a_name_and_an_alias_of_nothing_are_no_yaml(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"this is no valid YAML: .*Correct the file\."):
        read_documents(text, "a")
