"""Draws the charts of the documentation from the numbers in docs/explanation/data, which stand in the pages too.

.venv/bin/pip install '.[charts]' && .venv/bin/python tools/charts.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

EXPLANATION = Path(__file__).parents[1] / "docs" / "explanation"
BAR, INK = "#0b57d0", "#1c2024"


@contextmanager
def drawn(name: str, panels: int) -> Iterator[Any]:
    """The panels of a chart, written to the file of that name afterwards, as the same bytes each time."""
    import matplotlib  # noqa: PLC0415 -- the rest is of use without it

    matplotlib.use("svg")
    from matplotlib import pyplot  # noqa: PLC0415

    style = {"svg.fonttype": "none", "svg.hashsalt": "neverlost", "font.family": "sans-serif", "text.color": INK}
    with pyplot.rc_context(style):
        figure, axes = pyplot.subplots(1, panels, figsize=(7.2, 2.6), layout="constrained")
        for panel in axes:
            panel.spines[["top", "right"]].set_visible(False)
        yield axes
        file = EXPLANATION / f"{name}.svg"
        figure.savefig(file, metadata={"Date": None, "Creator": None}, facecolor="white")
        pyplot.close(figure)
    text = "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8").splitlines()) + "\n"
    file.write_text(text, encoding="utf-8")


def wider_states(values: dict[str, Any]) -> None:
    """What a state costs, in time and in memory, by the bounds that make it wide."""
    with drawn("wider-states", 2) as panels:
        labels = [f"{row['words']} words\n({row['bounds']})" for row in values["rows"]]
        for panel, key, title in zip(panels, ("ns", "bytes"), ("ns per state", "bytes per state"), strict=True):
            bars = panel.bar(labels, [row[key] for row in values["rows"]], color=BAR)
            panel.bar_label(bars, fontsize=8)
            panel.set_title(title, fontsize=10)
            panel.tick_params(axis="x", labelsize=7)
            panel.spines["left"].set_visible(False)
            panel.set_yticks([])


def reach(values: dict[str, Any]) -> None:
    """How long a search of a billion states takes, and how much memory it holds, over the states that it has found."""
    states, seconds, memory = zip(*values["rows"], strict=True)
    with drawn("reach", 2) as panels:
        for panel, column, title in zip(panels, (seconds, memory), ("seconds", "GiB of memory"), strict=True):
            panel.plot(states, column, color=BAR)
            panel.set_title(title, fontsize=10)
            panel.set_xlabel("million states found", fontsize=8)
            panel.tick_params(labelsize=7)
            panel.set_ylim(bottom=0)


def data(name: str) -> dict[str, Any]:
    """The numbers of a chart."""
    found: dict[str, Any] = json.loads((EXPLANATION / "data" / f"{name}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    wider_states(data("wider-states"))
    reach(data("reach"))
