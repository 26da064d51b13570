"""Suites from mutants that were made before: kept as files, under a digest of everything that they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path

from neverlost.explorer.answers.model_digest import model_digest
from neverlost.explorer.answers.questions import code_digest
from neverlost.explorer.files.json_reading import JsonError, read_json
from neverlost.explorer.files.kept import read_kept, write_kept
from neverlost.model.core import Profile
from neverlost.spec.families import family_of
from neverlost.spec.mutant_configurations import configurations_of

from ..adapters import KAFKA, in_process
from .from_mutants import all_mutants

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class KeptSuite:
    """The two files of a suite, and what is said of it: in a sentence, and about its mistakes, in short and in full."""

    suite: str
    cases: str
    about: str
    kills: str
    kills_in_full: str


@dataclass(frozen=True, kw_only=True)
class SuiteKey:
    """What a suite from mutants depends on, beside the code that makes it."""

    profile: Profile
    adapter: str
    given: Mapping[str, int]
    most_states: int

    @property
    def may_be_kept(self) -> bool:
        """Not what depends on the file of a user, which may change."""
        return self.adapter in (*in_process(), KAFKA)

    @cached_property
    def name(self) -> str:
        """The name of the file that a suite is kept in."""
        family = family_of(self.profile)
        parts = (
            FORMAT,
            model_digest(self.profile.bounded(), []),
            [mutant.name for mutant in all_mutants(self.profile)],
            (configurations_of(self.profile), family.surroundings(), family.unseen(), family.derived()),
            (self.profile.name, self.adapter, sorted(self.given.items()), self.most_states),
            (code_digest(), _conformance_digest()),
        )
        return f"{hashlib.sha256(repr(parts).encode()).hexdigest()}.suite"


def read_suite(folder: Path | None, key: SuiteKey) -> KeptSuite | None:
    """The suite that was kept; None if there is none, or if its file is damaged."""
    if folder is None or not key.may_be_kept:
        return None
    content = read_kept(folder / key.name)
    if content is None:
        return None
    try:
        return KeptSuite(**read_json(content))
    except (JsonError, TypeError):
        return None


def keep_suite(folder: Path | None, key: SuiteKey, kept: KeptSuite) -> None:
    """Keep a suite, unless there is no folder or it depends on a file of the user."""
    if folder is not None and key.may_be_kept:
        write_kept(folder, key.name, json.dumps(asdict(kept)).encode())


@cache
def _conformance_digest() -> str:
    """A digest of the code that makes suites and drives brokers: after a change of it they are made again."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
