"""Published schemas: every command that writes JSON has one, and what it really writes is as the schema says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import published_json
import pytest
import wrong_brokers
from command_line import Run
from jsonschema import Draft202012Validator
from played_runs import ACKNOWLEDGED, groups_story_run, loss, played, quorum_story_run, scheduled, story_run
from published_json import SCHEMAS, documents, expect_published_suite, expect_published_text, what_is_wrong

import neverlost as nl
from neverlost.cli.main import cli
from neverlost.conformance.adapter import StateDifference
from neverlost.conformance.judging import JudgedStep
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.traces.trace_json import trace_json, trace_values
from neverlost.reports.schemas import WRITTEN_BY, document

ROOT = Path(__file__).parents[2]
BOUNDS = ("--replicas", "2", "--log-size", "1", "--records", "1", "--leader-epochs", "2")
HOLDING, LOSING = ("published/kip-320", *BOUNDS), ("published/truncate-to-high-watermark", *BOUNDS)
LAMP = f"{Path(__file__).parents[1]}/support/inductive_models.py:LAMP"
KAFKA = ("kafka-3.5", "--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "2")
SUITE = ("suite", *KAFKA, "--acks", "all", "--min-isr", "2", "--crashes", "1", "--budget", "3", "--quiet")
AUDITED = sorted(str(path) for path in (ROOT / "examples" / "audit" / "replication-factor-1").iterdir())
AUDIT = ("audit", *AUDITED, "--search", "--max-states", "1", "--store", "{own}/answers")
HISTORIES = ROOT / "examples" / "histories"
CLEAN = [
    {"type": "ok", "f": "produce", "process": "p1", "key": "orders-0", "value": "A17", "offset": 17},
    {"type": "ok", "f": "consume", "process": "c1", "key": "orders-0", "value": "A17", "offset": 17},
]
SPARK = ("--engine", "spark", "--store", "{own}/store", "--quiet")
FOLLOWS, REFUSED = (str(ROOT / "examples" / "events" / f"{name}.ndjson") for name in ("follows", "refused"))
DIFFERS = StateDifference(place="leader[r2]", expected="r2", seen="another")


@dataclass(frozen=True, kw_only=True)
class Written:
    """A command line that writes JSON for its last word; those `before` make what it reads. `code` is its exit code."""

    command: tuple[str, ...]
    code: int
    before: tuple[tuple[str, ...], ...] = ()


def written(*command: str, code: int, before: tuple[tuple[str, ...], ...] = ()) -> Written:
    return Written(command=command, code=code, before=before)


PROVEN = ("prove", "published/replicated-log", "--property", "type_ok")
IN_SUITE = ((*SUITE, "--out", "{own}/suite"),)
SEARCHED = (
    *("reproduce", "kafka-3.6", "--replicas", "2", "--log-size", "1", "--values", "1", "--leader-epochs", "3"),
    *("--power-losses", "1", "--kafka", "3.6.2", "--list"),
)
LONG = ("lemmas, none", "prove, certified", "prove, for all settings")
"""What takes longest: with `--thorough` only."""
YIELDING = ("conform", "{own}/suite", "--adapter", f"{wrong_brokers.__file__}:Yielding")
WITHOUT_BROKERS = {
    "check, holds": written("check", *HOLDING, "--json", code=0),
    "check, violated": written("check", *LOSING, "--json", code=1),
    "check, undecided": written("check", *HOLDING, "--max-states", "2", "--json", code=3),
    "check, thorough": written("check", *HOLDING, "--thorough", "--max-states", "100", "--json", code=3),
    "a trace": written("check", *LOSING, "--trace-out", code=1),
    "resume, holds": written("resume", "{own}/store", "--json", code=0, before=(("check", *HOLDING, *SPARK),)),
    "resume, violated": written("resume", "{own}/store", "--json", code=1, before=(("check", *LOSING, *SPARK),)),
    "a trace of resume": written("resume", "{own}/store", "--trace-out", code=1, before=(("check", *LOSING, *SPARK),)),
    "graph": written("graph", "{own}/store", "sample", "--json", code=0, before=(("check", *HOLDING, *SPARK),)),
    "prove, certified": written(*PROVEN, "--certify", "--json", code=0),
    "prove, for all settings": written(
        "prove", *KAFKA, "--property", "acked_never_lost", "--for-all-settings", "--max-states", "200", "--json", code=3
    ),
    "prove, for any bounds": written(*PROVEN, "--any-bounds", "--json", code=0),
    "prove, undecided": written("prove", LAMP, "--property", "never_burnt", "--json", code=3),
    "prove, violated": written("prove", LAMP, "--property", "switched_once", "--depth", "4", "--json", code=1),
    "a trace of prove": written("prove", LAMP, "--property", "switched_once", "--depth", "4", "--trace-out", code=1),
    "lemmas, found": written("lemmas", "published/replicated-log", "--json", code=0),
    "lemmas, none": written(
        "lemmas", *HOLDING, "--candidates", "1", "--literals", "1", "--max-states", "10", "--json", code=3
    ),
    "audit": written(*AUDIT, "--json", code=3),
    "audit, tolerate": written(*AUDIT, "--tolerate", "1 crash, 1 power loss", "--json", code=3),
    "audit, survive": written(*AUDIT, "--survive", "node-loss", "--json", code=3),
    "matrix": written("matrix", "--version", "kafka-2.1", "--acks", "1", "--replicas", "2", "--json", code=0),
    "claims": written("claims", "C-25", "--store", "{own}/answers", "--json", code=0),
    "claims, undecided": written(
        "claims", "C-25", "--store", "{own}/answers", "--time-limit", "0.000001s", "--json", code=3
    ),
    "bugs": written("bugs", "--json", code=0),
    "conform, passed": written("conform", "{own}/suite", "--adapter", "inprocess", "--json", code=0, before=IN_SUITE),
    "conform, failed": written(*YIELDING, "--json", code=1, before=IN_SUITE),
    "a trace of conform": written(*YIELDING, "--trace-out", code=1, before=IN_SUITE),
    "reproduce, searched": written(*SEARCHED, "--json", code=0),
    "reproduce, nothing found": written(*SEARCHED, "--power-losses", "0", "--json", code=3),
    "a trace of reproduce": written(*SEARCHED, "--trace-out", code=0),
    "history, clean": written("history", "{own}/clean.json", "--json", code=0),
    "history, reordered": written("history", str(HISTORIES / "reordered.json"), "--json", code=1),
    "history, lost": written("history", str(HISTORIES / "lost.edn"), "--json", code=1),
    "validate, accepted": written("validate", FOLLOWS, "--json", code=0),
    "validate, refused": written("validate", REFUSED, "--json", code=1),
    "validate, undecided": written("validate", FOLLOWS, "--max-states", "1", "--json", code=3),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.thorough] if n in LONG else []) for n in WITHOUT_BROKERS]
)
def test_what_a_command_writes_is_as_its_schema_says(name: str, run: Run, tmp_path: Path) -> None:
    asked = WITHOUT_BROKERS[name]
    (tmp_path / "clean.json").write_text(json.dumps(CLEAN), encoding="utf-8")
    for arguments in asked.before:
        run(*(word.format(own=tmp_path) for word in arguments))
    file = tmp_path / "written.json"
    code, _, err = run(*(word.format(own=tmp_path) for word in asked.command), str(file))
    assert code == asked.code, err
    expect_published_text(place_of(asked.command), file.read_text(encoding="utf-8"))


def place_of(command: tuple[str, ...]) -> str:
    return f"{command[0]} {command[-1]}"


def test_both_files_of_a_suite_are_as_their_schemas_say(run: Run, tmp_path: Path) -> None:
    assert run(*SUITE, "--out", str(tmp_path / "rules"))[0] == 0
    expect_published_suite(tmp_path / "rules")
    said = ("suite", "kafka-purgatory", "--from-mutants", "--adapter", "purgatory", "--store", str(tmp_path / "kept"))
    assert run(*said, "--out", str(tmp_path / "mistakes"))[0] == 0
    expect_published_suite(tmp_path / "mistakes")


WITH_BROKERS: dict[str, Callable[[Run, Path, pytest.MonkeyPatch], str]] = {}
"""By a place of SCHEMAS: what runs the command, though no brokers run, and returns what it wrote."""


def without_brokers(place: str) -> Callable[..., Any]:
    def noted(ran: Callable[[Run, Path, pytest.MonkeyPatch], str]) -> Callable[..., Any]:
        WITH_BROKERS[place] = ran
        return ran

    return noted


def reproductions() -> list[Any]:
    gone = played(loss(), consumer=(), delivery=ACKNOWLEDGED)
    return [gone, played(loss(), consumer=("v0",), delivery=ACKNOWLEDGED, last={"differences": (DIFFERS,)})]


def content(run: Run, path: Path, *arguments: str) -> str:
    code, _, err = run(*arguments, str(path))
    assert code in (0, 1), err
    return path.read_text(encoding="utf-8")


@without_brokers("reproduce --json")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    found = iter(reproductions())
    patch.setattr("neverlost.conformance.cluster.reproduction.reproduce", lambda *_, **__: next(found))
    (folder / "loss.json").write_text(trace_json(loss()), encoding="utf-8")
    asked = ("reproduce", str(folder / "loss.json"), "--kafka", "4.1.1", "--times", "2")
    return content(run, folder / "written.json", *asked, "--json")


@without_brokers("known --json")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    from neverlost.conformance.cluster.scenarios import ScenarioRun, scenarios

    (scenario,) = scenarios(["kip-101"])
    runs = tuple(reproductions())
    one = ScenarioRun(scenario=scenario, release="4.1.1", version="kafka-4.1", expected=False, runs=runs)
    patch.setattr("neverlost.conformance.cluster.scenarios.play", lambda *_, **__: iter([one]))
    patch.setattr(
        "neverlost.conformance.cluster.performances.play_schedules",
        lambda *_, **__: iter([scheduled(with_trouble=True)]),
    )
    stories = [story_run("late-end", "4.1.1"), story_run("late-end", "4.1.1", as_the_model=False)]
    patch.setattr("neverlost.conformance.cluster.transactions.stories.play_stories", lambda *_, **__: iter(stories))
    asked = ("known", "--family", "transactions", "late-end", "--kafka", "4.1.1")
    quorum = [
        quorum_story_run("two-leaders", "static voters", "3.9.1"),
        quorum_story_run("two-leaders", "static voters", "3.9.1", as_the_model=False),
        quorum_story_run("two-leaders", "static voters, only a crash", "3.9.1"),
    ]
    patch.setattr("neverlost.conformance.cluster.quorum.stories.play_stories", lambda *_, **__: iter(quorum))
    groups = [
        groups_story_run("failed-record", "enable.auto.commit", "3.9.1"),
        groups_story_run("failed-record", "commitSync after processing", "3.9.1", as_the_model=False),
    ]
    patch.setattr("neverlost.conformance.cluster.groups.stories.play_stories", lambda *_, **__: iter(groups))
    of_groups = ("known", "--family", "groups", "failed-record", "--kafka", "3.9.1")
    of_quorum = ("known", "--family", "quorum", "two-leaders", "--kafka", "3.9.1")
    return (
        content(run, folder / "written.json", "known", "kip-101", "kafka-1148", "--json")
        + content(run, folder / "stories.json", *asked, "--json")
        + content(run, folder / "quorum.json", *of_quorum, "--json")
        + content(run, folder / "groups.json", *of_groups, "--json")
    )


@without_brokers("compare --json")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    from neverlost.conformance.cluster.comparing import Compared, Played, TellingRule

    model, steps = loss().model, loss().steps
    rule = TellingRule(own="elr", other="no-elr", version="kafka-4.1", model=model, steps=steps)
    left = JudgedStep(number=3, step=steps[-1], differences=(DIFFERS,))
    unshown = TellingRule(own="elr", other="no-elr", version="kafka-4.1", why="no run shows it")
    found = [
        Compared(rule=rule, there=Played(difference=None), elsewhere=Played(difference=left)),
        Compared(rule=unshown),
    ]
    patch.setattr("neverlost.conformance.cluster.comparing.telling_rules", lambda *_, **__: [rule])
    patch.setattr("neverlost.conformance.cluster.comparing.compare", lambda *_, **__: iter(found))
    return content(run, folder / "written.json", "compare", "3.9.1", "4.1.1", "--json")


@without_brokers("soak --out")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    from neverlost.conformance.cluster.soaking import PLAIN, SoakRun

    steps = loss().steps
    judged = [JudgedStep(number=number, step=step) for number, step in enumerate(steps, start=1)]
    wrong = JudgedStep(number=3, step=steps[-1], differences=(DIFFERS,))
    runs = [
        SoakRun(number=number, model=loss().model, steps=steps, judged=tuple(each), kind=PLAIN)
        for number, each in ((1, judged), (2, [*judged[:2], wrong]))
    ]
    patch.setattr("neverlost.conformance.cluster.soaking.soak", lambda *_, **__: iter(runs))
    return content(run, folder / "soak.ndjson", "soak", "--kafka", "4.1.1", "--out")


def recorded(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> Mapping[str, str]:
    from neverlost.conformance.cluster.recording import RecordedRun
    from neverlost.conformance.cluster.sightings import Sent

    sent = tuple(
        Sent(value=value, began=value, ended=value + 0.5, error=error, offset=offset)
        for value, error, offset in ((0, 0, 0), (1, 19, None), (2, "TimeoutError", None))
    )
    log = tuple(Path(FOLLOWS).read_text(encoding="utf-8").splitlines())
    one = RecordedRun(number=1, topic="run-001", log=log, sent=sent, read=((0, 0),), happened=())
    patch.setattr("neverlost.conformance.cluster.recording.record", lambda *_, **__: iter([one]))
    asked = ("record", "--kafka", "4.1.1", "--out", str(folder / "log.ndjson"))
    history = content(run, folder / "history.json", *asked, "--history")
    return {"--history": history, "--out": (folder / "log-001.ndjson").read_text(encoding="utf-8")}


@without_brokers("record --history")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    return recorded(run, folder, patch)["--history"]


@without_brokers("record --out")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    return recorded(run, folder, patch)["--out"]


@without_brokers("cluster consume --json")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    records = [
        SimpleNamespace(offset=0, epoch=None, value=b"old"),
        SimpleNamespace(offset=1, epoch=3, value=b"kept"),
    ]
    wire = SimpleNamespace(
        fetch=lambda *at, **_: SimpleNamespace(error=0, records=records[at[2] :]), release=SimpleNamespace(fetch=17)
    )
    about = SimpleNamespace(client_ports={"2": 9002}, port=lambda broker: 9002, topic="events")
    patch.setattr("neverlost.cli.commands.cluster._reachable", lambda folder: (about, wire))
    return content(run, folder / "written.json", "cluster", "consume", "--from", "r2", "--json")


@without_brokers("cluster status --json")
def _(run: Run, folder: Path, patch: pytest.MonkeyPatch) -> str:
    patch.setattr("neverlost.cli.commands.cluster._cluster", lambda folder: SimpleNamespace(ask=lambda **_: STATUS))
    return content(run, folder / "written.json", "cluster", "status", "--json")


STATUS = {
    **{"schema": 1, "release": "4.1.1", "mode": "KRaft", "topic": "events", "folder": "/tmp/c", "clients": {"1": 9}},
    **{"leader": -1, "leader_epoch": 1, "isr": [1], "eligible": None},
    "brokers": [
        dict(
            zip(
                ("broker", "process", "session", "log_end", "high_watermark", "leads", "leader_epoch"), row, strict=True
            )
        )
        for row in ((1, "dead", "ended", 3, 1, None, None), (2, "runs", "live", 1, 1, False, 1))
    ],
    "held": [{"kind": "fetch", "gate": "r3->r2", "waiting": 1}],
}


@pytest.mark.parametrize("place", WITH_BROKERS)
def test_what_is_written_of_real_brokers_is_as_its_schema_says(
    place: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = WITH_BROKERS[place](run, tmp_path, monkeypatch)
    assert text
    for value in documents(text):
        published_json.expect_published(SCHEMAS[place], value)


def test_every_place_where_json_is_written_is_compared_with_its_schema() -> None:
    assert {place_of(asked.command) for asked in WITHOUT_BROKERS.values()} | WITH_BROKERS.keys() == SCHEMAS.keys()


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        yield f"{path}{name}", found
        if isinstance(found, click.Group):
            yield from commands(found, f"{path}{name} ")


def test_every_option_that_names_a_file_for_json_has_a_schema_and_every_schema_an_option() -> None:
    options = {f"{name} {option}" for name, command in commands(cli) for each in command.params for option in each.opts}
    assert {place for places in WRITTEN_BY.values() for place in places} <= options
    assert {place for place in options if place.endswith((" --json", " --trace-out"))} <= SCHEMAS.keys()


@pytest.mark.parametrize("name", WRITTEN_BY)
def test_a_schema_is_valid_and_refers_only_to_itself(name: str) -> None:
    found = nl.schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    referred = set(references(found))
    assert referred == {f"#/$defs/{part}" for part in found.get("$defs", {})}


def references(value: Any) -> Iterator[str]:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from references(part)
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        yield value["$ref"]


def test_no_two_parts_that_meet_in_one_schema_have_the_same_name() -> None:
    for name in WRITTEN_BY:
        found, waiting = set[tuple[str, str]](), [(name, "")]
        while waiting:
            file, part = waiting.pop()
            whole = {key: value for key, value in document(file).items() if key != "$defs"}
            for reference in references(document(file)["$defs"][part] if part else whole):
                to, _, inner = reference.partition("#/$defs/")
                one = (to.removesuffix(".schema.json") or file, inner)
                waiting += [] if one in found else [one]
                found.add(one)
        assert {inner or file for file, inner in found} == nl.schema(name).get("$defs", {}).keys()
        assert len(found) == len(nl.schema(name).get("$defs", {})), name


def test_a_key_that_is_not_described_is_allowed_by_the_schema_and_noticed_by_the_tests() -> None:
    added = {**trace_values(loss()), "added": 1}
    assert list(Draft202012Validator(nl.schema("trace")).iter_errors(added)) == []
    assert what_is_wrong("trace", added) == "$: Unevaluated properties are not allowed ('added' was unexpected)"
    assert what_is_wrong("trace", trace_values(loss())) is None


@pytest.mark.parametrize("name", ["claims", "audit", "prove", "reproduce"])
def test_a_closed_schema_describes_every_object_at_every_depth(name: str) -> None:
    closed = published_json.closed(nl.schema(name))
    parts = [part for value in objects(closed) if "properties" in value for part in value["properties"].values()]
    assert parts
    for part in parts:
        assert "$ref" not in part or part["unevaluatedProperties"] is False


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("key", document("trace")["required"])
def test_a_missing_or_wrong_value_of_a_required_key_is_refused(key: str) -> None:
    values = trace_values(loss())
    missing = {name: value for name, value in values.items() if name != key}
    assert what_is_wrong("trace", missing) == f"$: '{key}' is a required property"
    assert what_is_wrong("trace", {**values, key: 1.5}) is not None


def test_the_command_prints_a_schema_and_lists_them_all(run: Run) -> None:
    for name in WRITTEN_BY:
        assert run("schema", name) == (0, json_text(nl.schema(name)), "")
    code, out, _ = run("schema")
    assert (code, [line.strip() for line in out.splitlines() if line.startswith("  ") and line[2] != " "]) == (
        0,
        list(WRITTEN_BY),
    )


def test_an_unknown_schema_is_refused(run: Run) -> None:
    code, out, err = run("schema", "aduit")
    assert (code, out) == (2, "")
    assert "no schema is named 'aduit'. Did you mean 'audit'?" in err
    with pytest.raises(nl.NeverlostError, match="Did you mean 'audit'"):
        nl.schema("aduit")


def test_what_is_written_is_json_that_python_reads_back(run: Run) -> None:
    assert json.loads(run("schema", "result")[1]) == nl.schema("result")
