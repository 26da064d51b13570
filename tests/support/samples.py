"""Small models of every profile, their states, and Hypothesis strategies over them."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from neverlost.model.core import Model, Packed, Profile
from neverlost.spec.published.profiles import PROFILES

SMALL_BOUNDS = {
    "published/async-isr": {"replicas": 3, "log_size": 1, "versions": 2},
    "published/replicated-log": {"replicas": 3, "log_size": 2, "records": 2},
    "published/id-sequence": {"ids": 4},
}
PARTITION_BOUNDS = {"replicas": 3, "log_size": 2, "records": 2, "leader_epochs": 2}


def small_model(profile: Profile) -> Model:
    return profile.bounded(**SMALL_BOUNDS.get(profile.name, PARTITION_BOUNDS))


SMALL_MODELS = [small_model(profile) for profile in PROFILES]


@cache
def reachable(model: Model, limit: int = 300) -> list[Packed]:
    """The first `limit` states, breadth first."""
    found = dict.fromkeys(model.initial_states())
    frontier = list(found)
    while frontier and len(found) < limit:
        after = dict.fromkeys(words for before in frontier for _, words in model.successors(before))
        frontier = [words for words in after if words not in found]
        found |= dict.fromkeys(frontier)
    return list(found)[:limit]


def elements(model: Model) -> list[tuple[int, int]]:
    """(lowest value, number of values) of every element of the state, field by field, the last index fastest."""
    result = []
    for declared in model.profile.state.fields:
        low, size = declared.domain.low, declared.domain.size(model.bounds)
        result += [(low, size) for _ in declared.positions(model.bounds)]
    return result


def packed_from(model: Model, values: list[int]) -> Packed:
    """The packed state with these values, in the order of `elements`."""
    state, rest = model.layout.blank(), iter(values)
    for declared in model.profile.state.fields:
        for position in declared.positions(model.bounds):
            state.put(declared, position, next(rest))
    return model.layout.pack(state)


def random_values(model: Model) -> st.SearchStrategy[list[int]]:
    """Values for every element, each within its domain: most such states are not reachable."""
    return st.tuples(*(st.integers(low, low + size - 1) for low, size in elements(model))).map(list)


def random_states(model: Model) -> st.SearchStrategy[Packed]:
    return random_values(model).map(lambda values: packed_from(model, values))


def states(model: Model) -> st.SearchStrategy[Packed]:
    """Reachable states, and any others within the domains."""
    return st.one_of(st.sampled_from(reachable(model)), random_states(model))


models = st.sampled_from(SMALL_MODELS)
