"""What pipelines get from an audit: every format is valid, says the same as the audit, and no text of a file is markup in it."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
from command_line import Run, running
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from published_json import expect_published

from neverlost.explorer.answers.questions import Answers
from neverlost.explorer.search import Limits
from neverlost.reports.audit.as_github import problems_github
from neverlost.reports.audit.as_json import problems_json
from neverlost.reports.audit.as_junit import problems_junit
from neverlost.reports.audit.as_markdown import MOST_CHARACTERS, code, problems_markdown, prose
from neverlost.reports.audit.as_sarif import problems_sarif
from neverlost.reports.audit.formats import FORMATS
from neverlost.reports.audit.remarks import Level, Remark, problems_of, remarks_of
from neverlost.reports.printable import printable
from neverlost.spec.configuration import ConfigurationError, Notice, RefusedTopics, read_deployments
from neverlost.spec.faults import Faults
from neverlost.studies.audit.audit import AuditResult, audit_of
from neverlost.studies.audit.comparison import Examined, compare
from neverlost.studies.audit.dangers import DANGERS
from neverlost.studies.audit.edits import LineChange, Place
from neverlost.studies.audit.examination import tolerance_of
from neverlost.studies.study import Study

pytestmark = pytest.mark.xdist_group("one store for all audits")

ROOT = Path(__file__).parents[3]
SCHEMAS = Path(__file__).parent / "schemas"
ACKS_1 = "examples/audit/acks-1"
SARIF = jsonschema.Draft4Validator(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")))
JUNIT = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))

QUICKLY = settings(deadline=None, max_examples=25)


@pytest.fixture
def audit(store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(ROOT)

    def audit(*arguments: str) -> tuple[int, str, str]:
        return running(capsys, "audit")("--store", str(store), *arguments)

    return audit


@pytest.fixture(scope="module")
def found(store: Path) -> AuditResult:
    """The audit of a producer with acks=1 that should survive a crash: some dangers happen, some do not."""
    deployments = read_deployments([str(ROOT / ACKS_1)], kafka_version="4.1")
    return audit_of(deployments, Study(Answers(store), Limits()), tolerance_of("1 crash", None))


ONE_CRASH = (ACKS_1, "--kafka-version", "4.1", "--tolerate", "1 crash")


def validated_sarif(text: str) -> dict[str, Any]:
    """The one run of a log that is valid SARIF."""
    log = json.loads(text)
    assert [error.message for error in SARIF.iter_errors(log)] == []
    (run,) = log["runs"]
    return dict(run)


def validated_junit(text: str) -> ElementTree.Element:
    JUNIT.validate(ElementTree.ElementTree(ElementTree.fromstring(text)))
    return ElementTree.fromstring(text)


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The workflow commands, read back as the runner of GitHub Actions does (ActionCommand.cs of actions/runner)."""
    found = []
    for line in text.split("\n")[:-1]:
        matched = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert matched is not None, line
        properties = dict(pair.split("=", 1) for pair in matched[2].split(","))
        found.append(
            (matched[1], {n: unescaped(v, "%2C", "%3A") for n, v in properties.items()}, unescaped(matched[3]))
        )
    return found


def unescaped(text: str, *more: str) -> str:
    for escape in ("%0D", "%0A", *more, "%25"):
        text = text.replace(escape, chr(int(escape[1:], 16)))
    return text


