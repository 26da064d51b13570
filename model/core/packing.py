"""How a state is packed into words: one layout for every engine, store and digest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from weakref import WeakValueDictionary

from .domains import Index
from .errors import ModelError
from .state import Field, Setting, State

WORD_BITS = 63
"""The used bits of a word: packed words are never negative, so that every engine compares them alike."""

SETTING_WORDS = 2
"""How many words the settings of a state may take. They are arguments of every function of a kernel."""

Packed = tuple[int, ...]


@dataclass(frozen=True)
class Segment:
    """A run of a field's elements, in order, that lies in one word: element k at shift + (k - start) * width."""

    start: int
    count: int
    word: int
    shift: int


@dataclass(frozen=True)
class Place:
    """The place of a field. Its elements are numbered with the last index fastest."""

    field: Field
    width: int
    low: int
    size: int
    shape: tuple[int, ...]
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Slot:
    """The place of one element, and its possible values."""

    label: str
    word: int
    shift: int
    mask: int
    low: int
    size: int

    def refuse_unless_within(self, value: int) -> None:
        """Raises ModelError for a value outside the element's domain."""
        if not 0 <= value - self.low < self.size:
            raise ModelError(
                f"{self.label} was set to {value}, outside its domain {self.low}..{self.low + self.size - 1}",
                written=self.label.partition("[")[0],
            )


Move = tuple[int, int, int, int, int, Sequence[int]]
"""How a renaming moves an element: its word, shift and mask, its new word and shift, and the new value for each value."""


class Places:
    """Where fields and settings of a State subclass lie within bounds: in the order of declaration, each in one word if it fits one."""

    def __init__(self, schema: type[State], bounds: Mapping[str, int]) -> None:
        self.bounds = bounds
        self.of: dict[str, Place] = {}
        self.used: list[int] = []
        for declared in schema.fields:
            size = declared.domain.size(bounds)
            width = max(1, (size - 1).bit_length())
            shape = declared.shape(bounds)
            segments = tuple(_segments(prod(shape), width, self.used))
            self.of[declared.name] = Place(declared, width, declared.domain.low, size, shape, segments)
        self.slots = {name: self._slots(place) for name, place in self.of.items()}
        self.settings = setting_places(schema)
        self._moves: dict[tuple[tuple[type[Index], tuple[int, ...]], ...], list[Move]] = {}

    def _slots(self, place: Place) -> list[Slot]:
        slots = []
        positions = list(place.field.positions(self.bounds))
        for segment in place.segments:
            for k in range(segment.start, segment.start + segment.count):
                label = place.field.place(positions[k], self.bounds)
                shift = segment.shift + (k - segment.start) * place.width
                slots.append(Slot(label, segment.word, shift, (1 << place.width) - 1, place.low, place.size))
        return slots

    @cached_property
    def rows(self) -> list[list[Slot]]:
        """The slots of each innermost row, in the order in which a state has these."""
        found = []
        for name, place in self.of.items():
            if place.shape:
                count, slots = place.shape[-1], self.slots[name]
                found += [slots[row * count : (row + 1) * count] for row in range(prod(place.shape[:-1]))]
        return found

    @cached_property
    def scalars(self) -> dict[str, Slot]:
        """The slot of each field with one value."""
        return {name: self.slots[name][0] for name, place in self.of.items() if not place.shape}

    @cached_property
    def cells(self) -> list[tuple[int, int, int, int, int, int]]:
        """Where every element of an innermost row is: word, shift, mask and lowest value, number of the row, and position there."""
        numbered = [(number, k, slot) for number, row in enumerate(self.rows) for k, slot in enumerate(row)]
        return [(slot.word, slot.shift, slot.mask, slot.low, number, k) for number, k, slot in numbered]

    @cached_property
    def elements(self) -> list[tuple[Slot, Field, tuple[int, ...]]]:
        """Every element: its packed place, its field, and its position there."""
        return [
            (slot, place.field, position)
            for name, place in self.of.items()
            for slot, position in zip(self.slots[name], place.field.positions(self.bounds), strict=True)
        ]

    def moves(self, renaming: Mapping[type[Index], Sequence[int]]) -> list[Move]:
        """The new place of each element after a renaming, and the new values."""
        key = tuple((index, tuple(members)) for index, members in renaming.items())
        if key not in self._moves:
            self._moves[key] = list(self._moved(renaming))
        return self._moves[key]

    def _moved(self, renaming: Mapping[type[Index], Sequence[int]]) -> Iterator[Move]:
        for name, place in self.of.items():
            slots, domain = self.slots[name], place.field.domain
            values = [domain.renamed(value + place.low, renaming) - place.low for value in range(place.size)]
            for slot, position in zip(slots, place.field.positions(self.bounds), strict=True):
                target = 0
                for index, member, extent in zip(place.field.indexes, position, place.shape, strict=True):
                    base = index.base()
                    moved = index.renamed(member, renaming[base]) if base in renaming else member
                    target = target * extent + moved
                yield slot.word, slot.shift, slot.mask, slots[target].word, slots[target].shift, values


_PLACES: WeakValueDictionary[tuple[object, ...], Places] = WeakValueDictionary()
"""The places in use. Models that differ only in their settings share them: a matrix has hundreds."""


