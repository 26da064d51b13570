"""Messages as records: what is made of them is, line for line, what one would write with flags, and every engine takes it."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest
from written_models import imported

from neverlost.conformance.mutants.conditions import condition_mutants
from neverlost.explorer.compile.generate import kernel_source
from neverlost.explorer.search import explore
from neverlost.explorer.symbolic.proof import prove
from neverlost.explorer.symmetry import symmetry_of
from neverlost.model.core import LanguageError, Model, ModelError, Profile
from neverlost.model.core.message import YesNo
from neverlost.reports.describe.as_text import described
from neverlost.reports.describe.as_tla import tla_module

COMMON = """
from neverlost.modelling import *
from neverlost.model.core.message import YesNo, copies

class Node(Index, bound="nodes", prefix="n", first=1, symmetric=True):
    "A node."

class Term(Index, bound="terms"):
    "A term."
"""
END = """
NET = Profile(name="net", statement="Votes.", state=Net, initial=initial,
    actions=(rise, cast, hear, say_it_again, forget, lose), properties=(votes_are_old, many, all_granted, terms_rise),
    lemmas=(not_later,), default_bounds={{"nodes": 2, "terms": 2}})
"""

# What has another text with messages, and for a bag: the declaration, then what stands in the functions.
RECORDS = (
    COMMON
    + """
class Vote(Message):
    "A vote."
    voter: Node
    term: Term
    granted: bool

class Net(State):
    "Votes under way."
    term = per(Node, up_to(Term))
    chief = optional(Node)
    votes = messages(Vote{most})

def initial(s: Net) -> None:
    "Nothing is sent."
    s.chief = NONE

def is_old(s: Net, vote: Vote) -> bool:
    return vote.term < s.term[vote.voter]

def send_again(s: Net, vote: Vote, granted: bool) -> None:
    s.votes.send(Vote(voter=vote.voter, term=vote.term, granted=granted))

@action("made up")
def rise(s: Net, node: Node) -> None:
    "A node goes on."
    require(s.term[node] < s.size(Term) and s.votes.count(Vote(voter=node, term=0, granted=False)) == 0)

    s.term[node] += 1

@action("made up")
def cast(s: Net, node: Node) -> None:
    "A node votes."
    require(s.term[node] < s.size(Term))
    require(Vote(voter=node, term=s.term[node], granted=s.chief == node) not in s.votes)

    s.votes.send(Vote(voter=node, term=s.term[node], granted=s.chief == node))

@action("made up", sends("vote.voter", "node", "vote in {{vote.term}}"))
def hear(s: Net, node: Node, vote: Vote) -> None:
    "A node hears a vote."
    require(s.term[node] <= vote.term or vote.granted)
    s.votes.take(vote)

    s.chief = vote.voter

@action("made up")
def say_it_again(s: Net, vote: Vote) -> None:
    "A node repeats a vote, with the other answer."
    require(vote in s.votes and not is_old(s, vote))
    other = Vote(voter=vote.voter, term=vote.term, granted=not vote.granted)
    require(other not in s.votes and other != vote)

    if other.granted:
        send_again(s, vote, True)
    else:
        s.votes.send(other)

@action("made up")
def forget(s: Net) -> None:
    "Old votes are lost."
    require(any(is_old(s, v) for v in s.votes if v.granted))

    for v in s.votes:
        if is_old(s, v):
            s.votes.take(v)

@action("made up")
def lose(s: Net, vote: Vote) -> None:
    "A vote is lost."
    s.votes.take(vote)

@always("No vote is of a later term.")
def votes_are_old(s: Net, vote: Vote) -> bool:
    return vote not in s.votes or vote.term <= s.term[vote.voter]

@sometimes("There are two votes.")
def many(s: Net) -> bool:
    return sum(1 for v in s.votes) >= 2

@sometimes("All votes are granted.")
def all_granted(s: Net) -> bool:
    return all(v.granted for v in s.votes) and any(v.granted for v in s.votes)

@step_always("Terms of those whose vote is under way never fall.")
def terms_rise(before: Net, after: Net) -> bool:
    for v in before.votes:
        if v in after.votes and after.term[v.voter] < before.term[v.voter]:
            return False
    return True

