from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from looked_at import page_read
from shell_blocks import ROOT
from starlette.testclient import TestClient

from neverlost.cli.commands.explore import other_model
from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.search import explore
from neverlost.explorer.traces.trace_json import read_trace
from neverlost.model.core import Model
from neverlost.reports.explore.app import ACTIONS, MOST_BYTES, Explorer, app
from neverlost.reports.explore.stepping import Found
from neverlost.reports.trace.formats import FORMATS
from neverlost.spec import profiles
from neverlost.spec.bugs import bug_named
from neverlost.studies.recorded import recorded_trace

HOST, TOKEN = "127.0.0.1:8000", "the-token"
Ask = Callable[..., Any]


def client_of(model: Model) -> TestClient:
    explorer = Explorer(model=model, token=TOKEN, other_model=other_model)
    return TestClient(app(explorer, (HOST,)), base_url=f"http://{HOST}", raise_server_exceptions=True)


def asking(client: TestClient) -> Ask:
    def ask(name: str, **values: Any) -> Any:
        answered = client.post(f"/{TOKEN}/api/{name}", json=values)
        assert answered.status_code == 200, answered.text
        return answered.json()

    return ask


def kafka(version: str = "kafka-4.1", **settings: Any) -> Model:
    return profiles()[version].model(**{"acks": "all", "min_isr": 2, "leader_moves": 3, **settings})


@pytest.fixture(scope="module")
def client() -> TestClient:
    return client_of(kafka())


@pytest.fixture(scope="module")
def loss() -> list[str]:
    lost = bug_named("kept-known-ends").lost
    assert lost is not None
    return list(lost.steps or ())


WALKS = [
    (kafka(power_losses=1, crashes=1, shutdowns=1), 40),
    (kafka("kafka-2.8", commit="after", retries=1, fetch_from_followers=True), 40),
    (profiles()["published/kip-320"].bounded(), 20),
    (profile_from_file(f"{ROOT}/examples/water_jugs.py:WATER_JUGS").bounded(), 10),
]


def random_walks(model: Model, walks: int, length: int) -> int:
    """Walks through the API, each step compared with the interpreter. Returns how many steps were compared."""
    ask, chosen, compared = asking(client_of(model)), random.Random(7), 0
    for _ in range(walks):
        steps: list[str] = []
        words = model.initial_states()[0]
        before = None
        for _ in range(length):
            found = ask("walk", steps=steps, first=len(steps))
            successors = {model.steps[n].show(model.bounds): after for n, after in model.successors(words)}
            assert [one["step"] for one in found["possible"]] == list(successors)
            refused = [step for one in found["refused"] for step in one["steps"]]
            assert len(refused) == len(model.steps) - len(successors)
            for one in found["properties"]:
                prop = model.profile.property_named(one["name"])
                if prop.seeks:
                    assert one["met"] == model.holds(prop, words)
                elif prop.over_states:
                    assert one["holds"] == model.holds(prop, words)
                elif before is not None:
                    assert one["holds"] == model.holds(prop, before, words)
            shown = {line.split(": ")[0] for line in found["fields"].splitlines()}
            assert shown == {field.name for field in model.profile.state.fields}
            assert len(page_read(found["rows"]).all("li", "step")) == 1
            compared += 1
            if not successors:
                break
            step = chosen.choice(list(successors))
            steps, before, words = [*steps, step], words, successors[step]
    return compared


@pytest.mark.parametrize(("model", "length"), WALKS)
def test_random_walks_through_the_api_agree_with_the_interpreter(model: Model, length: int) -> None:
    assert random_walks(model, 1, length) >= 10


@pytest.mark.thorough
@pytest.mark.parametrize(("model", "length"), WALKS)
def test_thousands_of_random_walks_agree_with_the_interpreter(model: Model, length: int) -> None:
    random_walks(model, 2_500, min(length, 8))


