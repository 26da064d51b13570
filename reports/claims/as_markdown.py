"""The ledger as a page: docs/claims.md is what this writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neverlost.explorer.words import counted
from neverlost.model.core import Step
from neverlost.studies.claims.headline import Headline, Survival, faults_of
from neverlost.studies.claims.judging import Condition, DecidedCase, Judgement

from ..layout import shell_lines
from .as_text import answer_word, basis, verdict_words

OPENING = """\
# Claims

What articles on Kafka say, and what this project says, each decided by searches of the [model](../model/kafka) and by nothing
else. `make claims` writes this page; `neverlost claims C-07` tells one claim in full.

* *confirmed*: every search speaks for the claim. *refuted*: none does, and no assumption of those tried helps. *conditional*: it
  holds under an assumption; the weakest that was found is named. "Holds" means in every state within the bounds: 3 replicas, a
  log of 2 records, 2 values, 4 leader epochs; of a consumer group 2 members, 2 partitions, 2 records in each, 8 generations;
  unless said otherwise. [What it does not mean](explanation/what-holds-means.md).
* Steps are those of the shortest trace. States that differ only by renaming brokers are counted once.
* Articles are numbered; C-26 is the project's own headline.
"""
HEADLINE_BOUNDS = """\
acks=all, min.insync.replicas=2, unclean election off. "Survives" has the largest sets of faults under which no acknowledged value
is lost, in any state; "loses by" the smallest sets with a loss. Asked of: up to two faults of any kinds together, and three
of crashes and moves of leadership; at most 2 crashes, 3 moves, 2 power losses, 1 disk loss, 1 pause; with
ZooKeeper also of 3 moves with a change of controller. "Out of epochs" counts the
states in which no leader can be elected any more because the bounds allow no further epoch: what comes after these was not
looked at.
"""
ABOUT_SWITCHES = (
    "The newest version with the fix and with one switch off, under faults that it survives with all of them on, up to two of"
    " any kinds or three moves of leadership: the shortest loss under the fewest faults."
)
ABOUT_NEEDED = (
    "Under these faults the headline holds with these switches on and all others off, and with one more of them off it does"
    " not."
)


def claims_markdown(judged: Sequence[Judgement]) -> str:
    """The page: a table of all verdicts, then every claim with its evidence."""
    lines = [OPENING, "| claim | verdict | says | because |", "|---|---|---|---|"]
    lines += [
        f"| [{j.claim.id}](#{j.claim.id.lower()}) | {j.verdict} | {_cell(j.claim.short)} | {_cell(basis(j))} |"
        for j in judged
    ]
    for judgement in judged:
        lines += ["", *_section(judgement)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _section(judgement: Judgement) -> Iterator[str]:
    claim = judgement.claim
    source = "the project's own" if claim.articles == ("project",) else f"article {', '.join(claim.articles)}"
    yield f"## {claim.id}"
    yield ""
    yield f"{claim.sentence} *({source})*"
    yield ""
    yield f"**{judgement.verdict.capitalize()}**" + (f": if {judgement.condition}." if judgement.condition else ".")
    yield f"What would refute it: {claim.refuted_by}."
    if claim.note:
        yield claim.note
    yield ""
    yield from _table_of_cases(judgement.decided)
    for condition in judgement.conditions:
        yield from _condition(condition)
    if judgement.remarks:
        yield from ("", "| also asked | of | answer | because |", "|---|---|---|---|")
    for remark, decided in judgement.remarks:
        yield f"| {remark.question} | {decided.title} | {answer_word(decided)} | {verdict_words(decided)} |"
    yield ""
    yield from _telling(judgement.telling)
    if isinstance(judgement, Headline):
        yield from _headline(judgement)


def _table_of_cases(decided: Sequence[DecidedCase]) -> Iterator[str]:
    yield "| asked of | found | speaks |"
    yield "|---|---|---|"
    for one in decided:
        yield f"| {one.title} | {verdict_words(one)} | {_speaks(one)} |"


def _speaks(decided: DecidedCase) -> str:
    if decided.happened is False:
        return "neither: nothing happens in it"
    return {True: "for it", False: "against it", None: "undecided"}[decided.speaks_for]


def _condition(condition: Condition) -> Iterator[str]:
    states = sum(d.answer.distinct for d in condition.decided if d.answer.trace is None)
    searches = "1 search" if len(condition.decided) == 1 else f"{len(condition.decided)} searches"
    yield ""
    yield f"If {condition.words}: it holds in {searches}, {counted(states, 'state')} together."


def _telling(decided: DecidedCase) -> Iterator[str]:
    if decided.sentence:
        yield f"{decided.title}: {decided.sentence}"
        yield ""
        yield "```text"
        yield from (f"{n:3}. {step.show(decided.model.bounds)}" for n, step in enumerate(_steps(decided), start=1))
        yield "```"
        yield ""
    yield "To see it again:"
    yield ""
    yield "```text"
    yield shell_lines(decided.command, "")
    yield "```"


def _steps(decided: DecidedCase) -> Sequence[Step]:
    return () if decided.answer.trace is None else decided.answer.trace.steps


def _headline(headline: Headline) -> Iterator[str]:
    yield from ("", "### Faults that each version survives", "", HEADLINE_BOUNDS)
    yield from ("| version | survives | loses by |", "|---|---|---|")
    for survival in headline.survivals:
        yield _survival(survival)
    yield from ("", "### Without each switch", "")
    yield ABOUT_SWITCHES
    yield from ("", "| without | lost by | steps | what happens |", "|---|---|---|---|")
    for dropped in headline.dropped:
        loss = dropped.loss
        if loss is None:
            yield f"| {dropped.switch.off} | no loss found within these bounds | | {dropped.searched} searches |"
        else:
            yield f"| {dropped.switch.off} | {faults_of(loss)} | {loss.answer.steps} | {loss.sentence} |"
    yield from ("", "### Switches that suffice", "")
    yield ABOUT_NEEDED
    yield from ("", "| under | switches | states |", "|---|---|---|")
    for needed in headline.needed:
        switches = "; ".join(switch.words for switch in needed.kept) or "none"
        yield f"| {faults_of(needed.proof)} | {switches} | {needed.proof.answer.distinct:,} |"
    for dropped in headline.dropped:
        if dropped.loss is not None:
            yield from ("", f"### The loss without {dropped.switch.words}", "")
            yield from _telling(dropped.loss)


def _survival(survival: Survival) -> str:
    survived = "; ".join(f"{faults_of(d)} ({_states(d)})" for d in survival.survived)
    fatal = "; ".join(f"{faults_of(d)} ({d.answer.steps} steps)" for d in survival.fatal)
    return f"| `{survival.name}` | {survived} | {fatal} |"


def _states(decided: DecidedCase) -> str:
    hidden = f", {decided.answer.hidden:,} out of epochs" if decided.answer.hidden else ""
    return f"{decided.answer.distinct:,} states{hidden}"
