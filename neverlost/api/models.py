"""Profiles and models by name."""

from __future__ import annotations

from collections.abc import Mapping

from neverlost.explorer.loading import find_profile, recorded_profile
from neverlost.model.core import Model, Profile
from neverlost.spec import profiles as known_profiles

from .arguments import ensure_name

__all__ = ["Model", "Profile", "profile", "profiles"]


def profiles() -> Mapping[str, Profile]:
    """Every profile by its name: the versions of Kafka, the published protocols, and the small models.

    >>> import neverlost as nl
    >>> "kafka-4.1" in nl.profiles()
    True
    """
    return known_profiles()


def profile(reference: str) -> Profile:
    """The profile of that name, or of a file of your own: `path/to/file.py:NAME`, which is run.

    Its `model` takes bounds and settings in the words of the command line; the others have the profile's defaults.
    `neverlost describe kafka-4.1` documents every bound and setting.

    Raises UnknownNameError, LoadingError for a file that cannot be run, and ArgumentError for what is no text.

    >>> import neverlost as nl
    >>> model = nl.profile("kafka-3.7").model(acks="all", min_isr=2, power_losses=1)
    >>> model.bounds["replicas"], model.settings["power_losses"]
    (3, 1)
    >>> nl.profile("kafka-3.7").model(min_irs=2)
    Traceback (most recent call last):
        ...
    neverlost.model.core.errors.UnknownNameError: no bound or setting of kafka-3.7 is named 'min_irs'. Did you mean 'min_isr'? ...
    """
    ensure_name(reference, "reference")
    return find_profile(reference, known_profiles())


def profile_of_data(recorded: str, asked: str | None, holder: str) -> Profile:
    """The profile that a file of data names, or the one that is asked for instead; `holder` says what the file is: `t.json is a trace`.

    Raises LoadingError for a profile in a file that the user did not name: loading it would run it.
    """
    return recorded_profile(recorded, asked, holder, known_profiles())