class Layout:
    """The packed form of a State subclass within bounds.

    `bounds` holds the values of the settings too. These lie in words of their own, which are no part of a state.
    """

    def __init__(self, schema: type[State], bounds: Mapping[str, int]) -> None:
        self.schema, self.bounds = schema, bounds
        settings = frozenset(setting.name for setting in schema.settings)
        sizes = {name: size for name, size in bounds.items() if name not in settings}
        key = (schema, *sizes.items())
        self._places = _PLACES.get(key) or _PLACES.setdefault(key, Places(schema, sizes))
        self.places, self.slots, self.settings = self._places.of, self._places.slots, self._places.settings
        self.words = max(1, len(self._places.used))
        self.bits = sum(self._places.used)

    def blank(self) -> State:
        """A state with every field at its lowest value, whose rows know their slots."""
        state = self.schema(self.bounds)
        rows, held = state.innermost, state.__dict__
        for row, slots in zip(rows, self._places.rows, strict=True):
            row.slots = slots
        held["slots"] = self._places.scalars
        held["cells"] = [
            (word, shift, mask, low, rows[row], k) for word, shift, mask, low, row, k in self._places.cells
        ]
        return state

    def pack_settings(self) -> Packed:
        """The words of the settings."""
        words = [0] * SETTING_WORDS
        for name, place in self.settings.items():
            (segment,) = place.segments
            words[segment.word] |= self.bounds[name] - place.low << segment.shift
        return tuple(words)

    def pack(self, state: State) -> Packed:
        """The packed form of a whole state. Raises ModelError for a value outside its domain."""
        words = [0] * self.words
        for slot, declared, position in self._places.elements:
            words[slot.word] |= _stored(slot, state.element(declared, position)) << slot.shift
        return tuple(words)

    def pack_changes(self, before: Packed, state: State) -> Packed:
        """The packed form of a state that differs from `before` only in the elements of its journal."""
        words = list(before)
        for row, position, _ in state.journal:
            if row is state:
                slot, value = self.slots[position][0], state.__dict__[position]
            else:
                slot, value = row.slots[position], list.__getitem__(row, position)
            words[slot.word] = words[slot.word] & ~(slot.mask << slot.shift) | _stored(slot, value) << slot.shift
        return tuple(words)

    def unpack(self, words: Packed, into: State | None = None) -> State:
        """The state that was packed into `words`; `into` (from `blank`) is reused if given."""
        state = self.blank() if into is None else into
        put, values = list.__setitem__, state.__dict__
        for word, shift, mask, low, row, position in state.cells:
            put(row, position, (words[word] >> shift & mask) + low)
        for name, slot in self._places.scalars.items():
            values[name] = (words[slot.word] >> slot.shift & slot.mask) + slot.low
        return state

    def renamed(self, words: Packed, renaming: Mapping[type[Index], Sequence[int]]) -> Packed:
        """The state after renaming each member m of the domains in `renaming` to renaming[domain][m]."""
        return self.moved(words, self.moves(renaming))

    def moves(self, renaming: Mapping[type[Index], Sequence[int]]) -> list[Move]:
        """The new place of each element after a renaming, and the new values."""
        return self._places.moves(renaming)

    def moved(self, words: Packed, moves: Sequence[Move]) -> Packed:
        """The state after the moves of a renaming."""
        result = [0] * self.words
        for word, shift, mask, goal, goal_shift, values in moves:
            result[goal] |= values[words[word] >> shift & mask] << goal_shift
        return tuple(result)


def setting_places(schema: type[State]) -> dict[str, Place]:
    """Where each setting lies in the words of the settings. Raises ModelError if they do not fit these."""
    used: list[int] = []
    places = {declared.name: _setting_place(declared, used) for declared in schema.settings}
    if len(used) > SETTING_WORDS:
        raise ModelError(
            f"the settings of {schema.__name__} do not fit {SETTING_WORDS} words of {WORD_BITS} bits; give some of them fewer values"
        )
    return places


def _setting_place(declared: Setting, used: list[int]) -> Place:
    size = declared.domain.size({})
    width = max(1, (size - 1).bit_length())
    return Place(declared, width, declared.domain.low, size, (), tuple(_segments(1, width, used)))


def words_needed(schema: type[State], bounds: Mapping[str, int]) -> int:
    """How many words a layout would take, without making it."""
    used: list[int] = []
    for declared in schema.fields:
        width = max(1, (declared.domain.size(bounds) - 1).bit_length())
        _segments(prod(declared.shape(bounds)), width, used)
    return len(used)


def _stored(slot: Slot, value: int) -> int:
    slot.refuse_unless_within(value)
    return value - slot.low


def _segments(count: int, width: int, used: list[int]) -> list[Segment]:
    """Place `count` elements of `width` bits, in one word if they fit one, and note the bits in `used`."""
    if count * width <= WORD_BITS:
        for word, bits in enumerate(used):
            if bits + count * width <= WORD_BITS:
                used[word] += count * width
                return [Segment(0, count, word, bits)]
        used.append(count * width)
        return [Segment(0, count, len(used) - 1, 0)]
    segments = []
    per_word = WORD_BITS // width
    for start in range(0, count, per_word):
        size = min(per_word, count - start)
        used.append(size * width)
        segments.append(Segment(start, size, len(used) - 1, 0))
    return segments
