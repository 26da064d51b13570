"""Lanes of a run and what passes between them: from the picture that a profile declares, or from the owners that its state does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from neverlost.explorer.process.raising import text_of
from neverlost.explorer.traces.changes import declared_owner, owner_index
from neverlost.model.core import Arrow, Field, Index, LaneView, Model, Note, Picture, Sent, State, Step
from neverlost.model.core.picture import LOST, PLACEHOLDER, Shows

WHOLE = "state"
"""The lane of a model whose state belongs to nobody."""


@dataclass(frozen=True, kw_only=True)
class Happening:
    """What a step is in a picture: the messages that it sends, the words of a fault, and what must not be overlooked.

    `at` are the lanes that it names, in the order of its parameters.
    """

    sent: tuple[Sent, ...]
    fault: str
    notes: tuple[Note, ...]
    at: tuple[str, ...]


def lane_names(model: Model) -> list[str]:
    """The lanes from left to right: those with names, then one for each member."""
    picture = model.profile.picture
    if picture is not None:
        return [*_named(model, picture), *_members(model)]
    state = model.profile.state
    lanes = [*state.owners, *_members(model)]
    return [WHOLE, *lanes] if _has_unowned(model) or not lanes else lanes


def _named(model: Model, picture: Picture) -> dict[str, Shows]:
    """The lanes with names that there are with the model's settings."""
    absent = () if picture.absent is None else picture.absent(model.settings)
    return {name: shows for name, shows in picture.lanes.items() if name not in absent}


def lane_views(model: Model, state: State) -> dict[str, LaneView]:
    """What each lane shows in a state."""
    picture = model.profile.picture
    if picture is None:
        lines = _lines_by_owner(model, state)
        return {name: LaneView(lines=tuple(lines.get(name, ()))) for name in lane_names(model)}
    named = {name: shows(state) for name, shows in _named(model, picture).items()}
    members = {picture.members.show(m, model.bounds): picture.member(state, m) for m in range(_size(model, picture))}
    return {**named, **members}


def happening(model: Model, step: Step, before: State, after: State) -> Happening:
    """What a step is in a picture."""
    picture, bounds = model.profile.picture, model.bounds
    shown = {
        name: index.show(value, bounds)
        for (name, index), value in zip(step.action.parameters, step.arguments, strict=True)
    }
    sent = [_sent(message, shown, step, before) for message in step.action.messages]
    said = (step.action.name, step.picks(), before, after)
    if picture is not None and picture.answers is not None:
        sent += picture.answers(*said)
    return Happening(
        sent=tuple(sent),
        fault="" if picture is None else picture.faults.get(step.action.name, ""),
        notes=tuple(picture.notes(*said)) if picture is not None and picture.notes is not None else (),
        at=tuple(shown[name] for name, index in step.action.parameters if shown[name] in lane_names(model)),
    )


def _has_unowned(model: Model) -> bool:
    """Whether the state has a field of nobody's: without an index, and without an owner that it declares."""
    state = model.profile.state
    covered = {name for view in state.views for name in view.covers}
    return any(
        owner_index(field) is None and declared_owner(state, field.name) is None
        for field in state.fields
        if field.name not in covered
    )


def _sent(message: Arrow, shown: dict[str, str], step: Step, before: State) -> Sent:
    picks = step.picks()
    parts = []
    end = 0
    for found in PLACEHOLDER.finditer(message.carries):
        name, of = found.groups()
        parts += [
            message.carries[end : found.start()],
            shown[name] if name in shown else _field_of(before, name, () if of is None else (picks[of],)),
        ]
        end = found.end()
    return Sent(
        sender=shown.get(message.sender, message.sender),
        receiver=shown.get(message.receiver, message.receiver),
        carries="".join([*parts, message.carries[end:]]),
        lost=bool(message.lost_by) and shown[message.lost_by] == LOST,
    )


def _field_of(state: State, name: str, position: tuple[int, ...]) -> str:
    declared = next(field for field in state.fields if field.name == name)
    return declared.domain.show(state.element(declared, position), state.bounds)


def _size(model: Model, picture: Picture) -> int:
    return picture.members.size(model.bounds)


def _members(model: Model) -> list[str]:
    picture = model.profile.picture
    if picture is not None:
        return [picture.members.show(m, model.bounds) for m in range(_size(model, picture))]
    owning: dict[type[Index], None] = {}
    for declared in model.profile.state.fields:
        if (index := owner_index(declared)) is not None:
            owning[index] = None
    return [index.show(m, model.bounds) for index in owning for m in range(index.size(model.bounds))]


def _lines_by_owner(model: Model, state: State) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for owner, line in [*_view_lines(state), *_field_lines(state)]:
        lines.setdefault(owner or WHOLE, []).append(line)
    return lines


def _view_lines(state: State) -> Iterator[tuple[str, str]]:
    for view in state.views:
        for member in [None] if view.each is None else range(view.each.size(state.bounds)):
            arguments = () if member is None else (member,)
            text = text_of(f"the view {view.name}", view.show, state, *arguments)
            shown = "" if view.each is None or member is None else view.each.show(member, state.bounds)
            if text:
                named = isinstance(view.owner, str)
                label = view.name + (f"[{shown}]" if shown and named else "")
                yield str(view.owner) if named else shown, f"{label} {text}"


def _field_lines(state: State) -> Iterator[tuple[str, str]]:
    covered = {name for view in state.views for name in view.covers}
    for declared in state.fields:
        if declared.name in covered:
            continue
        for position in declared.positions(state.bounds):
            yield _owner_of(state, declared, position), _element_line(state, declared, position)


def _owner_of(state: State, declared: Field, position: tuple[int, ...]) -> str:
    index = owner_index(declared)
    if (named := declared_owner(type(state), declared.name)) is not None:
        return named
    return "" if index is None else index.show(position[0], state.bounds)


def _element_line(state: State, declared: Field, position: tuple[int, ...]) -> str:
    value = declared.domain.show(state.element(declared, position), state.bounds)
    return f"{declared.place(position, state.bounds)} {value}"