def test_a_walk_to_the_loss_says_what_is_violated_and_who_would_refuse_it(client: TestClient, loss: list[str]) -> None:
    ask = asking(client)
    found = ask("walk", steps=loss, first=0)
    assert "acked_never_lost" in [one["name"] for one in found["properties"] if one["holds"] is False]
    parted = ask("beside", steps=loss, other="kafka-4.1 keeps_known_ends=no")
    assert (parted["step"], parted["refused"]) == (12, None)
    assert any(line.startswith("known_end[r1][r2]: 1 in") for line in parted["differences"])
    assert ask("beside", steps=loss, other="kafka-4.0")["step"] is None


def test_a_walk_that_needs_another_lane_is_drawn_anew(client: TestClient, loss: list[str]) -> None:
    ask = asking(client)
    start = ask("walk", steps=[], first=0, lanes=[])
    further = ask("walk", steps=loss[:1], first=1, lanes=start["lanes"])
    assert "producer" not in start["lanes"]
    assert "producer" in further["lanes"]
    assert (further["first"], len(page_read(further["rows"]).all("li", "step"))) == (0, 2)
    again = ask("walk", steps=loss[:2], first=2, lanes=further["lanes"])
    assert again["least"] <= ask("walk", steps=loss, first=0)["least"]
    assert (again["lanes"], again["first"]) == (further["lanes"], 2)
    assert len(page_read(again["rows"]).all("li", "step")) == 1


@pytest.mark.parametrize("lanes", [["nobody"], "r1", [[]], {}])
def test_lanes_that_there_are_not_are_refused(client: TestClient, lanes: object) -> None:
    asked = {"steps": [], "first": 0, "lanes": lanes}
    assert client.post(f"/{TOKEN}/api/walk", json=asked).status_code == 400


def test_a_shortest_way_is_as_long_as_that_of_a_search(client: TestClient) -> None:
    found = asking(client)("find", steps=[], where="delivery[0] == acknowledged")
    trace = explore(kafka(), properties=["acknowledged"], engine="interpreted").findings["acknowledged"].trace
    assert trace is not None
    assert len(found["steps"]) == len(trace.steps)
    compiled = asking(client)("find", steps=[], where="delivery[0] == acknowledged", compiled=True)
    assert len(compiled["steps"]) == len(found["steps"])


def test_a_state_that_cannot_be_is_said_not_to_be() -> None:
    jugs = profile_from_file(f"{ROOT}/examples/water_jugs.py:WATER_JUGS").bounded()
    found = asking(client_of(jugs))("find", steps=[], where="small == 1 and large == 1")
    assert found == {"steps": None, "complete": True, "tried": 16}


def test_a_walk_is_saved_as_a_trace_that_replays_and_in_every_other_format(client: TestClient, loss: list[str]) -> None:
    ask = asking(client)
    saved = ask("export", steps=loss, format="json")["text"]
    trace = read_trace(saved, "walk.json", lambda name: profiles()[name])
    assert [step.show(trace.model.bounds) for step in trace.steps] == loss
    assert trace.states[-1] == recorded_trace(bug_named("kept-known-ends").lost).states[-1]  # type: ignore[arg-type]
    for name in [*FORMATS, "dot", "graphml"]:
        assert ask("export", steps=loss, format=name)["text"]
    ask("walk", steps=loss, first=0)
    assert 'label="move_leader(successor=r3)"' in ask("export", steps=[], format="dot")["text"]


@pytest.mark.parametrize(
    ("headers", "path", "code"),
    [
        ({}, "/wrong/api/walk", 403),
        ({}, "/%00/api/walk", 403),
        ({}, "//api/walk", 405),
        ({"host": "evil.example"}, f"/{TOKEN}/api/walk", 403),
        ({"host": "127.0.0.1:1"}, f"/{TOKEN}/api/walk", 403),
        ({"origin": "http://evil.example"}, f"/{TOKEN}/api/walk", 403),
        ({"origin": "null"}, f"/{TOKEN}/api/walk", 403),
        ({"sec-fetch-site": "cross-site"}, f"/{TOKEN}/api/walk", 403),
        ({"content-type": "text/plain"}, f"/{TOKEN}/api/walk", 415),
        ({}, f"/{TOKEN}/api/nothing", 404),
        ({}, f"/{TOKEN}/api/../../etc/passwd", 404),
    ],
)
def test_requests_from_elsewhere_are_refused(client: TestClient, headers: dict[str, str], path: str, code: int) -> None:
    sent = {"content-type": "application/json", **headers}
    answered = client.post(path, content=b'{"steps": []}', headers=sent)
    assert answered.status_code == code
    assert answered.json()["error"]


