"""The language that protocols are written in: states over finite domains, actions, properties, profiles. Knows no Kafka."""

from .actions import Action, Refused, Step, action, require
from .domains import (
    EMPTY,
    NONE,
    Domain,
    Index,
    SubsetOf,
    any_of,
    contains,
    flag,
    is_subset,
    one_to,
    only,
    optional,
    up_to,
    with_member,
    without,
)
from .equivariance import check_equivariance
from .errors import (
    BoundsError,
    LanguageError,
    ModelError,
    NeverlostError,
    SymmetryError,
    UnknownNameError,
    WrittenError,
)
from .lemmas import Lemma, lemma
from .packing import Layout, Packed
from .profile import Model, Profile
from .properties import Property, Story, always, eventually, sometimes, step_always
from .state import BUDGET, Field, Setting, State, View, per, setting, view
from .unbounded import Meaning, Unbounded

__all__ = [
    "BUDGET",
    "EMPTY",
    "NONE",
    "Action",
    "BoundsError",
    "Domain",
    "Field",
    "Index",
    "LanguageError",
    "Layout",
    "Lemma",
    "Meaning",
    "Model",
    "ModelError",
    "NeverlostError",
    "Packed",
    "Profile",
    "Property",
    "Refused",
    "Setting",
    "State",
    "Step",
    "Story",
    "SubsetOf",
    "SymmetryError",
    "Unbounded",
    "UnknownNameError",
    "View",
    "WrittenError",
    "action",
    "always",
    "any_of",
    "check_equivariance",
    "contains",
    "eventually",
    "flag",
    "is_subset",
    "lemma",
    "one_to",
    "only",
    "optional",
    "per",
    "require",
    "setting",
    "sometimes",
    "step_always",
    "up_to",
    "view",
    "with_member",
    "without",
]