@lemma("Nobody votes in a later term.")
def not_later(s: Net, vote: Vote) -> bool:
    return vote not in s.votes or vote.term <= s.term[vote.voter]
"""
    + END
)
BY_HAND = (
    COMMON
    + """
class Net(State):
    "Votes under way."
    term = per(Node, up_to(Term))
    chief = optional(Node)
    votes = per(Node, Term, YesNo, {content})

def initial(s: Net) -> None:
    "Nothing is sent."
    s.chief = NONE

def is_old(s: Net, vote_voter: Node, vote_term: Term, vote_granted: YesNo) -> bool:
    return vote_term < s.term[vote_voter]

def send_again(s: Net, vote_voter: Node, vote_term: Term, vote_granted: YesNo, granted: bool) -> None:
    s.votes[vote_voter][vote_term][1 if granted else 0] {send}

@action("made up")
def rise(s: Net, node: Node) -> None:
    "A node goes on."
    require(s.term[node] < s.size(Term) and {count} == 0)

    s.term[node] += 1

@action("made up")
def cast(s: Net, node: Node) -> None:
    "A node votes."
    require(s.term[node] < s.size(Term))
    require(not {held}(s.votes[node][s.term[node]][1 if s.chief == node else 0]){some})

    s.votes[node][s.term[node]][1 if s.chief == node else 0] {send}

@action("made up", sends("vote_voter", "node", "vote in {{vote_term}}"))
def hear(s: Net, node: Node, vote_voter: Node, vote_term: Term, vote_granted: YesNo) -> None:
    "A node hears a vote."
    require(s.term[node] <= vote_term or vote_granted == 1)
    require(s.votes[vote_voter][vote_term][vote_granted]{some})
    s.votes[vote_voter][vote_term][vote_granted] {take}

    s.chief = vote_voter

@action("made up")
def say_it_again(s: Net, vote_voter: Node, vote_term: Term, vote_granted: YesNo) -> None:
    "A node repeats a vote, with the other answer."
    require(s.votes[vote_voter][vote_term][vote_granted]{some} and not is_old(s, vote_voter, vote_term, vote_granted))
    other_voter = vote_voter
    other_term = vote_term
    other_granted = 1 if not vote_granted == 1 else 0
    require(not s.votes[other_voter][other_term][other_granted]{some}
            and (other_voter != vote_voter or other_term != vote_term or other_granted != vote_granted))

    if other_granted == 1:
        send_again(s, vote_voter, vote_term, vote_granted, True)
    else:
        s.votes[other_voter][other_term][other_granted] {send}

@action("made up")
def forget(s: Net) -> None:
    "Old votes are lost."
    require(any(any(any(is_old(s, v_voter, v_term, v_granted) for v_granted in s.each(YesNo)
        if s.votes[v_voter][v_term][v_granted]{some} if v_granted == 1) for v_term in s.each(Term)) for v_voter in s.each(Node)))

    for v_voter in s.each(Node):
        for v_term in s.each(Term):
            for v_granted in s.each(YesNo):
                if s.votes[v_voter][v_term][v_granted]{some}:
                    if is_old(s, v_voter, v_term, v_granted):
                        require(s.votes[v_voter][v_term][v_granted]{some})
                        s.votes[v_voter][v_term][v_granted] {take}

@action("made up")
def lose(s: Net, vote_voter: Node, vote_term: Term, vote_granted: YesNo) -> None:
    "A vote is lost."
    require(s.votes[vote_voter][vote_term][vote_granted]{some})
    s.votes[vote_voter][vote_term][vote_granted] {take}

@always("No vote is of a later term.")
def votes_are_old(s: Net, vote_voter: Node, vote_term: Term, vote_granted: YesNo) -> bool:
    return not s.votes[vote_voter][vote_term][vote_granted]{some} or vote_term <= s.term[vote_voter]

@sometimes("There are two votes.")
def many(s: Net) -> bool:
    return sum(sum(sum(1 for v_granted in s.each(YesNo) if s.votes[v_voter][v_term][v_granted]{some})
        for v_term in s.each(Term)) for v_voter in s.each(Node)) >= 2

