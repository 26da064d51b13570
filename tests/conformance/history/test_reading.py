"""What may stand in a history, and what is said of what may not."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from written_histories import as_json, assign, edn_lines, op, poll, recorded, send

from neverlost.conformance.history import History, HistoryError, operations
from neverlost.conformance.history.edn import EdnReader

OPERATIONS = [*assign(1, 5), *send(0, 5, 10, 0), *send(0, 5, 11, 1), *poll(1, 5, (0, 10), (1, 11))]


def content(history: History) -> tuple[object, ...]:
    sends = list(zip(history.sends.value.tolist(), history.sends.offset.tolist(), strict=True))
    reads = list(zip(history.reads.value.tolist(), history.reads.offset.tolist(), strict=True))
    return history.operations, sends, reads, history.malformed


EXPECTED = (8, [(10, 0), (11, 1)], [(10, 0), (11, 1)], ())
LINES = edn_lines(OPERATIONS)
FORMS = {
    "JSON, a line each": as_json(OPERATIONS),
    "JSON, an array on one line": json.dumps(OPERATIONS),
    "JSON, an array, indented": json.dumps(OPERATIONS, indent=2),
    "EDN, a line each": LINES,
    "EDN, records of Jepsen": "".join(f"#jepsen.history.Op{line}\n" for line in LINES.splitlines()),
    "EDN, a vector": f"[{LINES.rstrip()}]\n",
    "EDN, a vector on one line": f"[{LINES.replace(chr(10), ' ')}]",
    "EDN, a list after a comment": f"; a run\n({LINES})",
    "EDN, over several lines": LINES.replace(", ", ",\n  "),
    "EDN, with blank lines and no commas": LINES.replace(",", "").replace("\n", "\n\n"),
    "EDN, with strings in it": LINES.replace(":process", ':error ["it broke; {" \\a] :process'),
    "EDN, with a part that is discarded": LINES.replace(":process", '#_ "skipped" :process'),
    "EDN, with tags and sets": LINES.replace(":process", ':at #inst "2026-01-01" :keys #{1 2} :process'),
    "EDN, with other numbers": LINES.replace(":process", ":seconds 1.5M :count 3N :process"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_history_may_be_written_in_this_form(form: str) -> None:
    assert content(recorded(FORMS[form])) == EXPECTED


def test_operations_that_are_none_of_a_client_are_passed_over() -> None:
    nemesis = [op("info", "kill", "nemesis", None), op("info", "start-partition", "nemesis", {"n1": ["n2"]})]
    assert content(recorded(as_json([*nemesis, *OPERATIONS])))[1:] == EXPECTED[1:]
    assert content(recorded(edn_lines([*nemesis, *OPERATIONS])))[1:] == EXPECTED[1:]


def test_values_and_partitions_may_be_names() -> None:
    history = recorded(as_json([op("ok", "produce", "p1", {"id": 7}, key="orders-0", offset=0)]))
    assert history.partitions == ("orders-0",)
    assert history.processes == ("p1",)
    assert history.value_name(int(history.sends.value[0])) == "{'id': 7}"


def test_an_operation_keeps_the_number_that_the_history_gives_it() -> None:
    numbered = [{**one, "index": 100 + number} for number, one in enumerate(OPERATIONS)]
    assert [recorded(as_json(numbered)).index_of(n) for n in (0, 7)] == [100, 107]
    assert recorded(as_json(OPERATIONS)).index_of(7) == 7


GOOD = as_json(OPERATIONS)
GOOD_EDN = LINES
DEEP = "[" * 3_000 + "]" * 3_000
WRONG: dict[str, tuple[str, int, str]] = {
    "no JSON": (f"{GOOD}{{oops\n{GOOD}", 9, "'{oops' is not JSON"),
    "JSON too deep for Python": (f"{GOOD}{DEEP}\n{GOOD}", 9, "is nested more than 100 deep"),
    "JSON too deep for us": (f'{GOOD}{{"value": {"[" * 300}{"]" * 300}}}\n{GOOD}', 9, "is nested more than 100 deep"),
    "JSON with infinity": (f'{GOOD}{{"value": Infinity}}\n{GOOD}', 9, "holds Infinity, which is not a number"),
    "JSON with a number too long": (f"{GOOD}{'9' * 5_000}\n{GOOD}", 9, "value has 5000 digits)"),
    "an array with an element too deep": (
        f"{json.dumps(OPERATIONS)[:-1]}, {DEEP}]",
        1,
        "an element of the array is nested more than 100 deep",
    ),
    "an array with a number too long": (f"{json.dumps(OPERATIONS)[:-1]}, {'9' * 5_000}]", 1, "value has 5000 digits"),
    "EDN too deep for Python": (f"{GOOD_EDN}{{:a {DEEP}}}\n", 9, "it is nested more than 100 deep"),
    "EDN lists too deep": (f"{GOOD_EDN}{{:a {'(' * 3_000}\n", 9, "it is nested more than 100 deep"),
    "an EDN number too long": (f"{GOOD_EDN}{{:a {'9' * 5_000}, :b}}\n", 9, "is a number of 5,000 digits"),
    "no map": (f"{GOOD}[1, 2]\n{GOOD}", 9, "[1, 2] is not an object; expected an operation"),
    "neither type nor function": (f'{GOOD}{{"a": 1}}\n', 9, 'it has neither "type" nor "f"'),
    "an unknown type": (
        GOOD + '{"type": "oki", "f": "send", "process": 1}\n',
        9,
        '"type" is "oki"; expected invoke, ok',
    ),
    "no process": (GOOD + '{"type": "ok", "f": "send", "value": []}\n', 9, '"process" is missing'),
    "a value that is no list": (
        GOOD + as_json([op("ok", "send", 0, 5)]),
        9,
        '"value" is 5; expected a list like [["send", 5',
    ),
    "a part that is neither": (
        GOOD + as_json([op("ok", "send", 0, [["sent", 1, 2]])]),
        9,
        "is neither a send nor a poll",
    ),
    "a poll of a number": (GOOD + as_json([op("ok", "poll", 0, [["poll", 7]])]), 9, '["poll", 7] is not a poll'),
    "a pair of three": (GOOD + as_json([op("ok", "poll", 0, [["poll", {"5": [[1, 2, 3]]}]])]), 9, "[offset, value]"),
    "an offset below 0": (GOOD + as_json([op("ok", "send", 0, [["send", 5, [-1, 7]]])]), 9, "the offset is -1"),
    "an offset that is a text": (GOOD + as_json([op("ok", "poll", 0, [["poll", {"5": [["1", 7]]}]])]), 9, 'is "1"'),
    "an index that is a text": (
        GOOD + '{"type": "ok", "f": "send", "process": 1, "index": "x"}\n',
        9,
        '"index" is "x"',
    ),
    "an offset beyond all": (
        GOOD + as_json([op("ok", "send", 0, [["send", 5, [1 << 63, 7]]])]),
        9,
        "of at most 61 bits",
    ),
    "a poll beyond all": (GOOD + as_json([op("ok", "poll", 0, [["poll", {"5": [[1 << 63, 7]]}]])]), 9, "61 bits"),
    "an index beyond all": (GOOD + f'{{"type": "ok", "f": "send", "process": 1, "index": {1 << 63}}}\n', 9, "61 bits"),
    "a function that is a list": (GOOD + '{"type": "ok", "f": ["send"], "process": 1}\n', 9, '"f" is ["send"]'),
    "a process that is a list": (GOOD + '{"type": "ok", "f": "send", "process": [1]}\n', 9, '"process" is [1]'),
    "EDN without a type": (f"{GOOD_EDN}{{[1] 2, :f :send}}\n{GOOD_EDN}", 9, ":type is nil; expected invoke, ok"),
    "an EDN key twice": (f"{GOOD_EDN}{{:f :kill, :type :info, :f :send}}\n{GOOD_EDN}", 9, "a map has a key twice"),
    "a partition twice in a poll": (
        f"{GOOD_EDN}{{:type :ok, :f :poll, :process 1, :value [[:poll {{5 [[0 10]] 5 [[1 11]]}}]]}}\n",
        9,
        "a map has a key twice",
    ),
    "EDN that discards nothing": (
        f"{GOOD_EDN}{{:f :kill, :type :info #_}}\n{GOOD_EDN}",
        9,
        "#_ has nothing to discard",
    ),
    "EDN that discards nothing at the end": (f"{GOOD_EDN}#_\n", 9, "#_ has nothing to discard; expected a form"),
    "an EDN vector that is cut off": (f"[{GOOD_EDN}", 1, "the [ around the history is not closed; expected ]"),
    "JSON that is whole only with the next line": (f'{GOOD}{{"a": [1\n', 9, "is not JSON"),
    "more after an array": (f"{json.dumps(OPERATIONS)}\n\n[{{}}]", 3, "'[{}]' follows the array; expected nothing"),
    "EDN that closes too much": (f"{GOOD_EDN}{{:f :kill}}}}\n{GOOD_EDN}", 9, "} closes nothing that is open"),
    "EDN that closes otherwise": (f"{GOOD_EDN}{{:a [1}}\n{GOOD_EDN}", 9, "} closes nothing that is open; expected ]"),
    "EDN that never closes": (f"{GOOD_EDN}{{:a [1 2\n", 9, "{ is not closed; expected }"),
    "EDN that is cut off in the middle": (f"{GOOD_EDN}{{:a [1 2\n{GOOD_EDN}", 9, "{ is not closed; expected }"),
    "an EDN string that is cut off": (f'{GOOD_EDN}{{:a "one\n{GOOD_EDN}', 9, 'a string is not closed; expected a "'),
    "an EDN string that never closes": (f'{GOOD_EDN}{{:a "one\n', 9, 'a string is not closed; expected a "'),
    "an EDN key without a value": (f"{GOOD_EDN}{{:a}}\n{GOOD_EDN}", 9, "a map has a key without a value"),
    "an array with a wrong element": (
        f"{json.dumps(OPERATIONS)[:-1]}, oops, {'1, ' * 5_000}2]",
        1,
        "holds what is not JSON",
    ),
    "an array that ends too early": (json.dumps(OPERATIONS)[:-1], 1, "the array ends too early"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_reported_with_its_line_and_the_rest_is_read(name: str) -> None:
    text, line, said = WRONG[name]
    history = recorded(text)
    assert [one.line for one in history.malformed] == [line]
    assert said in history.malformed[0].show()
    times = 2 if text.count('"assign"') == 4 or text.count(":assign") == 4 else 1
    assert len(history.sends) == 2 * times


@pytest.mark.parametrize("text", ["", "\n\n", "hello\n", "[]", "; nothing but a comment\n"])
def test_a_file_without_any_operation_is_no_history(text: str) -> None:
    with pytest.raises(HistoryError, match="written is not a history: it holds no operation"):
        recorded(text)


def test_a_history_of_which_nothing_can_be_judged_is_not_clean() -> None:
    with pytest.raises(HistoryError, match='holds no operation that can be judged: no "f" is one of abort, assign'):
        recorded(as_json([op("ok", "prodoce", 1, 5), op("info", "kill", "nemesis", None)]))


def test_an_operation_of_unknown_name_that_may_be_of_a_client_is_counted() -> None:
    """A nemesis and Jepsen's own operations have values too; what has a key or an offset is of a client."""
    others = [op("info", "kill", "nemesis", ["n1"]), op("ok", "crash", 1, "x"), op("ok", "pause", 1)]
    assert recorded(as_json([*others, *OPERATIONS])).unknown == {}
    clients = [
        op("ok", "consumed", 1, None, key="a"),
        op("ok", "consumed", "nemesis", None, offset=0),
        op("ok", "polled", 1, [["poll"]]),
    ]
    assert recorded(as_json([*clients, *OPERATIONS])).unknown == {"consumed": 2, "polled": 1}


