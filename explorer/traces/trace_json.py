"""Traces as JSON: a file holds all that a replay needs, and is checked before it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from neverlost.model.core import Model, ModelError, NeverlostError, Packed, Profile, Step, WrittenError

from ..files.json_reading import JsonError, read_json
from ..files.json_text import json_text
from ..symmetry import symmetric_domains
from .commands import check_command
from .no_return import StepOfNoReturn
from .sentence import no_return_words, sentence
from .trace import Trace

SCHEMA = 1
KIND = "trace"


class TraceFileError(NeverlostError):
    """A file is not a trace, or does not fit its profile."""


def trace_values(trace: Trace) -> dict[str, Any]:
    """The trace as plain values, ready for JSON."""
    prop = None if trace.property is None else trace.model.profile.property_named(trace.property)
    return {
        "neverlost": KIND,
        "schema": SCHEMA,
        "profile": trace.model.profile.name,
        "bounds": dict(trace.model.bounds),
        "settings": trace.model.plain_settings,
        "property": None if prop is None else prop.name,
        "kind": None if prop is None else prop.kind,
        "statement": None if prop is None else prop.statement,
        "sentence": sentence(trace),
        "symmetric_domains": list(trace.symmetry),
        "command": " ".join(check_command(trace)),
        "steps": [step_values(step, trace.model) for step in trace.steps],
        "states": [state.values() for state in trace.unpacked()],
        "loop_start": trace.loop_start,
        **({} if trace.no_return is None else {"no_return": _no_return_values(trace, trace.no_return)}),
    }


def _no_return_values(trace: Trace, found: StepOfNoReturn) -> dict[str, Any]:
    return {
        "step": found.step,
        "rescue": None if found.step is None else [step.show(trace.model.bounds) for step in found.rescue],
        "undecided": bool(found.undecided),
        "at_latest": found.at_latest,
        "words": no_return_words(trace),
    }


def step_values(step: Step, model: Model) -> dict[str, Any]:
    """A step as printed, and in parts."""
    shown = {
        name: index.show(value, model.bounds)
        for (name, index), value in zip(step.action.parameters, step.arguments, strict=True)
    }
    return {"step": step.show(model.bounds), "action": step.action.name, "parameters": shown}


def trace_json(trace: Trace) -> str:
    """The trace as JSON text."""
    return json_text(trace_values(trace))


def read_trace(text: str, name: str, profile_named: Callable[[str], Profile]) -> Trace:
    """The trace written as `text` in a file called `name`; not replayed.

    `profile_named` finds the profile. Raises TraceFileError that says what is wrong and where, UnknownNameError for an unknown
    profile, action or property, BoundsError for bounds that the profile does not take.
    """
    try:
        values = read_json(text)
    except JsonError as error:
        raise TraceFileError(f"{name} is not a trace: it {error}") from error
    if not isinstance(values, dict) or values.get("neverlost") != KIND:
        raise TraceFileError(f'{name} is not a trace of neverlost: it does not say "neverlost": "{KIND}" at its top')
    if values.get("schema") != SCHEMA:
        raise TraceFileError(f"{name} has schema {values.get('schema')!r}; this version reads schema {SCHEMA}")
    reader = _Reader(name, values)
    profile = profile_named(reader.text("profile"))
    return reader.trace(reader.bounded(profile))


class _Reader:
    """The checked parts of one trace file."""

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        self.name, self.values = name, values

    def text(self, key: str) -> str:
        return str(self._typed(key, str, "a text"))

    def bounded(self, profile: Profile) -> Model:
        """The model within the bounds; a trace of a profile without settings need not have any."""
        bounds = self._typed("bounds", dict, "an object of numbers")
        settings = self._typed("settings", dict, "an object") if "settings" in self.values else {}
        try:
            return profile.bounded(**profile.read(bounds, settings))
        except WrittenError as error:
            self._refuse(error.where, error.why)

    def trace(self, model: Model) -> Trace:
        steps, states = self._typed("steps", list, "a list"), self._typed("states", list, "a list")
        if not states:
            self._refuse("states", "is empty; a trace has at least the initial state")
        if len(states) != len(steps) + 1:
            self._refuse(
                "states", f"has {len(states)} entries for {len(steps)} steps; there must be one more state than steps"
            )
        symmetry = self._typed("symmetric_domains", list, "a list of texts")
        domains = symmetric_domains(model)
        for domain in symmetry:
            if domain not in list(domains):
                self._refuse("symmetric_domains", f"names {domain!r}; known are {', '.join(domains) or 'no domains'}")
        name = self.values.get("property")
        if name is not None and not isinstance(name, str):
            self._refuse("property", f"is {name!r}, neither a text nor null")
        return Trace(
            model=model,
            states=tuple(self._state(model, i, values) for i, values in enumerate(states)),
            steps=tuple(self._step(model, i, values) for i, values in enumerate(steps)),
            property=None if name is None else model.profile.property_named(name).name,
            symmetry=tuple(symmetry),
            loop_start=self._loop_start(len(steps)),
        )

    def _loop_start(self, last: int) -> int | None:
        number = self.values.get("loop_start")
        if number is None:
            return None
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= last:
            self._refuse("loop_start", f"is {number!r}, neither null nor the number of a state, 0 to {last}")
        return int(number)

    def _typed(self, key: str, kind: type, wanted: str) -> Any:
        if key not in self.values:
            self._refuse(key, "is missing")
        if not isinstance(self.values[key], kind):
            self._refuse(key, f"is {self.values[key]!r}, not {wanted}")
        return self.values[key]

    def _step(self, model: Model, position: int, values: Any) -> Step:
        place = f"steps[{position}]"
        if not isinstance(values, dict) or not isinstance(values.get("step"), str):
            self._refuse(place, 'is not an object with a text "step"')
        try:
            step = model.parse_step(values["step"])
        except NeverlostError as error:
            raise TraceFileError(f"{self.name}: {place}: {error}") from error
        for key, value in step_values(step, model).items():
            if values.get(key, value) != value:
                self._refuse(f"{place}.{key}", f"is {values[key]!r}, but the step reads {values['step']}")
        return step

    def _state(self, model: Model, position: int, values: Any) -> Packed:
        place = f"states[{position}]"
        if not isinstance(values, dict):
            self._refuse(place, "is not an object of fields")
        try:
            return model.layout.pack(model.profile.state.of(model.layout.bounds, values))
        except ModelError as error:
            raise TraceFileError(f"{self.name}: {place}: {error}") from error

    def _refuse(self, place: str, what: str) -> NoReturn:
        raise TraceFileError(f"{self.name}: {place} {what}")
