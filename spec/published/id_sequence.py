"""The id counter as a profile, with its properties.

Source: hachikuji/kafka-specification, module IdSequence.
"""

from __future__ import annotations

from neverlost.model.core import Profile, always, sometimes
from neverlost.model.published import id_sequence
from neverlost.model.published.id_sequence import Id, Sequence


@always("The next id is in range.")
def type_ok(s: Sequence) -> bool:
    return 0 <= s.next_id <= s.size(Id)


@sometimes("Every id has been issued.")
def all_issued(s: Sequence) -> bool:
    return s.next_id == s.size(Id)


ID_SEQUENCE = Profile(
    name="published/id-sequence",
    family="published",
    statement="A counter that issues each id once.",
    state=Sequence,
    initial=id_sequence.initial,
    actions=(id_sequence.issue,),
    properties=(type_ok, all_issued),
    default_bounds={"ids": 4},
)
