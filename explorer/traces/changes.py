"""What changed between two states, for people: by owner, through the views that a state declares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from neverlost.model.core import Field, Index, State, View

from ..process.raising import text_of


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that a step changed: `owner` (a member, a declared owner, or nobody: an empty text) and what it was and is.

    `declared`: the state declares the owner by name. `name` is the field or view, and `label` is its text after the owner's name.
    """

    owner: str
    declared: bool
    name: str
    label: str
    before: str
    after: str

    def show(self) -> str:
        """`high_watermark 0 -> 1`; `request[0] = leader r1` for a view that was empty; `... -> gone` for one that is now."""
        return (
            f"{self.label} {self.before} -> {self.after or 'gone'}" if self.before else f"{self.label} = {self.after}"
        )

    @property
    def words(self) -> str:
        """The name for the list of meanings: with the owner if the state declares it; a member needs no explanation."""
        plain = self.label.split("[")[0]
        return f"{self.owner}: {plain}" if self.declared else plain


def field_changes(before: State, after: State) -> dict[str, tuple[str, str]]:
    """Every element that differs, field by field and without views: `{"isr[r2]": ("{}", "{r1, r2}")}`."""
    found = {}
    for declared in before.fields:
        for position in declared.positions(before.bounds):
            texts = _element_texts(before, after, declared, position)
            if texts is not None:
                found[declared.place(position, before.bounds)] = texts
    return found


def changes(before: State, after: State) -> list[Change]:
    """The changes to show for the step from `before` to `after`: declared owners first, then members, then fields without an owner."""
    viewed = [change for view in before.views for change in _view_changes(before, after, view)]
    visible = {name for view in before.views if any(c.name == view.name for c in viewed) for name in view.covers}
    covered = {name for view in before.views for name in view.covers}
    shown = [change for change in viewed if not change.declared]
    for declared in before.fields:
        found = list(_field_changes(before, after, declared))
        # A covered field that changed without changing a view's text is shown too: nothing is hidden.
        if declared.name not in covered or (found and declared.name not in visible):
            shown += found
    shown += [change for change in viewed if change.declared]
    return sorted(shown, key=lambda change: _rank(before, change))


def by_owner(found: list[Change]) -> dict[str, list[Change]]:
    """The changes grouped by owner, in order."""
    groups: dict[str, list[Change]] = {}
    for change in found:
        groups.setdefault(change.owner, []).append(change)
    return groups


def owner_lines(before: State, after: State) -> list[str]:
    """What a step changed, a line for each owner: `r1: high_watermark 0 -> 1; log [] -> [0@0]`."""
    grouped = by_owner(changes(before, after))
    return [f"{owner}: " * bool(owner) + "; ".join(c.show() for c in owned) for owner, owned in grouped.items()]


def owner_index(declared: Field) -> type[Index] | None:
    """The domain whose members own a field's elements: its first index, if members have names of their own (`r1`)."""
    first = declared.indexes[0] if declared.indexes else None
    return first if first is not None and first.prefix else None


def declared_owner(state: type[State], name: str) -> str | None:
    """The owner that the state declares for a field."""
    return next((owner for owner, names in state.owners.items() if name in names), None)


def _element_texts(before: State, after: State, declared: Field, position: tuple[int, ...]) -> tuple[str, str] | None:
    old, new = before.element(declared, position), after.element(declared, position)
    if old == new:
        return None
    return declared.domain.show(old, before.bounds), declared.domain.show(new, before.bounds)


def _field_changes(before: State, after: State, declared: Field) -> Iterator[Change]:
    bounds = before.bounds
    named = declared_owner(type(before), declared.name)
    for position in declared.positions(bounds):
        texts = _element_texts(before, after, declared, position)
        if texts is None:
            continue
        place, owner = declared.place(position, bounds), named or ""
        if named is not None:
            place = place.removeprefix(f"{named}_")
        elif (index := owner_index(declared)) is not None:
            owner = index.show(position[0], bounds)
            place = declared.name + place.removeprefix(f"{declared.name}[{owner}]")
        yield Change(
            owner=owner, declared=named is not None, name=declared.name, label=place, before=texts[0], after=texts[1]
        )


def _view_changes(before: State, after: State, view: View) -> Iterator[Change]:
    bounds = before.bounds
    members = [None] if view.each is None else list(range(view.each.size(bounds)))
    for member in members:
        arguments = () if member is None else (member,)
        old, new = (text_of(f"the view {view.name}", view.show, state, *arguments) for state in (before, after))
        if old == new:
            continue
        shown = "" if view.each is None or member is None else view.each.show(member, bounds)
        if isinstance(view.owner, str):
            owner, label = view.owner, view.name + (f"[{shown}]" if shown else "")
        else:
            owner, label = shown, view.name
        yield Change(
            owner=owner, declared=isinstance(view.owner, str), name=view.name, label=label, before=old, after=new
        )


def _rank(state: State, change: Change) -> tuple[int, str]:
    declared = list(state.owners)
    if change.owner in declared:
        return declared.index(change.owner), ""
    return len(declared) + (not change.owner), change.owner
