"""Messages about configuration are read here as the command line says them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from neverlost.model.arguments import named_as_options


@pytest.fixture(autouse=True)
def options() -> Iterator[None]:
    with named_as_options():
        yield