def test_sarif_is_valid_and_has_the_place_and_the_fix_of_each_finding(audit: Run) -> None:
    code, out, err = audit(*ONE_CRASH, "--format", "sarif")
    run = validated_sarif(out)
    assert (code, run["invocations"]) == (1, [{"executionSuccessful": True, "exitCode": 1}])
    assert "NOT SAFE with 1 crash" in err
    by_rule = {result["ruleId"]: result for result in run["results"] if result["level"] == "error"}
    assert set(by_rule) == {"acked_never_lost", "written_in_order"}
    lost = by_rule["acked_never_lost"]
    (place,) = lost["locations"]
    artifact = {"uri": f"{ACKS_1}/producer.properties", "uriBaseId": "%SRCROOT%"}
    assert place["physicalLocation"] == {"artifactLocation": artifact, "region": {"startLine": 7}}
    assert (ROOT / ACKS_1 / "producer.properties").read_text(encoding="utf-8").splitlines()[6] == "acks=1"
    (fix,) = lost["fixes"]
    replacement = {"deletedRegion": {"startLine": 7}, "insertedContent": {"text": "acks=all"}}
    below = {"startLine": 13, "startColumn": 1, "endLine": 13, "endColumn": 1}
    added = {"deletedRegion": below, "insertedContent": {"text": "max.in.flight.requests.per.connection=1\n"}}
    assert fix["artifactChanges"] == [{"artifactLocation": artifact, "replacements": [replacement, added]}]
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {result["ruleId"] for result in run["results"]}
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert len(result["locations"]) == 1


def test_what_is_undecided_is_open_in_sarif_and_an_error_in_junit(audit: Run) -> None:
    limited = ("examples/audit/good", "--tolerate", "2 crashes", "--max-states", "9")
    code, out, _ = audit(*limited, "--format", "sarif")
    opened = [result for result in validated_sarif(out)["results"] if result.get("kind") == "open"]
    assert code == 3
    assert opened
    assert {result["level"] for result in opened} == {"none"}
    _, out, _ = audit(*limited, "--format", "junit")
    assert int(validated_junit(out).attrib["errors"]) > 0
    _, out, _ = audit(*limited, "--format", "github")
    assert [title for _, properties, _ in commands(out) if (title := properties["title"]).startswith("undecided: ")]


def test_junit_has_a_case_for_each_danger_and_fails_what_should_be_survived(audit: Run) -> None:
    code, out, _ = audit(*ONE_CRASH, "--format", "junit")
    root = validated_junit(out)
    cases = {case.attrib["name"]: case for case in root.iter("testcase")}
    assert code == 1
    assert list(cases) == ["acknowledged, then lost", "read, then lost", "duplicated", "out of order"]
    failed = [name for name, case in cases.items() if case.find("failure") is not None]
    assert failed == ["acknowledged, then lost", "out of order"]
    assert [root.attrib[name] for name in ("tests", "failures", "errors")] == ["4", "2", "0"]
    failure = cases["acknowledged, then lost"].find("failure")
    assert failure is not None
    assert "acks=1 -> acks=all" in (failure.text or "")
    properties = {p.attrib["name"]: p.attrib["value"] for p in root.iter("property")}
    assert (properties["acks"], properties["replication_factor"], properties["verdict"]) == ("1", "3", "violated")


def test_what_is_safe_but_for_restarts_says_so_in_every_format(audit: Run) -> None:
    """Decision 24: a rolling restart fails no audit, and SAFE is never said without it."""
    said = "SAFE, but NOT SAFE with rolling-restart"
    good = [str(path) for path in sorted((ROOT / "examples/audit/good").iterdir())]
    code, comment, text = audit(*good, "--assume", "commit=sync", "--format", "markdown", "--quiet")
    assert code == 0
    heads = [line for line in comment.splitlines() if line.startswith("#")]
    assert [head for head in heads if said in head] == heads[:2]
    assert text.startswith(f"{said} (topics: {said}; ")
    suites = ElementTree.fromstring(audit(*good, "--format", "junit")[1])
    named = [one.get("value") for one in suites.iter("property") if one.get("name") == "not_safe_with"]
    assert named == ["rolling-restart"]
    assert "rolling-restart" in audit(*good, "--format", "github")[1].partition("::warning")[2]


def test_annotations_begin_with_errors_at_their_lines(audit: Run) -> None:
    code, out, _ = audit(*ONE_CRASH, "--format", "github")
    reported = commands(out)
    kinds = [kind for kind, _, _ in reported]
    assert code == 1
    assert kinds == sorted(kinds, key=["error", "warning", "notice"].index)
    assert (reported[0][1]["file"], reported[0][1]["line"]) == (f"{ACKS_1}/producer.properties", "7")
    assert "acks=1 -> acks=all" in reported[0][2]