@sometimes("All votes are granted.")
def all_granted(s: Net) -> bool:
    return all(all(all(v_granted == 1 for v_granted in s.each(YesNo) if s.votes[v_voter][v_term][v_granted]{some})
        for v_term in s.each(Term)) for v_voter in s.each(Node)) and any(any(any(v_granted == 1
        for v_granted in s.each(YesNo) if s.votes[v_voter][v_term][v_granted]{some})
        for v_term in s.each(Term)) for v_voter in s.each(Node))

@step_always("Terms of those whose vote is under way never fall.")
def terms_rise(before: Net, after: Net) -> bool:
    for v_voter in before.each(Node):
        for v_term in before.each(Term):
            for v_granted in before.each(YesNo):
                if before.votes[v_voter][v_term][v_granted]{some}:
                    if after.votes[v_voter][v_term][v_granted]{some} and after.term[v_voter] < before.term[v_voter]:
                        return False
    return True

@lemma("Nobody votes in a later term.")
def not_later(s: Net, vote_voter: Node, vote_term: Term, vote_granted: YesNo) -> bool:
    return not s.votes[vote_voter][vote_term][vote_granted]{some} or vote_term <= s.term[vote_voter]
"""
    + END
)
ELEMENT = "s.votes[node][0][0]"
AS_SET = {
    "content": "flag()", "send": "= True", "take": "= False", "some": "", "held": "", "count": f"(1 if {ELEMENT} else 0)",
}  # fmt: skip
AS_BAG = {
    "content": "up_to(copies(2))", "send": "+= 1", "take": "-= 1", "some": " > 0", "held": "", "count": ELEMENT,
}  # fmt: skip
KINDS = {"a set": ("", AS_SET), "a bag": (", at_most=2", AS_BAG)}
Two = tuple[Model, Model]


@pytest.fixture(params=KINDS)
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Two:
    """The model with messages, and the one by hand."""
    most, words = KINDS[request.param]
    profiles: list[Profile] = [
        imported(tmp_path, text).NET for text in (RECORDS.format(most=most), BY_HAND.format(**words))
    ]
    return profiles[0].bounded(), profiles[1].bounded()


def neutral(text: str) -> str:
    """A text without the names of the modules, which are numbered."""
    return re.sub(r"written_model_\d+", "written_model", text)


@pytest.mark.parametrize("symmetry", [False, True])
def test_the_kernel_is_line_for_line_that_of_the_model_by_hand(symmetry: bool, both: Two) -> None:
    with_messages, by_hand = (
        neutral(kernel_source(model, symmetry_of(model, symmetry, model.profile.properties))) for model in both
    )
    assert with_messages == by_hand
    assert with_messages.count("\n") > 100


def test_the_module_of_tla_is_line_for_line_that_of_the_model_by_hand(both: Two) -> None:
    assert neutral(tla_module(both[0])) == neutral(tla_module(both[1]))


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_every_engine_finds_what_it_finds_by_hand(engine: str, both: Two) -> None:
    found = [explore(model, engine=engine, until="all") for model in both]
    assert found[0].digest == found[1].digest
    assert found[0].levels == found[1].levels
    assert found[0].distinct > 500
    for name in ("votes_are_old", "many", "all_granted", "terms_rise"):
        assert found[0].findings[name].verdict == found[1].findings[name].verdict == "holds"
    trace, other = (one.findings["many"].trace for one in found)
    assert trace is not None
    assert other is not None
    assert [s.show(trace.model.bounds) for s in trace.steps] == [s.show(other.model.bounds) for s in other.steps]


def test_it_is_proven_from_a_lemma_with_a_message(both: Two) -> None:
    assert [prove(model, "votes_are_old").verdict for model in both] == ["proven", "proven"]
    lemmas = both[0].profile.lemmas
    assert prove(both[0], "votes_are_old", lemmas=lemmas).verdict == "proven"


def test_a_lemma_from_outside_the_profile_may_have_messages_too(tmp_path: Path) -> None:
    module = imported(tmp_path, RECORDS.format(most=""))
    assert prove(module.NET.bounded(), "votes_are_old", lemmas=[module.not_later]).verdict == "proven"


def test_mutants_leave_out_the_same_conditions(both: Two) -> None:
    found = [[(m.written, m.kind) for m in condition_mutants(model.profile)] for model in both]
    assert found[0] == found[1]
    assert len(found[0]) > 10
    counts = []
    for model in both:
        mutants = [profile.bounded() for profile in condition_mutants(model.profile).values()]
        counts.append([explore(one, engine="interpreted", properties=["many"]).distinct for one in mutants[:4]])
    assert counts[0] == counts[1]


def test_description_and_guard_name_the_file_and_its_lines(both: Two) -> None:
    text = described(both[0], with_code=True)
    assert "hear(node: Node, vote_voter: Node, vote_term: Term, vote_granted: YesNo)" in text
    assert "s.votes.take(vote)" in text
    step = both[0].parse_step("lose(vote_voter=n1, vote_term=0, vote_granted=yes)")
    refused = both[0].refusal(both[0].initial_states()[0], step)
    assert refused is not None
    assert str(refused).endswith("require(s.votes[vote_voter][vote_term][vote_granted])") or " > 0" in str(refused)
    assert f":{line_of(both[0].profile, 's.votes.take(vote)', last=True)}  " in str(refused)


def line_of(profile: Profile, text: str, *, last: bool) -> int:
    file = Path(profile.initial.__code__.co_filename)
    lines = [n for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1) if text in line]
    return lines[-1 if last else 0]


def test_more_than_a_bag_takes_is_an_error_with_the_line(tmp_path: Path) -> None:
    text = RECORDS.format(most=", at_most=1").replace(
        "    require(Vote(voter=node, term=s.term[node], granted=s.chief == node) not in s.votes)\n", ""
    )
    profile: Profile = imported(tmp_path, text).NET
    line = line_of(profile, "s.votes.send(Vote(voter=node, term=s.term[node]", last=False)
    with pytest.raises(ModelError, match=rf"votes\[n1\]\[0\]\[no\] was set to 2, .*\.py:{line}"):
        explore(profile.bounded(), engine="interpreted", until="all")


FUNCTION = """
{more}
@action("made up")
def odd(s: Net, node: Node, vote: Vote) -> None:
    "A rule."
    {line}

