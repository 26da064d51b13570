"""Pages and pictures of a model that knows no Kafka: every field has a lane, and the legend is the model's own."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from looked_at import page_read

from neverlost.cli.commands.explore import example_of_other
from neverlost.explorer.loading import find_profile
from neverlost.explorer.search import Limits, explore
from neverlost.explorer.traces.trace import trace_along
from neverlost.model.core import Model
from neverlost.reports.check.as_text import Check
from neverlost.reports.check.page import check_html
from neverlost.reports.explore.page import explore_html
from neverlost.reports.trace.drawing import drawing
from neverlost.reports.trace.lanes import WHOLE, lane_names
from neverlost.reports.trace.page import trace_html, trace_svg

RING = """
from neverlost.model.core import *

class Node(Index, bound="nodes", prefix="n", first=1):
    "A node."

class Stage(Index, names=("waiting", "in charge")):
    "What a node is."

class Ring(State):
    stage = per(Node, any_of(Stage))
    token = any_of(Node)

def initial(s: Ring) -> None:
    "The first node has the token."

@action("made up")
def hand_on(s: Ring, node: Node) -> None:
    "The node hands the token on."
    require(s.token == node)

    s.token = (node + 1) % s.size(Node)

@action("made up")
def lead(s: Ring, node: Node) -> None:
    "The node with the token is in charge."
    require(s.token == node)

    s.stage[node] = Stage.IN_CHARGE

@always("At most one node is in charge.")
def one_leader(s: Ring) -> bool:
    return sum(1 for node in s.each(Node) if s.stage[node] == Stage.IN_CHARGE) <= 1

RING = Profile(name="ring", statement="A ring.", state=Ring, initial=initial, actions=(hand_on, lead),
    properties=(one_leader,), default_bounds={"nodes": 3})
"""


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Model:
    file = tmp_path_factory.mktemp("ring") / "ring.py"
    file.write_text(RING, encoding="utf-8")
    return find_profile(str(file), {}).bounded()


def test_a_field_of_nobody_has_a_lane_and_a_step_that_changes_only_it_is_no_empty_row(ring: Model) -> None:
    trace = explore(ring, engine="interpreted").findings["one_leader"].trace
    assert trace is not None
    assert [step.action.name for step in trace.steps] == ["lead", "hand_on", "lead"]
    assert lane_names(ring) == [WHOLE, "n1", "n2", "n3"]
    assert WHOLE in drawing(trace).lanes
    assert "token n2" in drawing(trace).rows[1].svg


@pytest.mark.parametrize("word", ["ISR", "broker", "high watermark", "leader epoch", "log_end"])
def test_no_page_of_a_puzzle_has_a_word_of_kafka(ring: Model, word: str) -> None:
    result = explore(ring, engine="interpreted")
    trace = result.findings["one_leader"].trace
    assert trace is not None
    check = Check(result=result, limits=Limits(), memory=None, command=["neverlost check"], trace_file=None)
    for page in (trace_html(trace), check_html(check), explore_html(ring, [], "", example_of_other(ring))):
        body = page.partition("<body")[2].partition("<script")[0]
        assert len(body) > 100
        assert word not in body


SELF = RING.replace('"made up"', '"made up", sends("node", "node", "mine")', 1)
"""A node that hands the token on tells itself so."""


def test_a_picture_has_its_title_and_the_statement_above_it_and_no_colour_that_only_browsers_know(ring: Model) -> None:
    trace = explore(ring, engine="interpreted").findings["one_leader"].trace
    assert trace is not None
    svg = trace_svg(trace)
    assert "var(" not in svg
    assert "svg text { fill: #1c2024; text-anchor: middle; }" in svg
    assert "@media screen and (prefers-color-scheme: dark) {\nsvg" in svg
    shown = [text for element in ElementTree.fromstring(svg) for text in element.itertext()]
    assert " ".join(shown[1:3]).startswith("one_leader is violated after 3 steps: ")
    profile = replace(ring.profile, properties=[replace(ring.profile.properties[0], story=lambda states: "Two lead.")])
    trace = explore(profile.bounded(), engine="interpreted").findings["one_leader"].trace
    assert trace is not None
    title, statement = [element.text for element in ElementTree.fromstring(trace_svg(trace)) if element.text][1:3]
    assert title == "Two lead."
    assert statement == f"one_leader: {trace.model.profile.properties[0].statement}"


def test_a_message_to_oneself_leaves_its_lane_and_comes_back_below(tmp_path: Path) -> None:
    file = tmp_path / "ring.py"
    file.write_text(SELF, encoding="utf-8")
    trace = explore(find_profile(str(file), {}).bounded(), engine="interpreted").findings["one_leader"].trace
    assert trace is not None
    (path,) = re.findall(r'class="arrow" d="M(\d+) (\d+)H(\d+)V(\d+)H(\d+)"', trace_svg(trace))
    x, y, turn, back, tip = map(int, path)
    assert x < tip < turn
    assert y < back


CONTROLS = "".join(map(chr, (*range(9), *range(11, 32), 127, 0x85, 0x202E, 0xD800, 0xFFFE)))


def test_a_picture_is_xml_and_a_page_has_no_control_characters_whatever_a_model_is_called(tmp_path: Path) -> None:
    file = tmp_path / "ring.py"
    text = RING.replace('"The node hands the token on."', f'"""{ascii(CONTROLS)[1:-1]}"""').replace(
        "made up", ascii(CONTROLS)[1:-1]
    )
    file.write_text(
        text.replace("<= 1", "< 1").replace('statement="A', f'statement="{ascii(CONTROLS)[1:-1]}'), encoding="utf-8"
    )
    trace = explore(find_profile(str(file), {}).bounded(), engine="interpreted").findings["one_leader"].trace
    assert trace is not None
    for text in (trace_svg(trace), trace_html(trace)):
        text.encode()
        assert not set(text) & set(CONTROLS)
    assert ElementTree.fromstring(trace_svg(trace)).tag.endswith("svg")


def test_a_step_that_leaves_a_domain_is_shown_as_a_mistake_of_the_model(tmp_path: Path) -> None:
    file = tmp_path / "ring.py"
    file.write_text(RING.replace("(node + 1) % s.size(Node)", "node + 1"), encoding="utf-8")
    model = find_profile(str(file), {}).bounded()
    trace = trace_along(model, [model.parse_step("hand_on(node=n1)"), model.parse_step("hand_on(node=n2)")])
    texts = json.loads(page_read(trace_html(trace)).all("script", "beyond-data")[0].text)["texts"]
    mistake = next(text for text in texts if text.startswith("a mistake in the model: "))
    assert re.fullmatch(
        r"a mistake in the model: token was set to 3, outside its domain 0\.\.2 \(.*ring\.py:\d+\)", mistake
    )