def test_markdown_begins_with_the_verdict_and_shows_fixes_as_a_diff(audit: Run) -> None:
    _, out, _ = audit(*ONE_CRASH, "--format", "markdown")
    tokens = MarkdownIt("commonmark").enable("table").parse(out)
    assert out.startswith("## neverlost: NOT SAFE\n")
    assert "max.in.flight.requests.per.connection=1" in out
    assert out.count("<details>") == out.count("</details>") == 2
    assert [token.type for token in tokens].count("table_open") == 1


def test_the_format_json_is_what_the_option_json_writes(audit: Run, tmp_path: Path) -> None:
    _, out, _ = audit(*ONE_CRASH, "--format", "json", "--json", str(tmp_path / "a.json"))
    assert out == (tmp_path / "a.json").read_text(encoding="utf-8")
    assert json.loads(out)["baseline"] is None
    expect_published("audit", json.loads(out))


def test_wrong_input_is_published_json_too(audit: Run) -> None:
    _, out, _ = audit(WRONG, "--format", "json")
    expect_published("audit", json.loads(out))
    assert [(p["key"], p["line"]) for p in json.loads(out)["problems"]] == [("min.insync.replicas", 4)]


@pytest.mark.parametrize("form", FORMATS)
def test_topics_that_are_refused_are_in_every_format(form: str, found: AuditResult) -> None:
    problem = Notice(what="it is odd.", key="acks", file="topics.txt", line=3)
    some = replace(found, refused=[RefusedTopics(topics=("odd",), problems=(problem,))])
    text = FORMATS[form].audit(some)
    assert "it is odd." in text
    assert "odd" in text.replace("it is odd", "")
    if form == "junit":
        assert validated_junit(text).attrib["errors"] == "1"
    if form == "sarif":
        rules = [result["ruleId"] for result in validated_sarif(text)["results"] if result["level"] == "error"]
        assert "input/acks" in rules


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_worse_in_a_reading_that_is_not_examined_is_in_every_format(form: str, found: AuditResult) -> None:
    worse = ((DANGERS[2], Faults.of({"pauses": 1})),)
    same = Examined(examinations=[one.examination for one in found.classes])
    text = FORMATS[form].audit(replace(found, comparison=replace(compare(same, same), worse=worse)))
    assert "a record is written twice, with 1 pause" in text
    if form == "junit":
        assert validated_junit(text).attrib["errors"] == "1"
    if form == "sarif":
        assert validated_sarif(text)["results"][0]["level"] == "error"


@pytest.mark.parametrize("form", ["text", *FORMATS])
def test_with_a_file_to_write_the_text_goes_to_standard_output_as_ever(form: str, audit: Run, tmp_path: Path) -> None:
    _, plain, _ = audit(*ONE_CRASH)
    code, out, err = audit(*ONE_CRASH, "--format", form, "--out", str(tmp_path / "written"))
    assert (code, out) == (1, plain)
    _, printed, _ = audit(*ONE_CRASH, "--format", form)
    assert (tmp_path / "written").read_text(encoding="utf-8") == printed
    assert "written" not in err


def test_two_results_to_standard_output_are_refused(audit: Run) -> None:
    code, out, err = audit(*ONE_CRASH, "--format", "sarif", "--json", "-")
    assert (code, out) == (2, "")
    assert "--json and --format would both write to -" in err


