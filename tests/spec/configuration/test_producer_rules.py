"""What real producers of eight releases made of 216 combinations of settings is what the rules say."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration.producer_rules import ProducerFileSettings, producer
from neverlost.spec.configuration.versions import version_line

LINES = [
    line.split()
    for line in (Path(__file__).parent / "producer_facts.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
RELEASES, ROWS = LINES[0][5:], LINES[1:]


def said(release: str, settings: list[str]) -> str:
    idempotence, acks, retries, in_flight, transactional = (None if word == "-" else word for word in settings)
    written = ProducerFileSettings(
        acks=acks,
        retries=None if retries is None else int(retries),
        idempotence=None if idempotence is None else idempotence == "true",
        in_flight=None if in_flight is None else int(in_flight),
        transactional=transactional is not None,
    )
    found = producer(written, str(version_line(release)), release)
    if found.refused:
        return "refused"
    retried = "max" if found.retries == 2147483647 else found.retries
    return f"{found.acks}/{retried}/{'idempotent' if found.idempotence else 'plain'}"


@pytest.mark.parametrize("release", RELEASES)
def test_the_rules_say_what_the_client_of_a_release_does(release: str) -> None:
    column = 5 + RELEASES.index(release)
    differing = [
        (row[:5], row[column], said(release, row[:5])) for row in ROWS if said(release, row[:5]) != row[column]
    ]
    assert differing == []
    assert len(ROWS) == 216


@pytest.mark.parametrize(
    ("release", "retries", "in_flight"),
    [("0.8.2.2", 1, 2), ("0.9.0.1", 1, 2), ("0.9.0.1", 0, 1), ("0.10.0.0", 1, 1)],
)
def test_one_request_in_flight_keeps_the_order_from_0_10_on(release: str, retries: int, in_flight: int) -> None:
    """KAFKA-3197: before, nothing holds a partition back while its batch is on its way to the leader of before."""
    found = producer(ProducerFileSettings(retries=retries, in_flight=1), str(version_line(release)), release)
    assert found.in_flight == in_flight
