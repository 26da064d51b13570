"""Live runs of real brokers: the model explains what the brokers did, and nothing that was acknowledged is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable

import pytest
from recorded_logs import verdict

pytest.importorskip("kafka", reason="kafka-python is not there: pip install 'neverlost[brokers]'")

from neverlost.conformance.cluster.live_run import LiveSettings
from neverlost.conformance.cluster.recording import RecordedRun, ensure_recordable, history_lines, record
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease, release_named
from neverlost.conformance.cluster.sightings import Sent
from neverlost.conformance.history import Judge, Recorder
from neverlost.conformance.validation import LogVerdict

Runnable = Callable[..., RunnableRelease]
RUNS = range(1, 4)
on_brokers = [pytest.mark.brokers, pytest.mark.xdist_group("brokers")]


def anomalies(runs: Iterable[RecordedRun]) -> list[str]:
    """What is wrong with the history of some runs."""
    recorder = Recorder()
    recorder.take((number, json.loads(line)) for number, line in enumerate(history_lines(list(runs)), start=1))
    judge = Judge(recorder.history("recorded"))
    judge.anomalies()
    return [kind for kind, count in judge.counts.items() if count]


def run_of(*sent: Sent, read: tuple[tuple[int, int], ...]) -> RecordedRun:
    return RecordedRun(number=1, topic="run-001", log=(), sent=sent, read=read, happened=())


def sent(value: int, error: int | str | None, offset: int | None = None) -> Sent:
    return Sent(value=value, began=value, ended=value + 0.5, error=error, offset=offset)


def test_a_history_has_what_was_sent_and_what_was_read() -> None:
    run = run_of(sent(0, 0, 0), sent(1, 19), sent(2, "TimeoutError"), read=((0, 0), (1, 2)))
    operations = [json.loads(line) for line in history_lines([run])]
    assert [operation["type"] for operation in operations] == [
        "invoke",
        "ok",
        "invoke",
        "fail",
        "invoke",
        "info",
        "ok",
        "ok",
        "ok",
    ]
    assert operations[6] == {"type": "ok", "f": "assign", "process": "consumer", "value": [run.topic]}
    assert anomalies([run]) == []


def test_a_lost_record_is_found_in_the_history() -> None:
    lost = run_of(sent(0, 0, 0), sent(1, 0, 1), sent(2, 0, 2), read=((0, 0), (2, 2)))
    assert anomalies([lost]) == ["lost"]


def test_what_cannot_be_recorded_is_said() -> None:
    with pytest.raises(ClusterError, match="its followers fetch any number of records at once"):
        ensure_recordable(release_named("0.9.0.1"), "raw")
    with pytest.raises(ClusterError, match="record it with the raw client"):
        ensure_recordable(release_named("0.10.2.2"), "java")


@pytest.mark.parametrize("version", ["0.10.2.2", "2.0.1", "4.1.1"])
class TestLiveRuns:
    pytestmark = on_brokers

    def test_the_model_explains_what_brokers_do(self, version: str, runnable: Runnable) -> None:
        runs = list(record(runnable(version), RUNS, LiveSettings(), seed=1))
        assert [verdict(run.log) for run in runs] == [LogVerdict.ACCEPTED] * len(runs)
        assert anomalies(runs) == []


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.0.1", "4.1.1"])
@pytest.mark.parametrize("client", ["java", "librdkafka"])
class TestClients:
    pytestmark = on_brokers

    def test_an_idempotent_client_loses_and_repeats_nothing(
        self, version: str, client: str, runnable: Runnable
    ) -> None:
        if client == "librdkafka":
            pytest.importorskip(
                "confluent_kafka", reason="confluent-kafka is not there: pip install 'neverlost[clients]'"
            )
        elif shutil.which("javac") is None:
            pytest.skip("the Java client is compiled when it runs, and javac is not there: install a JDK")
        settings = LiveSettings(
            client=client, client_settings={"enable.idempotence": "true"}, faults=("crash", "pause")
        )
        runs = list(record(runnable(version), RUNS, settings, seed=1))
        assert anomalies(runs) == []
        assert any(run.acknowledged for run in runs)
