"""`neverlost claims`: what the searches decide about every claim of the ledger."""

from __future__ import annotations

import re
from dataclasses import dataclass

import click

from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.search import Limits
from neverlost.model.core import UnknownNameError
from neverlost.reports.claims.as_json import claims_json
from neverlost.reports.claims.as_markdown import claims_markdown
from neverlost.reports.claims.as_text import claim_in_full, headline_in_full, table
from neverlost.spec.families import known_claims
from neverlost.studies.claims.headline import Headline
from neverlost.studies.claims.judging import ClaimVerdict
from neverlost.studies.claims.ledger import judgements
from neverlost.studies.study import Study

from ..completion import claim_ids, one_of
from ..counts import WORKERS
from ..limits import limits_of
from ..output import Output
from ..progress import AnswersShown, interruptible
from ..stores import STORE_HELP, open_store


@dataclass(frozen=True, kw_only=True)
class ClaimsOptions:
    """The options of `neverlost claims`."""

    store: str | None
    workers: int
    memory: str | None
    time_limit: str | None

    def limits(self) -> Limits:
        """When a single search ends undecided."""
        return limits_of(memory=self.memory, time_limit=self.time_limit)


@click.command("claims")
@click.argument("claim", required=False, shell_complete=one_of(claim_ids))
@click.option("--store", metavar="DIR", help=STORE_HELP)
@click.option("--workers", type=WORKERS, default=2, metavar="N", help="Searches in parallel; 2 if not given.")
@click.option("--memory", metavar="SIZE", help="End a search undecided before using more memory: 4GiB.")
@click.option("--time-limit", metavar="TIME", help="End a search undecided after this time: 90s, 10m.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write the verdicts as JSON.")
@click.option("--markdown", "markdown_path", metavar="FILE|-", help="Write the ledger as a page.")
def claims_command(claim: str | None, json_path: str | None, markdown_path: str | None, **options: object) -> int:
    """Decide every claim of the ledger, or show one in full: `neverlost claims C-07`.

    Verdicts come only from searches within bounds. Answers are kept, so a second run is quick.

    Exit codes: 0 every claim is decided, whatever the verdict, 2 the input is wrong, 3 a claim is undecided.
    """
    chosen = ClaimsOptions(**options)  # type: ignore[arg-type]
    wanted = _wanted(claim)
    output = Output({"--json": json_path, "--markdown": markdown_path})
    with interruptible() as interrupted, AnswersShown() as shown:
        study = Study(open_store(chosen.store), chosen.limits(), chosen.workers, interrupted, shown)
        judged = list(judgements(wanted, study))
    if claim is None:
        output.show(table(judged))
    for judgement in judged if claim is not None else ():
        output.show(claim_in_full(judgement))
        if isinstance(judgement, Headline):
            output.show("\n" + headline_in_full(judgement))
    output.write("--json", lambda: claims_json(judged))
    output.write("--markdown", lambda: claims_markdown(judged))
    return ExitCode.UNDECIDED if any(j.verdict == ClaimVerdict.UNDECIDED for j in judged) else ExitCode.HOLDS


def _wanted(claim: str | None) -> list[str]:
    known = [c.id for c in known_claims()]
    if claim is None:
        return known
    meant = re.sub(r"^(?:C-?)?0*(\d+)$", lambda found: f"C-{found[1]:0>2}", claim.upper())
    if meant not in known:
        raise UnknownNameError("claim", claim, known)
    return [meant]