BROKER = "process.roles=broker\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
PRODUCER = "acks=all\nenable.idempotence=true\nmax.in.flight.requests.per.connection=1\nkey.serializer=a.B\n"
TOPIC_THAT_SETS_NOTHING = "Topic: orders\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
SET_FOR_ALL = "Default configs for brokers in the cluster are:\n  {} sensitive=false synonyms={{}}\n"
CONNECTOR = """name=s
connector.class=a.Source
producer.override.enable.idempotence=true
topic.creation.default.partitions=1
topic.creation.default.replication.factor={}
"""
HIDDEN = {
    "min.insync.replicas=1 was set at run time": (
        {"topics": TOPIC_THAT_SETS_NOTHING, "cluster": SET_FOR_ALL.format("min.insync.replicas=1")},
        ("violated", "3", "1"),
    ),
    "min.insync.replicas=2 was set at run time": (
        {"topics": TOPIC_THAT_SETS_NOTHING, "cluster": SET_FOR_ALL.format("min.insync.replicas=2")},
        ("holds", "3", "2"),
    ),
    "the connector has its topics created with one replica": (
        {"connector": CONNECTOR.format(1)},
        ("violated", "1", "1"),
    ),
    "the connector has its topics created with three replicas": (
        {"connector": CONNECTOR.format(3)},
        ("holds", "3", "2"),
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_goes_before_the_broker_s_file_decides_the_verdict(name: str, audit: Run, tmp_path: Path) -> None:
    texts, expected = HIDDEN[name]
    beside = {} if "connector" in texts else {"producer.properties": PRODUCER}
    for file, text in ({"server.properties": BROKER} | beside | texts).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    said = ("--kafka-version", "4.1.0", "--assume", "elr=on", "--tolerate", "1 power loss")
    code, out, _ = audit(str(tmp_path), *said, "--format", "junit")
    properties = {p.attrib["name"]: p.attrib["value"] for p in validated_junit(out).iter("property")}
    assert tuple(properties[key] for key in ("verdict", "replication_factor", "min_isr")) == expected
    assert code == (1 if expected[0] == "violated" else 0)


WRONG = "tests/spec/configuration/wrong/duplicate-key"


@pytest.mark.parametrize("form", FORMATS)
def test_wrong_input_is_reported_in_every_format_and_on_standard_error(form: str, audit: Run) -> None:
    code, out, err = audit(WRONG, "--format", form)
    assert code == 2
    assert "set again to" in err
    assert "set again to" in out.replace("\\", "")
    assert "topic.properties" in out


def test_wrong_input_in_sarif_is_a_notification_of_a_tool_that_did_not_run(audit: Run) -> None:
    _, out, _ = audit(WRONG, "--format", "sarif")
    run = validated_sarif(out)
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], "results" in run) == (False, False)
    (reported,) = invocation["toolConfigurationNotifications"]
    place = reported["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == (f"{WRONG}/topic.properties", {"startLine": 4})


def test_wrong_input_is_annotated_at_its_line(audit: Run) -> None:
    _, out, _ = audit(WRONG, "--format", "github")
    ((kind, properties, _),) = commands(out)
    assert (kind, properties["file"], properties["line"]) == ("error", f"{WRONG}/topic.properties", "4")


def test_wrong_input_is_an_error_in_junit(audit: Run) -> None:
    _, out, _ = audit(WRONG, "--format", "junit")
    root = validated_junit(out)
    assert (root.attrib["tests"], root.attrib["errors"]) == ("1", "1")


def test_standard_input_is_audited_in_every_format(audit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in FORMATS:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"acks=1\n")))
        code, out, err = audit("-", "--kafka-version", "4.1", "--tolerate", "1 crash", "--format", form)
        assert (code, "acks" in out) == (1, True), err
        assert "standard input:1" in err
        if form == "sarif":
            places = [place for result in validated_sarif(out)["results"] for place in result["locations"]]
            uris = {place["physicalLocation"]["artifactLocation"]["uri"] for place in places}
            assert uris <= {"standard%20input"}


@pytest.mark.parametrize("named", [("-", "topic:-"), ("-", "--baseline", "-")])
def test_standard_input_that_is_named_twice_is_refused(named: tuple[str, ...], audit: Run) -> None:
    code, out, err = audit(*named)
    assert (code, out) == (2, "")
    assert "standard input is named more than once." in err


def test_wrong_options_are_reported_in_the_format_too(audit: Run) -> None:
    code, out, _ = audit(*ONE_CRASH[:-1], "1 meteor", "--format", "github")
    ((kind, _, message),) = commands(out)
    assert (code, kind) == (2, "error")
    assert "'1 meteor' is not a number and a fault" in message


CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    "\"'`%<>&|*_[]()#@:,\\\n\r\t\x1b\x07\u202e\ufffe\udc80"
)
TEXTS = st.text(CHARACTERS, min_size=1, max_size=30)
NAMES = st.text(CHARACTERS.filter(lambda c: c not in "\0/"), min_size=1, max_size=20).filter(
    lambda n: n not in (".", "..")
)