def test_a_record_without_its_partition_is_refused_with_how_to_write_it() -> None:
    wrong = op("ok", "produce", "p", "a", partition="orders-0", offset=0)
    (found,) = recorded(as_json([*OPERATIONS, wrong])).malformed
    assert found.what == 'it has no "key", and "partition" instead'


def test_if_every_operation_is_wrong_each_is_reported() -> None:
    history = recorded(as_json([op("acked", "produce", "p", "a", key="a"), op("sent", "produce", "p", "b", key="a")]))
    assert [(one.line, one.what) for one in history.malformed] == [(1, '"type" is "acked"'), (2, '"type" is "sent"')]


DISGUISED = {
    "two lines of JSON in one, and one over two lines": (
        f'{GOOD}{{"f": "x"}}, {{"f": "y"}}\n{{"f": "z", "a": [1\n2]}}\n',
        [9, 10, 11],
    ),
    "two lines of EDN in one, and one over two lines": (
        f"{GOOD_EDN}{{:f :x}} {{:f :y}}\n{{:type :info :f {{:a 1}}\n{{:b 2}} :z}}\n",
        [10],
    ),
    "brackets of EDN that do not match": (f"{GOOD_EDN}{{:f :kill, :type :info, :value [1}}}}\n", [9]),
    "an EDN vector that closes otherwise": (f"[{GOOD_EDN})", [9, 1]),
}


