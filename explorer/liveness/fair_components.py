"""Where a run can stay forever and be fair: strongly connected components of a region, by the emptiness check of Streett automata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neverlost.model.core import Model, Property

from ..compile.cache import loaded_kernel
from ..compile.generate import components_source
from ..engines.graph import Edges
from .region import OUTSIDE, Flags, Region

NONE = -1
"""The component of a state in which no fair run can stay."""

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Fairness:
    """Which steps are weakly fair, and which are strongly fair: a flag for every step of a model."""

    weak: Flags
    strong: Flags


def fairness_of(model: Model, prop: Property) -> Fairness:
    """The fairness that an `eventually` assumes: each step of a named action is fair by itself."""
    return Fairness(
        weak=np.array([step.action.name in prop.weak for step in model.steps], np.bool_),
        strong=np.array([step.action.name in prop.strong for step in model.steps], np.bool_),
    )


def fair_components(region: Region, fairness: Fairness, tick: Callable[[int], None]) -> Labels:
    """For each state the number of the component in which a fair run through it can stay forever, or NONE.

    The states of a component are strongly connected; a single state is a component too, because a run may stand still. A weakly
    fair step must happen in it or be disabled somewhere; if not, the component is dropped, because its parts fail too. A strongly
    fair step must happen in it or be disabled everywhere; states in which it is enabled are removed, and the rest is
    decomposed again. `tick` is called before each round, and may raise to stop.
    """
    labels = np.full(len(region), NONE, np.int64)
    alive = np.ones(len(region), np.bool_)
    edges, given = region.edges, 0
    while alive.any():
        tick(0)
        count, components = _components(len(region), alive, edges)
        fair, open_, harmful = _verdicts(components, count, alive, edges, fairness)
        settled = alive & fair[components]
        labels[settled] = components[settled] + given
        given += count
        alive &= open_[components]
        alive[harmful] = False
        edges = edges.where(alive[edges.sources])
    return labels


def _components(size: int, alive: Flags, edges: Edges) -> tuple[int, Labels]:
    """How many components there are, and each state's component; a state that is not alive is a component of its own."""
    kernel, _ = loaded_kernel(components_source())
    starts = np.searchsorted(edges.sources, np.arange(size + 1))
    components, order = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    low, stack, path, at = (np.empty(size, np.int64) for _ in range(4))
    targets = np.ascontiguousarray(edges.targets, np.int64)
    count = kernel.components(starts, targets, size, alive.view(np.uint8), components, order, low, stack, path, at)
    return count, components


def _leads_to(states: Flags, edges: Edges) -> Flags:
    alive: Flags = states[edges.targets] & (edges.targets != OUTSIDE)
    return alive


def _verdicts(
    components: Labels, count: int, alive: Flags, edges: Edges, fairness: Fairness
) -> tuple[Flags, Flags, npt.NDArray[np.int64]]:
    """Which components are fair, which may have fair parts, and the states that no such part contains."""
    edges = edges.where((fairness.weak | fairness.strong)[edges.steps])
    owners = components[edges.sources]
    inner = _leads_to(alive, edges) & (owners == components[edges.targets])
    keys = owners.astype(np.int64) * len(fairness.weak) + edges.steps
    order = np.argsort(keys)
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    lengths = np.diff(firsts, append=len(keys))
    owners, step_of = owners[order][firsts], edges.steps[order][firsts]
    happens = np.add.reduceat(inner[order], firsts, dtype=np.int64) > 0 if len(firsts) else np.empty(0, np.bool_)
    starved = ~happens & fairness.weak[step_of] & (lengths == np.bincount(components, minlength=count)[owners])
    refused = ~happens & fairness.strong[step_of]
    hopeless, lacking = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    hopeless[owners[starved]] = True
    lacking[owners[refused]] = True
    harmful = edges.sources[order][np.repeat(refused, lengths)]
    return ~hopeless & ~lacking, ~hopeless & lacking, harmful