@st.composite
def remarks(draw: st.DrawFn) -> Remark:
    """A remark all of whose words come from files."""
    notice = Notice(
        what=draw(TEXTS),
        why=draw(TEXTS),
        advice=draw(TEXTS),
        key=draw(TEXTS),
        file=draw(NAMES),
        line=draw(st.none() | st.integers(1, 9)),
    )
    (remark,) = problems_of(ConfigurationError([notice]))
    return remark


def shown(text: str) -> str:
    """What a reader gets to see of a text, whose lines are joined."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t").strip()


@QUICKLY
@given(remarks())
def test_sarif_carries_any_text_and_any_name_of_a_file(remark: Remark) -> None:
    run = validated_sarif(problems_sarif([remark]))
    (reported,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert reported["message"]["text"] == printable(remark.text)
    assert remark.place is not None
    uri = reported["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == remark.place.file.encode("utf-8", "surrogateescape")
    assert re.fullmatch(r"[A-Za-z0-9._~%/-]+", uri)


@QUICKLY
@given(st.lists(remarks(), max_size=3))
def test_annotations_carry_any_text_one_to_a_line(found: list[Remark]) -> None:
    reported = commands(problems_github(found))
    for (_, properties, message), remark in zip(reported, found, strict=True):
        assert remark.place is not None
        assert message == printable(remark.text)
        assert properties == {
            "file": printable(remark.place.file),
            "line": str(remark.place.line or 1),
            "title": printable(remark.title),
        }


@QUICKLY
@given(st.lists(remarks(), max_size=3))
def test_junit_carries_any_text_and_is_well_formed(found: list[Remark]) -> None:
    cases = list(validated_junit(problems_junit(found)).iter("testcase"))
    for case, remark in zip(cases, found, strict=True):
        assert case.attrib["name"] == printable(remark.title)
        error = case.find("error")
        assert error is not None
        assert printable(remark.message) in (error.text or "")


@QUICKLY
@given(st.lists(remarks(), max_size=3))
def test_json_carries_any_text(found: list[Remark]) -> None:
    reported = json.loads(problems_json(found))["problems"]
    notices = [remark.notice for remark in found if remark.notice is not None]
    assert [Notice(**one) for one in reported] == notices
    assert len(reported) == len(found)


def inline(text: str) -> list[Any]:
    """The tokens of a paragraph that is all of the text."""
    opening, paragraph, closing = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    assert (opening.type, closing.type) == ("paragraph_open", "paragraph_close")
    return list(paragraph.children or [])


@QUICKLY
@given(TEXTS.filter(lambda text: shown(text) != ""))
def test_prose_has_no_markup_and_reads_as_the_text(text: str) -> None:
    tokens = inline(prose(text))
    assert {token.type for token in tokens} <= {"text", "code_inline", "text_special"}
    assert "".join(token.content for token in tokens) == shown(text)
    assert not re.search("[@#]", "".join(token.content for token in tokens if token.type != "code_inline"))


@QUICKLY
@given(TEXTS)
def test_code_reads_as_the_text(text: str) -> None:
    (token,) = inline(f"a {code(text)}")[1:]
    assert (token.type, token.content) == ("code_inline", printable(text).replace("\n", "\\n").replace("\t", "\\t"))


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "&lt;b&gt;",
        "[a](http://b.example)",
        "http://b.example",
        "www.b.example",
        ":smile:",
        "$x$",
        "@team",
        "#12",
        "1. one",
        "- one",
        "| a | b |\n|---|---|",
        "    four blanks",
        "a\n\n# b",
    ],
)
def test_nothing_from_a_file_is_markup_in_a_comment(text: str) -> None:
    assert "".join(token.content for token in inline(prose(text))) == shown(text)
    assert not re.search(r"(?<!\\):\S|(?<!\\)\$|www\.|(?<!`)[@#]", prose(text))


@QUICKLY
@given(TEXTS, NAMES)
def test_an_audit_of_files_with_odd_names_and_values_is_valid_in_every_format(
    found: AuditResult, text: str, name: str
) -> None:
    """The texts of a real audit's deployment are exchanged, as if its files had them."""
    (only,) = found.classes
    warning = Notice(what=text, why=text, advice=text, key=text, file=name, line=2, decides=True)
    acks = replace(only.deployment.sources["acks"], file=name, key=text)
    odd = replace(
        only.deployment,
        topics=(text,),
        warnings=(warning,),
        sources={**only.deployment.sources, "acks": acks},
        files=tuple(
            replace(
                file,
                path=name,
                entries=tuple(replace(e, file=name, key=text, written=f"{text}=1") for e in file.entries),
            )
            for file in only.deployment.files
        ),
    )
    readings = replace(only.readings, examination=replace(only.examination, deployment=odd))
    changed = replace(found, classes=[replace(only, readings=readings)])
    validated_junit(FORMATS["junit"].audit(changed))
    run = validated_sarif(FORMATS["sarif"].audit(changed))
    assert printable(f"{text}: {text} {text}".strip()) in run["results"][-1]["message"]["text"]
    assert {properties["file"] for _, properties, _ in commands(FORMATS["github"].audit(changed))} == {printable(name)}
    assert json.loads(FORMATS["json"].audit(changed))["classes"][0]["topics"] == [text]
    blocks = MarkdownIt("commonmark").enable("table").parse(FORMATS["markdown"].audit(changed))
    html = [block.content for block in blocks if block.type == "html_block"]
    assert all(re.fullmatch(r"<details><summary>[^<]*</summary>\n|</details>\n", block) for block in html)


