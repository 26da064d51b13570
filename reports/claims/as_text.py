"""Verdicts on claims, for people at a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from neverlost.explorer.words import counted
from neverlost.studies.claims.headline import Headline, faults_of
from neverlost.studies.claims.judging import ClaimVerdict, DecidedCase, Judgement

from ..layout import WIDTH, shell_lines, wrapped

ID_WIDTH, VERDICT_WIDTH = 6, 13


def table(judged: Sequence[Judgement]) -> str:
    """One row for each claim: its number, the verdict, the claim in short, and the condition or the shortest trace below it."""
    lines = ["Claims"]
    for judgement in judged:
        lines.append(f"  {judgement.claim.id:{ID_WIDTH}}{judgement.verdict:{VERDICT_WIDTH}}{judgement.claim.short}")
        indent = " " * (ID_WIDTH + VERDICT_WIDTH + 2)
        lines.append(textwrap.fill(basis(judgement), WIDTH, initial_indent=indent, subsequent_indent=indent))
    said = ", ".join(f"{sum(j.verdict == verdict for j in judged)} {verdict}" for verdict in ClaimVerdict)
    return "\n".join([*lines, "", f"{counted(len(judged), 'claim')}: {said}."])


def basis(judgement: Judgement) -> str:
    """The reason for a verdict, in one phrase."""
    telling = judgement.telling
    if judgement.condition is not None:
        return f"if {judgement.condition}"
    if telling.answer.trace is not None:
        shown = "refuted" if judgement.verdict == ClaimVerdict.REFUTED else "shown"
        return f"{shown} in {counted(telling.answer.steps or 0, 'step')}, {telling.title}"
    return f"no counterexample in {counted(len(judgement.decided), 'search')}".replace("searchs", "searches")


def claim_in_full(judgement: Judgement) -> str:
    """Everything about one claim."""
    claim = judgement.claim
    source = "the project's own" if claim.articles == ("project",) else f"article {', '.join(claim.articles)}"
    lines = [
        f"{claim.id}: {judgement.verdict}",
        wrapped(f"  {claim.sentence}", "  "),
        "",
        f"  source      {source}",
        wrapped(f"  refuted by  {claim.refuted_by}", " " * 14),
    ]
    if judgement.condition is not None:
        lines.append(wrapped(f"  condition   {judgement.condition}", " " * 14))
    if claim.note:
        lines.append(wrapped(f"  note        {claim.note}", " " * 14))
    lines += ["", f"Cases ({claim.id})", *(line for d in judgement.decided for line in case_lines(d))]
    for condition in judgement.conditions:
        lines += ["", f"Under the condition: {condition.words}"]
        lines += [line for d in condition.decided for line in case_lines(d, short=True)]
    if judgement.remarks:
        lines += ["", "Also asked"]
    for remark, decided in judgement.remarks:
        lines += [wrapped(f"  {remark.question} {answer_word(decided)}.", "  "), *case_lines(decided, indent="    ")]
    return "\n".join(lines)


def answer_word(decided: DecidedCase) -> str:
    """The answer to a remark's question."""
    return {True: "Yes", False: "No", None: "Undecided"}[decided.speaks_for]


def verdict_words(decided: DecidedCase) -> str:
    """The search's verdict on the property, and its number of states or steps."""
    answer = decided.answer
    if answer.trace is not None:
        return f"{decided.case.property} {answer.verdict}, {counted(answer.steps or 0, 'step')}"
    hidden = f", {counted(answer.hidden, 'state')} out of epochs" if answer.hidden else ""
    return f"{decided.case.property} {answer.verdict}, in all {counted(answer.distinct, 'state')}{hidden}"


def case_lines(decided: DecidedCase, indent: str = "  ", short: bool = False) -> Iterator[str]:
    """A case with its verdict and, unless `short`, what happens in it and the command that shows it again."""
    mark = {True: "+", False: "-", None: "?"}[decided.speaks_for]
    yield wrapped(f"{indent}{mark} {decided.title}: {verdict_words(decided)}", f"{indent}    ")
    if decided.happened is False:
        yield f"{indent}    (but nothing happens in it: its witness is missing)"
    if short:
        return
    if decided.sentence:
        yield wrapped(f"{indent}    {decided.sentence}", f"{indent}    ")
    yield shell_lines(decided.command, f"{indent}    ")


def headline_in_full(headline: Headline) -> str:
    """The faults that each version survives, what is lost without each switch, and which of them are needed."""
    lines = ["What each version survives, and what it does not"]
    for survival in headline.survivals:
        lines.append(f"  {survival.name}")
        lines += [wrapped(f"    survives {faults_of(d)}: {verdict_words(d)}", " " * 8) for d in survival.survived]
        lines += [wrapped(f"    loses by {faults_of(d)}: {verdict_words(d)}", " " * 8) for d in survival.fatal]
    lines += ["", "What is lost without each switch of the newest version"]
    for dropped in headline.dropped:
        if dropped.loss is None:
            said = f"no loss found, in {dropped.searched} searches within these bounds"
        else:
            said = f"{faults_of(dropped.loss)}, {counted(dropped.loss.answer.steps or 0, 'step')}"
        lines.append(wrapped(f"  {dropped.switch.off}: {said}", "      "))
        if dropped.loss is not None:
            lines += [wrapped(f"      {dropped.loss.sentence}", "      "), shell_lines(dropped.loss.command, "      ")]
    lines += ["", "Minimal sets of switches that are enough"]
    for needed in headline.needed:
        lines.append(f"  under {faults_of(needed.proof)}, {verdict_words(needed.proof)}:")
        lines += [f"    {switch.words}" for switch in needed.kept] or ["    none"]
    return "\n".join(lines)