"""
ODD = {
    "a message as a number": ("s.chief = vote", "the message 'vote' as a value", "`vote.field`, or a message in"),
    "a message that is made as a value": ("s.chief = Vote(voter=node, term=0, granted=True)", "the message `Vote(", "a message in"),
    "no such field": ("s.chief = vote.sender", "`vote.sender`", "one of `vote.voter`, `vote.term`, `vote.granted`"),
    "a field too few": ("s.votes.send(Vote(voter=node, term=0))", "`Vote(voter=node, term=0)`", "all fields by name"),
    "a field too many": ("s.votes.send(Vote(voter=node, term=0, granted=True, x=1))", "x=1)`", "all fields by name"),
    "fields by position": ("s.votes.send(Vote(node, 0, True))", "`Vote(node, 0, True)`", "`Vote(voter=..., term=..., granted=...)`"),
    "no message": ("s.votes.send(node)", "`node` for `s.votes`", "a Vote(voter=..., term=..., granted=...)"),
    "another kind": ("s.votes.send(Ask(voter=node))", "`Ask(voter=node)` for `s.votes`", "a Vote("),
    "another method": ("s.votes.add(vote)", "`s.votes.add(vote)`", "one of send, take, count"),
    "a count as a statement": ("s.votes.count(vote)", "`s.votes.count(vote)` here", "`count` as a condition or a value"),
    "taking as a value": ("require(s.votes.take(vote))", "`s.votes.take(vote)` here", "`take` as a statement of its own"),
    "two at once": ("s.votes.send(vote, vote)", "`s.votes.send(vote, vote)`", "`send` with one Vote"),
    "a message in a message": ("s.votes.send(Vote(voter=vote, term=0, granted=True))", "the message `vote` in a message", "its fields"),
    "a message and a number": ("require(vote == node)", "`vote == node`", "a comparison of two messages of one kind"),
    "a name of two kinds": ("vote = Ask(voter=node)", "'vote' for a Ask, which is a Vote too", "another name"),
    "a message of itself": ("m = vote\n    m = Vote(voter=m.voter, term=0, granted=True)", "'m' in its own new value", "another name"),
    "a name that is taken": ("vote_term = 1", "the name 'vote_term', which stands for `vote.term`", "another name"),
    "a message for a member": ("give(s, vote)", "`vote` in `give(s, vote)`", "no message"),
    "a member for a message": ("give_vote(s, node)", "`node` in `give_vote(s, node)`", "a Vote("),
    "a loop over what has no fields": ("for p in s.pings:\n        s.chief = NONE", "a loop over `s.pings`", "`if Ping() in s.pings`"),
    "the whole field": ("x = s.votes", "votes with 0 indexes", "it with 3"),
    "a message after its loop": (
        "for v in s.votes:\n        s.chief = NONE\n    s.chief = v.voter", "'v_voter' where it may have no value", "on every path",
    ),
}  # fmt: skip
MORE = """
def give(s: Net, node: Node) -> None:
    s.chief = node

