"""What a model of your own is written with.

    from neverlost.modelling import Index, Profile, State, action, always, require

docs/reference/model-python.md has every name with an example.
"""

from __future__ import annotations

from .model.core import (
    EMPTY,
    NONE,
    Cell,
    Index,
    LaneView,
    Message,
    Note,
    Picture,
    Profile,
    Sent,
    State,
    SubsetOf,
    action,
    always,
    any_of,
    budget,
    contains,
    counter,
    eventually,
    flag,
    harmless,
    is_subset,
    lemma,
    messages,
    one_to,
    only,
    optional,
    per,
    require,
    sends,
    setting,
    sometimes,
    step_always,
    suffices,
    up_to,
    view,
    with_member,
    without,
)

__all__ = [
    "Index", "SubsetOf", "any_of", "optional", "up_to", "one_to", "flag", "per", "Message", "messages", "NONE", "EMPTY",
    "contains", "with_member", "without", "is_subset", "only",
    "State", "setting", "budget", "counter", "view",
    "action", "require", "sends",
    "always", "sometimes", "step_always", "eventually", "suffices", "harmless", "lemma",
    "Profile", "Picture", "LaneView", "Cell", "Note", "Sent",
]  # fmt: skip
