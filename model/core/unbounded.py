"""What a proof for any bounds needs in addition to a profile: small statements that the functions do not give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .domains import Index
from .errors import ModelError
from .language import check_function
from .parameters import Parameters, ranging_parameters
from .profile import Profile


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """The result of a function that searches in a loop: `says` takes its arguments and a number, and is true only for its result.

    The result is at least 0 and at most the size of the domain `up_to`. A proof shows first that the function does what `says` says.
    """

    function: Callable[..., int]
    says: Callable[..., bool]
    up_to: type[Index]

    @property
    def parameters(self) -> Parameters:
        """The parameters of the function after the state."""
        return ranging_parameters(self.function)


@dataclass(frozen=True, kw_only=True)
class Unbounded:
    """A profile for proofs for any bounds: with ghosts and meanings.

    `traced` has the fields of the profile's state and ghosts, which no guard reads. Its actions, in the same order and with the same
    parameters, do what those of the profile do, and change ghosts as well. Its lemmas prove the properties of the profile.
    """

    profile: Profile
    traced: Profile
    meanings: tuple[Meaning, ...] = ()

    def __post_init__(self) -> None:
        if not issubclass(self.traced.state, self.profile.state) or self.traced.initial is not self.profile.initial:
            raise ModelError(f"{self.traced.name} has not the state or the start of {self.profile.name}")
        if [a.parameters for a in self.traced.actions] != [a.parameters for a in self.profile.actions]:
            raise ModelError(f"{self.traced.name} has not the actions of {self.profile.name}, in their order")
        for meaning in self.meanings:
            check_function(meaning.says, self.traced.state, "value")

    @property
    def ghosts(self) -> tuple[str, ...]:
        """The fields of the traced profile that the protocol does not have."""
        own = {field.name for field in self.profile.state.fields}
        return tuple(field.name for field in self.traced.state.fields if field.name not in own)
