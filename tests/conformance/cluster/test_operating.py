"""What an operator writes, and what it means in each mode."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from neverlost.conformance.cluster.cluster import control_of
from neverlost.conformance.cluster.gates import ALTER_ISR, CONTROL, CONTROLLER, FETCH, METADATA_LOG, Gates, Part
from neverlost.conformance.cluster.operating import Operator
from neverlost.conformance.cluster.releases import ClusterError, release_named
from neverlost.model.core import UnknownNameError


def operator(version: str, monkeypatch: pytest.MonkeyPatch) -> Operator:
    """One with gates, and nothing behind them."""
    monkeypatch.setattr("neverlost.conformance.cluster.operating.HOLD_SECONDS", 0)
    processes = {broker: SimpleNamespace(has_ended=lambda: False) for broker in (1, 2, 3)}
    release = release_named(version)
    cluster: Any = SimpleNamespace(
        release=release,
        gates=Gates(),
        brokers=(1, 2, 3),
        processes=processes,
        dead=set(),
        control=control_of(release),
        wire=None,
    )
    return Operator(cluster, "events", (1, 2, 3), {})


@pytest.mark.parametrize(
    ("version", "arrow", "kind", "place", "said"),
    [
        ("4.1.1", "r2->r1", None, (FETCH, 2, 1), "fetch r2->r1"),
        ("4.1.1", "2 -> 1", "fetch", (FETCH, 2, 1), "fetch r2->r1"),
        ("4.1.1", "r1->controller", None, (ALTER_ISR, 1, CONTROLLER), "alter-isr r1->controller"),
        ("4.1.1", "r1->controller", "metadata-log", (METADATA_LOG, 1, CONTROLLER), "metadata-log r1->controller"),
        ("2.7.2", "r1->controller", None, (ALTER_ISR, 1, 100), "alter-isr r1->controller"),
        ("1.1.1", "controller->r3", None, (CONTROL, 100, 3), "control controller->r3"),
    ],
)
def test_an_arrow_names_a_gate(
    version: str, arrow: str, kind: str | None, place: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand = operator(version, monkeypatch)
    assert by_hand.answer({"do": "hold", "arrow": arrow, "kind": kind}) == {
        "said": f"{said} is held; nothing waits there"
    }
    assert by_hand.gates.held() == [(place, 0)]
    opened = by_hand.answer({"do": "open", "arrow": arrow, "kind": kind})
    assert opened == {"said": f"{said} passes again; nothing waits there"}
    assert by_hand.gates.held() == []


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("answers", Part.ANSWER, "fetch r2->r1: the answers are held, as they were sent; nothing waits there"),
        (
            "unread",
            Part.UNREAD_ANSWER,
            "fetch r2->r1: the answers are left unread, as on a slow link; nothing waits there",
        ),
    ],
)
def test_answers_are_held_instead_of_requests_and_each_part_is_opened_by_its_name(
    name: str, part: Part, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_hand = operator("4.1.1", monkeypatch)
    where = {"arrow": "r2->r1", "kind": None}
    assert by_hand.answer({"do": "hold", **where, "part": name}) == {"said": said}
    by_hand.answer({"do": "hold", **where})
    gate = by_hand.gates.gate(FETCH, 2, 1)
    assert gate.holds == {part, Part.REQUEST}
    by_hand.answer({"do": "open", **where, "part": "requests"})
    assert gate.holds == {part}
    with pytest.raises(ClusterError, match="fetch r2->r1 is not held"):
        by_hand.answer({"do": "open", **where, "part": "requests"})
    by_hand.answer({"do": "open", **where})
    assert gate.holds == set()


def test_a_part_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownNameError, match="no part of an exchange is named 'answer'"):
        operator("4.1.1", monkeypatch).answer({"do": "hold", "arrow": "r2->r1", "kind": None, "part": "answer"})


@pytest.mark.parametrize(
    ("version", "arrow", "kind", "complaint"),
    [
        ("4.1.1", "r2", None, "'r2' names no two nodes; write it like 'r2->r1' or 'r1->controller'"),
        ("4.1.1", "r2->r2", None, "names no two nodes"),
        ("4.1.1", "controller->controller", None, "names no two nodes"),
        ("4.1.1", "r2->r4", None, "no broker is named '4'"),
        ("4.1.1", "r2->r1", "fetsch", "no kind of request is named 'fetsch'. Did you mean 'fetch'?"),
        ("4.1.1", "r2->r1", "metadata-log", "metadata-log requests go 'r1->controller', not 'r2->r1'"),
        ("4.1.1", "r2->controller", "fetch", "fetch requests go 'r2->r1', not 'r2->controller'"),
        ("4.1.1", "controller->r1", None, "there are no control requests in Kafka 4.1.1 with KRaft"),
        ("1.1.1", "r1->controller", "heartbeat", "there are no heartbeat requests in Kafka 1.1.1 with ZooKeeper"),
        ("1.1.1", "r1->controller", None, "there are no alter-isr requests in Kafka 1.1.1 with ZooKeeper"),
        ("1.1.1", "r1->controller", "control", "control requests go 'controller->r1', not 'r1->controller'"),
    ],
)
def test_what_names_no_gate_is_refused(
    version: str, arrow: str, kind: str | None, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises((ClusterError, UnknownNameError)) as caught:
        operator(version, monkeypatch).answer({"do": "hold", "arrow": arrow, "kind": kind})
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("request_", "complaint"),
    [
        ({"do": "open", "arrow": "r2->r1", "kind": None}, "fetch r2->r1 is not held"),
        ({"do": "cut", "arrow": "r2->r1", "kind": None}, "no request waits at fetch r2->r1; hold it first"),
        ({"do": "restart", "broker": 1}, "r1 runs; kill it or shut it down first"),
        ({"do": "kill", "broker": 7}, "no broker is named '7'"),
        ({"do": "move", "broker": 7}, "topic events is on r1 r2 r3, not on r7"),
    ],
)
def test_what_cannot_be_done_is_refused(
    request_: dict[str, Any], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises((ClusterError, UnknownNameError)) as caught:
        operator("4.1.1", monkeypatch).answer(request_)
    assert complaint in str(caught.value)
