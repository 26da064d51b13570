"""Draws the charts of the documentation from the numbers in docs/explanation/data, which stand in the pages too.

.venv/bin/pip install '.[charts]' && .venv/bin/python tools/charts.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

EXPLANATION = Path(__file__).parents[1] / "docs" / "explanation"
BAR, INK = "#0b57d0", "#1c2024"


def wider_states(values: dict[str, Any]) -> str:
    """What a state costs, in time and in memory, by the bounds that make it wide."""
    import matplotlib  # noqa: PLC0415 -- the rest is of use without it

    matplotlib.use("svg")
    from matplotlib import pyplot  # noqa: PLC0415

    style = {"svg.fonttype": "none", "svg.hashsalt": "neverlost", "font.family": "sans-serif", "text.color": INK}
    with pyplot.rc_context(style):
        figure, panels = pyplot.subplots(1, 2, figsize=(7.2, 2.6), layout="constrained")
        labels = [f"{row['words']} words\n({row['bounds']})" for row in values["rows"]]
        for panel, key, title in zip(panels, ("ns", "bytes"), ("ns per state", "bytes per state"), strict=True):
            drawn = panel.bar(labels, [row[key] for row in values["rows"]], color=BAR)
            panel.bar_label(drawn, fontsize=8)
            panel.set_title(title, fontsize=10)
            panel.tick_params(axis="x", labelsize=7)
            panel.spines[["top", "right", "left"]].set_visible(False)
            panel.set_yticks([])
        file = EXPLANATION / "wider-states.svg"
        figure.savefig(file, metadata={"Date": None, "Creator": None}, facecolor="white")
        pyplot.close(figure)
    text = "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8").splitlines()) + "\n"
    file.write_text(text, encoding="utf-8")
    return text


def data(name: str) -> dict[str, Any]:
    """The numbers of a chart."""
    found: dict[str, Any] = json.loads((EXPLANATION / "data" / f"{name}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    wider_states(data("wider-states"))