def test_a_method_that_is_not_served_is_refused_with_those_that_are(client: TestClient) -> None:
    answered = client.get(f"/{TOKEN}/api/walk")
    assert (answered.status_code, answered.headers["allow"]) == (405, "POST")
    assert answered.json() == {"error": "Method Not Allowed"}
    assert answered.headers["x-content-type-options"] == "nosniff"


def test_who_leaves_before_the_request_is_whole_is_no_error_of_the_server() -> None:
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/{TOKEN}/api/walk",
        "raw_path": b"",
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"content-type", b"application/json")],
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    # In a thread of its own: Playwright keeps an event loop running in this one once a test has looked at a page.
    asked = app(Explorer(model=kafka(), token=TOKEN), (HOST,))(scope, receive, send)
    with ThreadPoolExecutor(1) as alone:
        alone.submit(asyncio.run, asked).result()  # type: ignore[arg-type]
    assert sent[0]["status"] == 400


def test_a_search_tells_how_many_states_it_has_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = Explorer(model=kafka(), token=TOKEN, other_model=other_model)
    seen: list[Any] = []

    def telling(trace: Any, prop: Any, tell: Callable[[int], None]) -> Found:
        tell(7)
        seen.append([explorer.progress({"search": name}) for name in ("mine", "other")])
        return Found(steps=None, complete=False, tried=9)

    monkeypatch.setattr("neverlost.reports.explore.app.way_to", telling)
    assert explorer.find({"steps": [], "where": "up[r1]", "search": "mine"})["tried"] == 9
    assert seen == [[{"tried": 7}, {"tried": None}]]
    assert explorer.progress({"search": "mine"}) == {"tried": None}


def test_many_sessions_at_once_are_each_answered_as_if_alone() -> None:
    model, chosen = kafka(crashes=1), random.Random(11)
    walks: list[list[str]] = []
    for _ in range(32):
        words, steps = model.initial_states()[0], list[str]()
        for _ in range(4):
            number, words = chosen.choice(list(model.successors(words)))
            steps.append(model.steps[number].show(model.bounds))
        walks.append(steps)
    alone, together = client_of(model), client_of(model)

    def walk(client: TestClient, steps: list[str]) -> bytes:
        return client.post(f"/{TOKEN}/api/walk", json={"steps": steps, "first": 0}).content

    with ThreadPoolExecutor(16) as pool:
        answered = list(pool.map(walk, [together] * len(walks), walks))
    assert answered == [walk(alone, steps) for steps in walks]
    graphs = [asking(client)("export", steps=walks[0], format="dot")["text"] for client in (alone, together)]
    nodes, edges = zip(*((text.count(";") - text.count("->"), text.count("->")) for text in graphs), strict=True)
    assert nodes[0] == nodes[1]
    assert edges[0] == edges[1]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("kafka-4.0 acks=1 clean", {"acks": "1", "unclean": False}),
        ("kafka-4.0 --acks 1 --clean", {"acks": "1", "unclean": False}),
        ("kafka-4.0 --acks=1 --unclean", {"acks": "1", "unclean": True}),
        ("--forgets-known-ends", {"keeps_known_ends": False}),
        ("kafka-4.0 --no-compacted", {"compacted": False}),
        ("kafka-4.0 --leader-epochs 5", {"leader_epochs": 5}),
    ],
)
def test_another_model_is_named_in_the_words_of_the_command_line(words: str, named: dict[str, Any]) -> None:
    found = other_model(words, kafka())
    expected = profiles()[found.profile.name].model(**named)
    for name in named:
        assert {**found.settings, **found.bounds}[name] == {**expected.settings, **expected.bounds}[name]
    assert found.profile.name == words.split(maxsplit=1)[0] or words.startswith("--forgets")


