"""The page of the explorer: a story that grows by clicks."""

from __future__ import annotations

from collections.abc import Sequence

from neverlost.model.core import Model
from neverlost.spec.families import family_of

from ..pages.page import embedded, filled, whole_page
from ..trace.drawing import LEAST, MOST
from ..trace.page import conditions
from .where import example_where

EXPORTS = ("html", "json", "itf", "mermaid", "pytest", "svg", "text", "dot", "graphml")


def _other(model: Model) -> str:
    """What the box for another model takes, as an example: another version of the family, and a setting."""
    profile = model.profile
    versions = [version.name for version in family_of(profile).versions() if version.name != profile.name]
    settings = [f"{s.name}={s.show(model.settings[s.name])}" for s in profile.state.settings]
    return " ".join((*versions[-1:], *settings[:1])) or "another profile"


def explore_html(model: Model, begin: Sequence[str], compare: str) -> str:
    """The page: it asks its own server for everything that it shows. `begin` are the first steps, `compare` another model."""
    fields = [field.name for field in model.profile.state.fields]
    body = filled(
        "explore/explore.html.j2",
        name=model.profile.name,
        conditions=conditions(model),
        statement=model.profile.statement,
        most=MOST,
        least=LEAST,
        example=example_where(model),
        exports=EXPORTS,
        compare=compare,
        other=_other(model),
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
