"""What tests of real brokers share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from neverlost.conformance.cluster.class_path import class_path, java
from neverlost.conformance.cluster.releases import MissingError, RunnableRelease, release_named


@pytest.fixture
def runnable() -> Callable[..., RunnableRelease]:
    """The release that is named, by its version and mode; the test is skipped if something is missing that it needs."""

    def named(version: str, mode: str | None = None) -> RunnableRelease:
        release = release_named(version, mode)
        try:
            java()
            class_path(release)
        except MissingError as error:
            pytest.skip(str(error))
        return release

    return named