def test_a_comment_that_would_be_too_long_is_cut_at_a_whole_part() -> None:
    one = Remark(rule="input", title="a", message="🦆" * 1000, level=Level.ERROR, identity=(), place=Place(file="a"))
    text = problems_markdown([one] * 100)
    lines = text.rstrip().split("\n")
    assert len(text.encode("utf-16-le")) / 2 <= MOST_CHARACTERS < len(text.encode("utf-16-le")) / 2 + 2100
    assert lines[-1].startswith("**Cut here**")
    assert {line for line in lines if "🦆" in line} == {f"- `a`: {'🦆' * 1000}"}
    assert problems_markdown([one]).endswith("🦆\n")


def remark_named(found: AuditResult, rule: str) -> Remark:
    return next(remark for remark in remarks_of(found) if remark.rule == rule)


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("acks=1", "acks=all"),
        ("  acks = 1  ", "  acks = all"),
        ("acks:1", "acks:all"),
        ("acks 1", None),
        ("ac\\ks=1", None),
        ("acks=\\\n1", None),
    ],
)
def test_only_a_plain_line_is_replaced(line: str, becomes: str | None, tmp_path: Path, store: Path) -> None:
    one_request = "max.in.flight.requests.per.connection=1"
    (tmp_path / "producer.properties").write_text(f"linger.ms=5\n{one_request}\n{line}\n", encoding="utf-8")
    topic = "replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=false\n"
    (tmp_path / "topic.properties").write_text(topic, encoding="utf-8")
    deployments = read_deployments([str(tmp_path)], kafka_version="4.1")
    found = audit_of(deployments, Study(Answers(store), Limits()), tolerance_of("1 crash", None))
    lines = remark_named(found, "acked_never_lost").lines
    place = Place(file=str(tmp_path / "producer.properties"), line=3)
    assert list(lines) == ([] if becomes is None else [LineChange(place=place, before=line, after=becomes)])


def test_a_file_outside_of_the_folder_has_an_absolute_address(audit: Run, tmp_path: Path) -> None:
    (tmp_path / "topic.properties").write_text("replication.factor=1\nmin.insync.replicas=none\n", encoding="utf-8")
    _, out, _ = audit(str(tmp_path / "topic.properties"), "--format", "sarif")
    (reported,) = validated_sarif(out)["invocations"][0]["toolConfigurationNotifications"]
    assert reported["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": (tmp_path / "topic.properties").as_uri()
    }
