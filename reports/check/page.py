"""The page of a check: the verdict, the story of what goes wrong, and what the verdict rests on."""

from __future__ import annotations

from ..common import faultless
from ..layout import shell_lines
from ..pages.charts import bars
from ..pages.page import TONES, filled, whole_page
from ..trace.page import conditions, head_values
from .as_text import Check, extent, headline, numbers
from .verdict import untried, verdict_sentence


def check_html(check: Check) -> str:
    """The page: one file that needs no other."""
    result = check.result
    trace = None if check.decisive is None else check.decisive.trace
    said = " ".join(headline(check, stories=1).plain.split())
    decided = verdict_sentence(result, check.stopped_by)
    opening, more = _opening(check)
    without_faults = faultless(result.model.profile, result.model.settings, result.model.bounds)
    body = filled(
        "check/check.html.j2",
        verdict=result.verdict.upper(),
        tone=TONES[result.verdict],
        headline=more if trace is None else decided.replace(" VIOLATED", " violated"),
        conditions=[*conditions(result.model), *filter(None, [without_faults.removeprefix(", ")])],
        **({"sentence": opening, "story": None} if trace is None else head_values(trace)),
        properties=[
            {
                "name": finding.property.name,
                "asserted": finding.asserted,
                "verdict": finding.verdict,
                "tone": TONES[finding.verdict] if finding.asserted else "dim",
                "extent": extent(finding, result.model),
                "statement": finding.property.statement,
            }
            for finding in result.findings.values()
        ],
        levels=bars({str(level): count for level, count in enumerate(result.levels)}),
        actions=bars({name: count for name, count in result.generated_by_action.items() if count}),
        never=[name for name, count in result.generated_by_action.items() if not count],
        numbers=numbers(check),
        command=shell_lines(check.command, ""),
    )
    return whole_page(said, body, scripts=["trace/story.js"])


def _opening(check: Check) -> tuple[str, str]:
    """What stands beside the verdict, where there is no story to tell: what is decided, and what else is said of it."""
    said = f"{verdict_sentence(check.result, check.stopped_by)}{untried(check.result)}"
    first, stop, more = said.removeprefix("UNDECIDED: ").partition(". ")
    return f"{first[0].upper()}{first[1:]}{stop.rstrip()}", more