def give_vote(s: Net, vote: Vote) -> None:
    s.chief = vote.voter
"""


def odd(folder: Path, line: str) -> ModuleType:
    text = RECORDS.format(most="").replace(
        "class Net(State):",
        'class Ask(Message):\n    "A question."\n    voter: Node\n\nclass Ping(Message):\n    "A ping."\n\nclass Net(State):',
    )
    text = text.replace("    votes = messages(Vote)\n", "    votes = messages(Vote)\n    pings = messages(Ping)\n")
    text = text.replace("\nNET = Profile", FUNCTION.format(line=line, more=MORE) + "\nNET = Profile")
    return imported(folder, text.replace("forget, lose)", "forget, lose, odd)"))


@pytest.mark.parametrize(("line", "what", "instead"), ODD.values(), ids=ODD)
def test_a_message_where_it_has_no_meaning_is_refused_with_its_line(
    line: str, what: str, instead: str, tmp_path: Path
) -> None:
    with pytest.raises(LanguageError) as error:
        odd(tmp_path, line)
    matched = re.fullmatch(r".*\.py:(\d+): odd uses (.*), which is outside Model Python; write (.*)", str(error.value))
    assert matched is not None, str(error.value)
    assert what in matched[2]
    assert instead in matched[3]
    (file,) = tmp_path.glob("*.py")
    assert file.read_text(encoding="utf-8").splitlines()[int(matched[1]) - 1].strip() in (
        *(part.strip() for part in line.splitlines()),
        "def odd(s: Net, node: Node, vote: Vote) -> None:",
    )


def test_a_message_without_fields_is_a_flag(tmp_path: Path) -> None:
    profile: Profile = odd(tmp_path, "require(Ping() not in s.pings)\n    s.pings.send(Ping())").NET
    model = profile.bounded()
    step = model.parse_step("odd(node=n1, vote_voter=n1, vote_term=0, vote_granted=no)")
    after = model.apply(model.initial_states()[0], step)
    assert model.state(after).values()["pings"] == 1
    assert model.refusal(after, step) is not None


DECLARED = {
    "a number": (
        "voter: int",
        "voter of the message Vote has no finite domain; annotate it with an Index class or `bool`",
    ),
    "too many": ("a: Node\n    b: Node\n    c: Node\n    d: Node\n    e: Node", "has 5 fields, at most 4 are possible"),
}


@pytest.mark.parametrize(("fields", "said"), DECLARED.values(), ids=DECLARED)
def test_a_wrong_declaration_is_refused(fields: str, said: str, tmp_path: Path) -> None:
    text = f"{COMMON}\nclass Vote(Message):\n    {fields}\n\nclass Net(State):\n    votes = messages(Vote)\n"
    with pytest.raises(ModelError, match=said):
        imported(tmp_path, text)


@pytest.mark.parametrize("most", ["0", "True", "'2'"])
def test_a_bag_of_an_impossible_size_is_refused(most: str, tmp_path: Path) -> None:
    text = f"{COMMON}\nclass Vote(Message):\n    a: Node\n\nclass Net(State):\n    votes = messages(Vote, at_most={most})\n"
    with pytest.raises(ModelError, match=r"at_most is .*; it is how many equal messages may be under way: 1 or more"):
        imported(tmp_path, text)


def test_a_message_outside_a_model_is_refused_with_how_to_read_the_field(tmp_path: Path) -> None:
    module = imported(tmp_path, RECORDS.format(most=""))
    with pytest.raises(
        ModelError, match=r"elsewhere read the field `messages\(Vote\)` by its indexes: voter, term, granted"
    ):
        module.Vote(voter=0, term=0, granted=True)
    assert [*YesNo.names] == ["no", "yes"]


def test_a_parameter_with_the_name_of_a_field_of_a_message_is_refused(tmp_path: Path) -> None:
    text = RECORDS.format(most="").replace(
        "def hear(s: Net, node: Node, vote: Vote)", "def hear(s: Net, vote_term: Term, vote: Vote)"
    )
    with pytest.raises(ModelError, match="hear has a parameter 'vote_term' besides that of a message"):
        imported(tmp_path, text)


def test_variants_and_larger_bounds_are_made_of_it_as_of_others(tmp_path: Path) -> None:
    module = imported(tmp_path, RECORDS.format(most=""))
    without = module.NET.replacing("quiet", "Nobody repeats.", say_it_again=None, lose=None)
    assert without.replacing("again", "Once more.").actions[0].function is without.actions[0].function
    assert explore(without.bounded(nodes=1, terms=1), until="all").complete


def test_arrows_of_a_picture_name_fields_of_a_message(both: Two) -> None:
    trace = explore(both[0], properties=["many"], until="all").findings["many"].trace
    assert trace is not None
    (arrow,) = both[0].actions["hear"].messages
    assert (arrow.sender, arrow.carries) == ("vote_voter", "vote in {vote_term}")


TEMPORAL = """
def is_sent(s: Net) -> bool:
    "A vote is under way."
    return any(v.term >= 0 for v in s.votes)