@pytest.mark.parametrize("name", DISGUISED)
def test_a_line_is_read_as_if_it_were_alone(name: str) -> None:
    text, lines = DISGUISED[name]
    history = recorded(text)
    assert [one.line for one in history.malformed] == lines
    assert len(history.sends) == 2


def test_a_form_that_is_discarded_at_the_top_is_no_history() -> None:
    assert content(recorded(f"#_[{LINES.replace(chr(10), ' ')}]\n{LINES}")) == EXPECTED


FORMS_OF_EDN = (
    *("nil", "true", ":nil", ":a/b", ":a:b", "a:b", "5:a", "manila", ":type :type", "a map", "nil1"),
    *("-0", "007", "+5", "1.5", "5N", "1e3", "9223372036854775807", "1" * 400, "\u00b2", "\u0663"),
    *(
        "[]",
        "{}",
        "[nil]",
        "{nil 1}",
        "{1 2, 1 3}",
        "{[1] 2}",
        "{:a}",
        "[1}",
        "{1]",
        "[1][2]",
        "[true,,false]",
        "#{1 2}",
    ),
    *(
        "#_ 1 2",
        "#_",
        '"a"',
        '"',
        "\\a",
        "; a",
        '[["a map" 1 2]]',
        "[:a map 1 2]",
        "[" * 99 + "]" * 99,
        "[" * 100 + "]" * 100,
    ),
)


