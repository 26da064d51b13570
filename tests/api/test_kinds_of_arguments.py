"""Arguments of another kind are refused with what to write, and every result is one short line where Python shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import neverlost as nl
from neverlost.api.arguments import ArgumentError

MODEL = nl.profile("published/replicated-log").model(replicas=2, log_size=1, records=1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: nl.check("kafka-4.1"),  # type: ignore[arg-type]
            "'kafka-4.1' is a name, and a model is needed; write nl.profile('kafka-4.1').model()",
        ),
        (lambda: nl.check(nl.profile("kafka-4.1")), "kafka-4.1 is a profile, and a model is needed"),  # type: ignore[arg-type]
        (lambda: nl.check(None), "a model is needed, and None is of type NoneType"),  # type: ignore[arg-type]
        (lambda: nl.prove("published/kip-320", "strong_isr"), "write nl.profile('published/kip-320').model()"),  # type: ignore[arg-type]
        (lambda: nl.check(MODEL, engine="spark"), "engine is 'spark'; write engine=nl.Spark(store=FOLDER)"),  # type: ignore[arg-type]
        (lambda: nl.check(MODEL, limits=10), "limits is 10; write limits=nl.Limits(seconds=60)"),  # type: ignore[arg-type]
        (lambda: nl.audit(["a", "b"]), "a file is ['a', 'b']; write nl.audit(*files)"),  # type: ignore[arg-type]
        (
            lambda: nl.prove(MODEL, "type_ok", any_bounds=True, k=2),
            "any_bounds proves by induction over one step, and searches no states; leave out k and limits",
        ),
        (lambda: nl.check(MODEL, symmetry="replica"), "a list of names is needed; write symmetry=['replica']"),
        (lambda: nl.prove(MODEL, ["type_ok"]), "property_name is ['type_ok']; write one name, as text"),  # type: ignore[arg-type]
        (lambda: nl.profile(3.9), "reference is 3.9; write one name, as text"),  # type: ignore[arg-type]
        (lambda: nl.check(MODEL, "type_ok"), "a list of names is needed; write properties=['type_ok']"),
        (lambda: nl.matrix(versions="3.9"), "a list of names is needed; write versions=['3.9']"),
        (lambda: nl.matrix(properties=["type_ok"]), "properties only go with a profile"),
        (lambda: nl.matrix("kafka-4.1", versions=["4.1"]), "versions only goes with a family: replication, groups"),
        (lambda: nl.compare(3.9, "4.1"), "first is 3.9; write one name, as text"),  # type: ignore[arg-type]
        (lambda: nl.check(MODEL, 3), "properties is 3, and a list of names is needed"),  # type: ignore[arg-type]
        (lambda: nl.audit("a", kafka_version=3.9), 'kafka_version is 3.9; write kafka_version="3.9.1"'),  # type: ignore[arg-type]
        (lambda: nl.audit("a", assume={"elr": "on"}), 'write assume="elr=on,client=java"'),  # type: ignore[arg-type]
        (lambda: nl.audit("a", topics="orders"), "a list of names is needed; write topics=['orders']"),
        (lambda: nl.history([{"f": "send"}]), "write a path, as text"),  # type: ignore[arg-type]
        (lambda: nl.load_trace(3), "path is 3; write a path, as text"),  # type: ignore[arg-type]
        (lambda: nl.resume(3), "store is 3; write a path, as text"),  # type: ignore[arg-type]
        (lambda: nl.conform(3, "inprocess"), "suite_or_trace is 3; write a path, as text"),  # type: ignore[arg-type]
    ],
)
def test_an_argument_of_another_kind_is_refused_with_what_to_write(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        call()
    assert said in str(raised.value)


@pytest.mark.parametrize("limits", [{"seconds": "10"}, {"states": True}, {"memory_bytes": [1]}])
def test_a_limit_that_is_no_number_is_refused(limits: dict[str, object]) -> None:
    with pytest.raises(nl.NeverlostError, match=f"the limit {next(iter(limits))} is .*; write a number"):
        nl.Limits(**limits)  # type: ignore[arg-type]


def test_a_property_that_was_not_decided_is_refused_with_the_nearest_and_the_result_is_still_a_mapping() -> None:
    result = nl.check(MODEL, ["type_ok"])
    with pytest.raises(nl.NeverlostError) as raised:
        result["type_okay"]
    assert str(raised.value).startswith("no property of this check is named 'type_okay'. Did you mean 'type_ok'?")
    assert "type_okay" not in result
    assert result.get("type_okay") is None


LOSSY = {"acks": "1", "leader_moves": 1}


def test_a_verdict_is_not_true_or_false_and_says_what_to_write() -> None:
    """`assert nl.check(model)` would pass although the property is violated."""
    result = nl.check(nl.profile("kafka-3.7").model(**LOSSY), ["acked_never_lost"])
    proof = nl.prove(MODEL, "type_ok")
    for judged, said in ((result, "holds"), (result["acked_never_lost"], "holds"), (proof, "proven")):
        with pytest.raises(ArgumentError, match=f"is not true or false; write .{said}, or .assert_{said}"):
            bool(judged)


def test_a_verdict_names_the_settings_and_faults_that_it_is_for() -> None:
    profile = nl.profile("kafka-3.7")
    careful, lossy = profile.model(acks="1"), profile.model(**LOSSY)
    text = " ".join(str(nl.check(careful, ["acked_never_lost"])).split())
    assert ', with acks="1", with no faults: every property holds' in text
    assert "which never happened." in text
    assert ', with acks="1", leader_moves=1: acked_never_lost is VIOLATED' in " ".join(
        str(nl.check(lossy, ["acked_never_lost"])).split()
    )
    assert repr(lossy).endswith(', with acks="1", leader_moves=1>')


def test_the_plain_values_say_that_no_fault_may_happen() -> None:
    profile = nl.profile("kafka-3.7")
    for settings, without in (({"acks": "1"}, True), (LOSSY, False)):
        assert nl.check(profile.model(**settings), ["acked_never_lost"]).to_dict()["no_faults"] is without
    assert nl.check(MODEL, ["type_ok"]).to_dict()["no_faults"] is False


def test_a_conformance_and_a_history_are_not_true_or_false_either() -> None:
    trace = nl.check(nl.profile("kafka-3.7").model(**LOSSY), ["acked_never_lost"])["acked_never_lost"].trace
    assert trace is not None
    conformance, history = nl.conform(trace, "inprocess"), nl.history("examples/histories/lost.edn")
    assert "committed" in conformance.never_compared
    for judged, said in ((conformance, "passed"), (history, "clean")):
        with pytest.raises(ArgumentError, match=f"is not true or false; write .{said}, or .assert_{said}"):
            bool(judged)


def test_a_proof_is_shown_as_text_and_may_be_for_any_bounds() -> None:
    model = nl.profile("published/replicated-log").model(replicas=2, log_size=1, records=1)
    proof = nl.prove(model, "type_ok", any_bounds=True)
    assert (proof.for_any_bounds, proof.trace, proof.suggestions()) == (True, None, [])
    assert str(proof).startswith(
        "published/replicated-log (any replicas, any log_size, any records): type_ok is PROVEN"
    )
    assert "<pre>" in proof._repr_html_()
    within = nl.prove(model, "type_ok")
    assert not within.for_any_bounds
    assert str(within).startswith("published/replicated-log (replicas 2, log_size 1, records 1): type_ok is PROVEN")


def test_an_open_proof_says_each_query_once_and_what_may_help() -> None:
    profile = nl.profile("published/kip-320")
    bounds = {"replicas": 2, "log_size": 1, "records": 1, "leader_epochs": 2}
    proof = nl.prove(replace(profile, lemmas=()).model(**bounds), "strong_isr")
    text = " ".join(proof.text().split())
    assert "is UNDECIDED" in text
    assert len(proof.failing) > 1
    assert [text.count(query) for query in proof.failing] == [1] * len(proof.failing)
    assert text.endswith("suggestions() searches for lemmas that exclude the first counterexample.")
    assert "suggestions()" not in nl.prove(profile.model(**bounds), "strong_isr").text()


def test_a_limit_of_another_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(nl.NeverlostError, match=r"no limit is named 'max_states'\. Did you mean 'states'"):
        nl.Limits(max_states=100)  # type: ignore[call-arg]
    assert replace(nl.Limits(states=4), seconds=3.0) == nl.Limits(states=4, seconds=3.0)


def test_a_trace_of_a_profile_in_no_file_names_the_call_that_finds_it_again() -> None:
    own = replace(nl.profile("kafka-3.7"), name="mine", family="")
    text = str(nl.check(own.model(**LOSSY), ["acked_never_lost"]))
    assert "To see this again, with the profile mine" in text
    assert 'nl.check(PROFILE.model(acks="1", leader_moves=1), ["acked_never_lost"])' in text
    assert "neverlost check mine" not in text


def test_the_text_and_the_plain_values_of_a_check_say_which_step_is_that_of_no_return() -> None:
    result = nl.check(nl.profile("kafka-3.7").model(acks="1", crashes=1), ["acked_never_lost"])
    trace = result["acked_never_lost"].trace
    assert trace is not None
    words = (
        "Within these bounds, step 3 is the step of no return: after it, nothing keeps acked_never_lost true without another"
        " fault. Before it, this does: restart(replica=r1)."
    )
    assert (trace.no_return, trace.no_return_words) == (3, words)
    assert words in " ".join(result.text().split())
    assert result.to_dict()["properties"]["acked_never_lost"]["trace"]["no_return"] == {
        "step": 3,
        "rescue": ["restart(replica=r1)"],
        "undecided": False,
        "at_latest": None,
        "words": words,
    }


def test_every_result_is_one_short_line() -> None:
    lossy = nl.check(nl.profile("kafka-3.7").model(acks="1", leader_moves=1), ["acked_never_lost"])
    trace = lossy["acked_never_lost"].trace
    assert trace is not None
    proof = nl.prove(
        nl.profile("published/kip-320").model(replicas=2, log_size=1, records=1, leader_epochs=2), "strong_isr"
    )
    folder = "examples/audit/acks-1"
    audit = nl.audit(*(f"{folder}/{name}.properties" for name in ("producer", "topic", "server")))
    assert repr(MODEL) == "<Model published/replicated-log (replicas 2, log_size 1, records 1)>"
    assert repr(lossy["acked_never_lost"]) == "<Finding acked_never_lost: violated>"
    assert repr(trace) == "<Trace of kafka-3.7: 3 steps>"
    assert repr(nl.conform(trace, "inprocess")) == "<Conformance: 1 case, 0 failed>"
    assert repr(proof) == "<Proof strong_isr: proven, from 18 lemmas>"
    assert repr(audit) == "<Audit: violated, 1 deployment>"
    profile = nl.profile("kafka-3.7")
    assert (
        "\nDo first: In examples/audit/acks-1/producer.properties line 7: acks=1 -> acks=all; and add" in audit.text()
    )
    assert repr(profile) == f"<Profile kafka-3.7: {profile.statement}>"
    assert repr(profile.properties[0]).startswith("<Property acked_never_lost: Every acknowledged value")
    assert repr(profile.actions[0]) == f"<Action {profile.actions[0].name}: {profile.actions[0].statement}>"
    assert repr(nl.profiles()) == f"<{len(nl.profiles())} profiles, by name>"
    assert repr(lossy).startswith("<CheckResult kafka-3.7: violated, ")
    assert len(repr(lossy)) < 80


def test_a_notebook_shows_the_picture_of_a_trace_as_an_image() -> None:
    result = nl.check(nl.profile("kafka-3.7").model(acks="1", leader_moves=1), ["acked_never_lost"])
    trace = result["acked_never_lost"].trace
    assert trace is not None
    shown = trace._repr_html_()
    assert shown.startswith('<img alt="')
    assert 'src="data:image/svg+xml;base64,' in shown
    whole = result._repr_html_()
    assert whole.startswith("<pre>kafka-3.7")
    assert whole.endswith(f"</pre>{shown}")


def test_what_an_option_turns_off_is_turned_off_by_the_same_word() -> None:
    profile = nl.profile("kafka-4.1")
    assert profile.model(clean=True).settings == profile.model(unclean=False).settings
    assert profile.model(clean=False).settings == profile.model(unclean=True).settings
    assert profile.model(forgets_known_ends=True).settings == profile.model(keeps_known_ends=False).settings
    with pytest.raises(nl.NeverlostError, match="clean is the opposite of unclean; give one of them"):
        profile.model(clean=True, unclean=True)
    with pytest.raises(nl.NeverlostError, match=r"settings\.unclean is 'maybe'"):
        profile.model(clean="maybe")
