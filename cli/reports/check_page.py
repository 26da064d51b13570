"""The page of a check: the verdict, the story of what goes wrong, and what the verdict rests on."""

from __future__ import annotations

from markupsafe import Markup

from neverlost.explorer.pages.charts import bars
from neverlost.explorer.pages.page import environment, whole_page
from neverlost.explorer.pages.story import conditions, story_section
from neverlost.explorer.traces.render_text import sentence, shell_lines
from neverlost.explorer.verdict import Verdict

from .check_report import Check, extent, headline, numbers

TONES = {Verdict.HOLDS: "good", Verdict.VIOLATED: "bad", Verdict.UNDECIDED: "bad"}


def check_html(check: Check) -> str:
    """The page: one file that needs no other."""
    result = check.result
    trace = None if check.decisive is None else check.decisive.trace
    said = " ".join(headline(check).plain.split())
    body = (
        environment(__package__ or "")
        .get_template("check.html.j2")
        .render(
            verdict=result.verdict.upper(),
            tone=TONES[result.verdict],
            headline=said,
            conditions=conditions(result.model),
            sentence=None if trace is None else sentence(trace),
            story=None if trace is None else story_section(trace, "step", with_beyond=True),
            properties=[
                {
                    "name": finding.property.name,
                    "asserted": finding.asserted,
                    "verdict": finding.verdict,
                    "tone": TONES[finding.verdict] if finding.asserted else "dim",
                    "extent": extent(finding),
                    "statement": finding.property.statement,
                }
                for finding in result.findings.values()
            ],
            levels=bars({str(level): count for level, count in enumerate(result.levels)}),
            actions=bars(result.generated_by_action),
            numbers=numbers(check),
            command=shell_lines(check.command, ""),
        )
    )
    return whole_page(said, Markup(body), scripts=["story.js"])
