"""The page of a check: the verdict, the story of what goes wrong, and what the verdict rests on."""

from __future__ import annotations

from ..layout import shell_lines
from ..pages.charts import bars
from ..pages.page import TONES, filled, whole_page
from ..trace.page import conditions, head_values
from .as_text import Check, extent, headline, numbers


def check_html(check: Check) -> str:
    """The page: one file that needs no other."""
    result = check.result
    trace = None if check.decisive is None else check.decisive.trace
    said = " ".join(headline(check, stories=1).plain.split())
    body = filled(
        "check/check.html.j2",
        verdict=result.verdict.upper(),
        tone=TONES[result.verdict],
        headline=said if trace is None else said.replace(" VIOLATED", " violated"),
        conditions=conditions(result.model),
        **({"sentence": None, "story": None} if trace is None else head_values(trace)),
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
