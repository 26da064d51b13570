"""The page of the explorer: a story that grows by clicks."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from neverlost.model.core import Model

from ..traces.lanes import lane_names
from .drawing import LANE, head
from .page import embedded, environment, whole_page
from .story import conditions

EXPORTS = ("html", "json", "itf", "mermaid", "pytest", "svg", "text", "dot", "graphml")


def explore_html(model: Model, begin: Sequence[str], compare: str) -> str:
    """The page: it asks its own server for everything that it shows. `begin` are the first steps, `compare` another model."""
    lanes = lane_names(model)
    fields = [field.name for field in model.profile.state.fields]
    body = (
        environment()
        .get_template("explore.html.j2")
        .render(
            name=model.profile.name,
            conditions=conditions(model),
            statement=model.profile.statement,
            width=LANE * len(lanes),
            head=head(lanes),
            exports=EXPORTS,
            compare=compare,
            words=[*(prop.name for prop in model.profile.all_properties if prop.over_states), *fields],
            begin=embedded({"steps": list(begin)}),
        )
    )
    title = f"neverlost explore {model.profile.name}"
    return whole_page(
        title, Markup(body), scripts=["story.js", "explore.js"], styles=["explore.css"], asks_its_server=True
    )
