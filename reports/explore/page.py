"""The page of the explorer: a story that grows by clicks."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Model

from ..pages.page import embedded, filled, whole_page
from ..trace.drawing import MOST
from ..trace.page import conditions, symbols
from .where import example_where

EXPORTS = ("html", "json", "itf", "mermaid", "pytest", "svg", "text", "dot", "graphml")


def explore_html(model: Model, begin: Sequence[str], compare: str, other: str) -> str:
    """The page: it asks its own server for everything that it shows.

    `begin` are the first steps, `compare` another model, and `other` an example of one.
    """
    fields = [field.name for field in model.profile.state.fields]
    body = filled(
        "explore/explore.html.j2",
        name=model.profile.name,
        conditions=conditions(model),
        symbols=symbols(model),
        statement=model.profile.statement,
        most=MOST,
        example=example_where(model),
        exports=EXPORTS,
        compare=compare,
        other=other,
        words=[*(prop.name for prop in model.profile.all_properties if prop.over_states), *fields],
        begin=embedded({"steps": list(begin)}),
    )
    title = f"neverlost explore {model.profile.name}"
    return whole_page(
        title,
        body,
        scripts=["trace/story.js", "explore/explore.js"],
        styles=["explore/explore.css"],
        asks_its_server=True,
    )