@pytest.mark.parametrize("words", ["kafka-4.0 acks=1 --acks 0", "kafka-4.0 banana", "kafka-4.0 --banana 1", "--acks"])
def test_words_that_are_none_are_refused(client: TestClient, words: str) -> None:
    answered = client.post(f"/{TOKEN}/api/beside", json={"steps": [], "other": words})
    assert (answered.status_code, bool(answered.json()["error"])) == (422, True)


HOSTILE: list[bytes] = [
    b"",
    b"[]",
    b"null",
    b"{",
    b"\xff\xfe",
    b'{"steps": NaN}',
    b"[" * 5000,
    b'{"steps": {}}',
    b'{"steps": [1]}',
    b'{"steps": ["no such step"]}',
    b'{"steps": ["elect(successor=r1)"]}',
    b'{"steps": ["elect(successor=<script>)"]}',
    b'{"steps": [], "first": -1}',
    b'{"steps": [], "first": true}',
    b'{"steps": [], "first": 1e300}',
    json.dumps({"steps": ["fetch"] * 600}).encode(),
    json.dumps({"steps": [], "where": "().__class__", "other": "../../etc/passwd", "format": "../x"}).encode(),
    json.dumps({"steps": [], "where": "a" * 5000, "other": "kafka-4.0 acks", "format": 3}).encode(),
    json.dumps({"steps": [], "where": "x" * 900, "other": '"', "format": "none"}).encode(),
    json.dumps({"steps": [], "where": 7, "other": "evil.py:PROFILE", "format": None}).encode(),
    json.dumps({"steps": ["x" * MOST_BYTES]}).encode(),
]


@pytest.mark.parametrize("body", HOSTILE, ids=lambda body: body[:30].decode("latin-1"))
@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_hostile_requests_are_refused_with_a_reason(client: TestClient, name: str, body: bytes) -> None:
    answered = client.post(f"/{TOKEN}/api/{name}", content=body, headers={"content-type": "application/json"})
    if name == "walk" and b'"where"' in body:
        assert answered.status_code == 200
        return
    assert 400 <= answered.status_code < 500
    assert answered.json()["error"]


def test_the_page_may_run_its_own_script_and_ask_its_own_server_alone(client: TestClient) -> None:
    answered = client.get(f"/{TOKEN}/")
    page = page_read(answered.text)
    (policy,) = [m.attributes["content"] for m in page.all("meta") if m.attributes.get("http-equiv")]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe-inline'; script" not in policy.split("script-src")[1]
    assert answered.headers["referrer-policy"] == "no-referrer"
    assert client.get("/wrong/").status_code == 403


def test_the_reference_names_every_request_with_what_it_takes_and_answers(client: TestClient, loss: list[str]) -> None:
    text = (ROOT / "docs" / "reference" / "explore-api.md").read_text(encoding="utf-8")
    asked: dict[str, dict[str, str]] = {
        "walk": {},
        "find": {"where": "up[r1]"},
        "progress": {"search": "one"},
        "beside": {"other": "kafka-4.0"},
        "export": {"format": "text"},
    }
    assert asked.keys() == ACTIONS.keys()
    for name, values in asked.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
        answered = asking(client)(name, steps=loss, **values)
        assert re.findall(r"`(\w+)`", row.split("|")[3]) == list(answered)
        assert all(f"`{key}`" in row for key in values)


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "neverlost", "explore", "kafka-4.1", "--acks", "all", "--no-browser"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", line)
        assert found is not None, line
        with urllib.request.urlopen(found.group(), timeout=60) as answered:
            assert b"kafka-4.1" in answered.read()
    finally:
        running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, "")