@eventually("A vote is heard, or lost.", after=is_sent, weak=(hear, lose))
def gone(s: Net) -> bool:
    return not is_sent(s)

@harmless("no vote is under way")
def nothing_sent(s: Net) -> bool:
    return all(Vote(voter=n, term=0, granted=False) not in s.votes for n in s.each(Node))

@always("True.", harmless=nothing_sent)
def true(s: Net) -> bool:
    return True

NET = Profile"""


def test_eventually_and_harmless_may_speak_of_messages(tmp_path: Path) -> None:
    text = RECORDS.format(most="").replace("NET = Profile", TEMPORAL)
    text = text.replace("properties=(votes_are_old,", "on_request=(gone, true), properties=(votes_are_old,")
    model = imported(tmp_path, text).NET.bounded(nodes=1, terms=1)
    found = {
        engine: explore(model, engine=engine, properties=["gone", "true"]) for engine in ("interpreted", "compiled")
    }
    verdicts = {name: {result.findings[name].verdict for result in found.values()} for name in ("gone", "true")}
    assert verdicts == {"gone": {"violated"}, "true": {"holds"}}


def test_a_message_as_a_parameter_needs_no_field_of_messages(tmp_path: Path) -> None:
    text = f"""{COMMON}
class Vote(Message):
    "A vote."
    voter: Node

class Net(State):
    "Nothing but a chief."
    chief = optional(Node)

def initial(s: Net) -> None:
    "Nobody."
    s.chief = NONE

@action("made up")
def choose(s: Net, vote: Vote) -> None:
    "Somebody is chosen."
    s.chief = vote.voter

@always("A chief is a node.")
def fine(s: Net) -> bool:
    return s.chief < s.size(Node)

NET = Profile(name="net", statement="Votes.", state=Net, initial=initial, actions=(choose,), properties=(fine,),
    default_bounds={{"nodes": 2}})
"""
    assert explore(imported(tmp_path, text).NET.bounded(), until="all").distinct == 3