@pytest.mark.parametrize("text", FORMS_OF_EDN)
def test_edn_means_the_same_whether_it_is_read_fast_or_form_by_form(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = f"{{:type :ok, :f :send, :process 0, :value [[:send 5 [2 {text}]]], :note {text}}}"
    text = f"{GOOD_EDN}{value}\n{{:type :info, :f :x, :a {text}\n{GOOD_EDN}"
    fast = recorded(text)
    monkeypatch.setattr(operations, "plain_forms", lambda lines: [None] * len(lines))
    slow = recorded(text)
    assert (content(fast), fast.values) == (content(slow), slow.values)


def test_two_escapes_are_one_character_and_an_escape_alone_is_kept() -> None:
    lines = "".join(
        f"{{:type :ok, :f :produce, :process 0, :key 5, :offset {number}, :value {value}}}\n"
        for number, value in enumerate(('"\\ud83d\\ude00"', '"\U0001f600"', '"\\ud83d"', '"\\ude00"'))
    )
    assert recorded(lines).values == ("\U0001f600", "\ud83d", "\ude00")


LONG = 2_000_000


@pytest.mark.parametrize(
    "text",
    [
        f'{{:a "{"x" * LONG}"}}',
        f'{{:a "{"x" * LONG}',
        "{:a {" * (LONG // 5),
        f"{{:a {'9' * LONG}}}",
        f'{{:a "{LONG * " "}"}}',
    ],
    ids=["a string", "a string that never ends", "maps", "a number", "blanks"],
)
def test_a_long_line_takes_some_times_its_own_length_in_memory(text: str) -> None:
    lines = f"{GOOD_EDN}{text}\n".encode()
    tracemalloc.start()
    recorded(lines)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * LONG


def test_a_quote_that_is_never_closed_does_not_have_each_later_line_read_with_all_before_it() -> None:
    reader, scanned = EdnReader(), 0
    for number in range(300):
        for _ in reader.forms('"begins \n' if number == 0 else 'and \\" goes on\n', number):
            scanned += 1
    assert (scanned, len(reader.string)) == (0, 301)


def test_bytes_that_are_no_text_are_reported() -> None:
    history = recorded(GOOD.encode() + b"\xff\xfe\n")
    assert history.malformed[0].line == 9
    assert history.malformed_count == 1
