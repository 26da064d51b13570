"""A protocol family: what one protocol supplies to the studies and commands that go over all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from neverlost.model.core import BoundsError, Model, Profile, Unbounded, UnknownNameError

if TYPE_CHECKING:
    from .bugs import Bug
    from .claims import Claim
    from .derived_state import Derived
    from .exposure import Exposure
    from .inquiry import Inquiry
    from .kafka.atomicity import Ledger
    from .kafka.releases import TimeLine
    from .matrix import Matrix
    from .mutant_configurations import Configuration


class Family:
    """A protocol family. Each method imports what it gives when it is asked; one that a family leaves out gives nothing.

    `name` is what its profiles say in `Profile.family`, and the folder of `neverlost.conformance` with its adapter.
    `beginning` is how the names of its profiles begin.
    """

    name: str
    beginning = "kafka-"

    def profiles(self) -> tuple[Profile, ...]:
        """What can be checked, versions oldest first."""
        raise NotImplementedError

    def time_line(self) -> TimeLine | None:
        """What distinguishes releases, if its profiles stand for releases."""
        return None

    def versions(self) -> tuple[Profile, ...]:
        """The profiles that stand for releases, oldest first."""
        return () if self.time_line() is None else self.profiles()

    def version_named(self, name: str) -> Profile:
        """The version that a name means: its own, that without its beginning, or that of a release. Raises UnknownNameError."""
        known = {version.name: version for version in self.versions()}
        bare = name.removeprefix(self.beginning)
        time_line = self.time_line()
        meant = f"{self.beginning}{bare}"
        if meant not in known:
            meant = (None if time_line is None else time_line.version_meant(bare)) or name
        if meant not in known:
            raise UnknownNameError("version", name, known)
        return known[meant]

    def versions_named(self, names: Collection[str]) -> tuple[Profile, ...] | None:
        """The versions that names mean, oldest first; None for no name. Raises UnknownNameError."""
        named = {self.version_named(name).name for name in names}
        return tuple(version for version in self.versions() if version.name in named) or None

    def like(self, version: Profile) -> Profile:
        """The first version that goes the same ways where nobody but the protocol itself looks."""
        return version

    def seen(self, version: Profile) -> Profile | None:
        """The version with fewer steps: those that real systems were seen to do. None if there is no such profile."""
        return None

    def larger(self, model: Model) -> Mapping[str, Model]:
        """The models that a thorough check explores as well, each with what is larger in it: a bound, or a budget."""
        asked = {**model.bounds, **model.settings}
        names = [name for name, size in model.bounds.items() if size]
        names += [budget.name for budget in model.profile.budgets if asked[budget.name]]
        found = {}
        for name in names:
            with suppress(BoundsError):  # it would be wider than a state may be
                more = asked[name] + 1
                found[f"{name.replace('_', ' ')} {more}"] = model.profile.bounded(**{**asked, name: more})
        return found

    def matrix(self) -> Matrix | None:
        """What every version is asked under the settings that users choose."""
        return None

    def configured(self) -> tuple[str, ...]:
        """The settings that users choose, which are the axes of the matrix: a proof for all settings leaves them open."""
        matrix = self.matrix()
        return () if matrix is None else tuple(axis.setting for axis in matrix.axes)

    def unbounded(self) -> Mapping[str, Unbounded]:
        """What is proven for any bounds, by the names of profiles."""
        return {}

    def bugs(self) -> tuple[Bug, ...]:
        """The losses that users really had, oldest first: those of bugs.json in the family's folder."""
        from .bugs import bugs_in

        return bugs_in(type(self).__module__)

    def exposure(self) -> Exposure | None:
        """What an audit asks of a deployment."""
        return None

    def inquiry(self) -> Inquiry | None:
        """What an audit asks of the files in a section of the family's own."""
        return None

    def claims(self) -> tuple[Claim, ...]:
        """The claims that are asked of its profiles."""
        return ()

    def claimed(self) -> tuple[Profile, ...]:
        """The profiles under `claims/`: its versions with the properties of the claims."""
        return ()

    def atomicity(self) -> Ledger | None:
        """What makes each action one step in Kafka."""
        return None

    def mutant_configurations(self) -> tuple[Configuration, ...]:
        """The configurations in which mutants are looked for, the smaller ones first; none where the default bounds will do."""
        return ()

    def derived(self) -> tuple[Derived, ...]:
        """What its members keep because it follows from their state."""
        return ()

    def surroundings(self) -> tuple[str, ...]:
        """The actions that are no deeds of the system, such as crashes: it cannot refuse them."""
        return ()

    def unseen(self) -> tuple[str, ...]:
        """The actions that a real system takes later instead of refusing them, which nobody sees."""
        return ()
