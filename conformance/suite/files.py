"""A suite as files: `suite.json` says what it covers, `cases.ndjson` has a case in each line. The same input gives the same files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from neverlost.explorer.files.json_reading import JsonError, read_json
from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.files.whole_file import whole_file
from neverlost.model.core import Model, ModelError, NeverlostError, Profile, Refused, WrittenError

from .cases import Mistake, Suite, SuiteCase, with_chosen

KIND, SCHEMA = "suite", 3
SUITE, CASES = "suite.json", "cases.ndjson"
SUITE_KEYS = {"cases": int, "cover": str, "profile": str, "bounds": dict, "settings": dict}
CASE_KEYS = {
    "case": str,
    "covers": int,
    "steps": list,
    "expected": list,
    "attempts_after": list,
    "bounds": dict,
    "settings": dict,
    "mistakes": list,
}
MISTAKE_KEYS = {"after": int, "rules": str, "about": str}
ANEW = "make the suite again"


class SuiteError(NeverlostError):
    """A folder holds no suite, or a suite of another model."""


def refuse_folder(folder: Path) -> None:
    """Raises SuiteError if the folder holds something other than a suite."""
    if folder.exists() and not folder.is_dir():
        raise SuiteError(f"{folder} is not a folder; give another")
    if folder.exists() and any(folder.iterdir()) and not (folder / SUITE).is_file():
        raise SuiteError(f"{folder} is not empty and holds no suite; give another folder")


def write_suite(suite: Suite, folder: Path) -> None:
    """Write a suite. Raises SuiteError if the folder holds something else, or cannot be written."""
    write_files(folder, json_text(suite_values(suite)), case_lines(suite))


def case_lines(suite: Suite) -> Iterator[str]:
    """The lines of `cases.ndjson`."""
    for case in suite.cases:
        yield json.dumps(case_values(suite.model_of(case), case), separators=(",", ":")) + "\n"


def write_files(folder: Path, suite: str, lines: Iterable[str]) -> None:
    """Write the two files of a suite. Raises as `write_suite` does."""
    refuse_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / CASES) as cases, whole_file(folder / SUITE) as about:
            for line in lines:
                cases.write(line.encode())
            about.write(suite.encode())
    except OSError as error:
        raise SuiteError(f"{folder} cannot be written: {error.strerror}") from error


def suite_values(suite: Suite) -> dict[str, Any]:
    """The content of `suite.json`, as plain values."""
    return {
        "neverlost": KIND,
        "schema": SCHEMA,
        "profile": suite.model.profile.name,
        "bounds": dict(suite.model.bounds),
        "settings": suite.model.plain_settings,
        "cover": suite.cover,
        "goals": suite.goals,
        "covered": suite.covered,
        "cases": len(suite.cases),
        "steps": suite.steps,
    }


def case_values(model: Model, case: SuiteCase) -> dict[str, Any]:
    """A case as plain values: its steps, and the fields that each step changes, with the values expected after it."""
    state = model.state(model.initial_states()[0])
    shown, expected = state.values(), []
    for step in case.steps:
        step.action.function(state, *step.arguments)
        written = state.values(state.written())
        state.journal.clear()
        expected.append({name: value for name, value in written.items() if value != shown[name]})
        shown |= written
    return {
        "case": case.name,
        "covers": case.adds,
        "steps": [step.show(model.bounds) for step in case.steps],
        "expected": expected,
        "attempts_after": list(case.attempts_after),
        "bounds": {name: value for name, value in case.chosen.items() if name in model.bounds},
        "settings": {name: model.plain_settings[name] for name in case.chosen if name in model.settings},
        "mistakes": [asdict(mistake) for mistake in case.mistakes],
    }


def _wrong_kind(values: Mapping[str, Any], kinds: Mapping[str, type]) -> str | None:
    """A message about a key with a value of a wrong type; None if all types are correct."""
    for key, kind in kinds.items():
        if type(values.get(key)) is not kind:
            return f'"{key}" is {values.get(key)!r:.60}, which is not a value of type {kind.__name__}'
    return None


class SuiteFiles:
    """A suite in files: its model, what it covers, and its cases, read one by one."""

    def __init__(self, folder: Path, profile_named: Callable[[str], Profile]) -> None:
        """Read `suite.json`. Raises SuiteError that says what is wrong and where, UnknownNameError, BoundsError."""
        self.folder = folder
        try:
            values = read_json((folder / SUITE).read_bytes())
        except (OSError, JsonError) as error:
            why = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else error
            raise SuiteError(f"{folder / SUITE} {why}; `neverlost suite PROFILE --out {folder}` writes one") from error
        if not isinstance(values, dict) or values.get("neverlost") != KIND or values.get("schema") != SCHEMA:
            raise SuiteError(
                f'{folder / SUITE} is not a suite that this version reads: "neverlost": "{KIND}", "schema": {SCHEMA}'
            )
        if wrong := _wrong_kind(values, SUITE_KEYS):
            raise SuiteError(f"{folder / SUITE}: {wrong}")
        self.values: Mapping[str, Any] = values
        profile = profile_named(values["profile"])
        try:
            self.model = profile.bounded(**profile.read(values["bounds"], values["settings"]))
        except WrittenError as error:
            raise SuiteError(f"{folder / SUITE}: {error}") from error

    def cases(self) -> Iterator[SuiteCase]:
        """The cases, each checked against the model. Raises SuiteError with the line of a wrong case, and if cases are missing."""
        path, number = self.folder / CASES, 0
        try:
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    yield self._case(f"{path}: line {number}", line)
        except OSError as error:
            raise SuiteError(f"{path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise SuiteError(f"{path} cannot be read: after line {number} it is not text in UTF-8") from error
        if number != self.values["cases"]:
            raise SuiteError(
                f"{path} has {number:,} cases, but {SUITE} says {self.values['cases']:,}: it is not complete; {ANEW}"
            )

    def _case(self, place: str, line: str) -> SuiteCase:
        try:
            values = read_json(line)
        except JsonError as error:
            raise SuiteError(f"{place} is not a case: it {error}; {ANEW}") from error
        if not isinstance(values, dict):
            raise SuiteError(f"{place} is not a case: it is not a JSON object; {ANEW}")
        if wrong := _wrong_kind(values, CASE_KEYS):
            raise SuiteError(f"{place} is not a case: {wrong}; {ANEW}")
        for text in values["steps"]:
            if type(text) is not str:
                raise SuiteError(f"{place} is not a case: {text!r:.60} is not a step; {ANEW}")
        for after in values["attempts_after"]:
            if type(after) is not int or not 0 <= after <= len(values["steps"]):
                shown = f'"attempts_after" has {after!r:.60}, which are not numbers of its steps'
                raise SuiteError(f"{place} is not a case: {shown}; {ANEW}")
        for mistake in values["mistakes"]:
            if not isinstance(mistake, dict) or _wrong_kind(mistake, MISTAKE_KEYS):
                raise SuiteError(f"{place} is not a case: {mistake!r:.60} is not a mistake; {ANEW}")
        try:
            chosen = self.model.profile.read(values["bounds"], values["settings"])
            model = with_chosen(self.model, chosen)
            steps = tuple(model.parse_step(text) for text in values["steps"])
        except NeverlostError as error:
            raise SuiteError(f"{place} is not a case: {error}; {ANEW}") from error
        case = SuiteCase(
            name=values["case"],
            steps=steps,
            adds=values["covers"],
            attempts_after=tuple(values["attempts_after"]),
            chosen=chosen,
            mistakes=tuple(Mistake(**mistake) for mistake in values["mistakes"]),
        )
        self._refuse_other_model(place, case, values["expected"])
        return case

    def _refuse_other_model(self, place: str, case: SuiteCase, expected: Any) -> None:
        """Raises SuiteError if the model differs from what the suite expects: then the suite was made from another model."""
        try:
            said = case_values(with_chosen(self.model, case.chosen), case)["expected"]
        except (Refused, ModelError):
            said = None
        if said != expected:
            raise SuiteError(
                f"{place}: the steps are not a run of {self.model.profile.name}, or have other effects in it; the suite was made from"
                " another version of the model: make it again"
            )
