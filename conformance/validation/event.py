"""Events for the search: the steps that each may be, and what was seen of the state after it."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Packed, Step


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One element of the state as the log saw it, and its text there."""

    place: str
    word: int
    shift: int
    mask: int
    stored: int
    shown: str

    def agrees(self, words: Packed) -> bool:
        return words[self.word] >> self.shift & self.mask == self.stored


class Observation:
    """What was seen of a state, word by word, so that one comparison per word decides it."""

    def __init__(self, seen: tuple[Seen, ...]) -> None:
        self.seen = seen
        masks: dict[int, int] = {}
        bits: dict[int, int] = {}
        for one in seen:
            masks[one.word] = masks.get(one.word, 0) | one.mask << one.shift
            bits[one.word] = bits.get(one.word, 0) | one.stored << one.shift
        self.words = tuple((word, mask, bits[word]) for word, mask in masks.items())

    def agrees(self, words: Packed) -> bool:
        """Whether the state is as it was seen."""
        return all(words[word] & mask == bits for word, mask, bits in self.words)

    def differing(self, words: Packed) -> list[Seen]:
        """The observations that differ from the state."""
        return [one for one in self.seen if not one.agrees(words)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """An event of the log. An `unknown` one, whose line is malformed, may be any step, or none."""

    line: int
    shown: str
    steps: tuple[Step, ...]
    observation: Observation
    unknown: bool = False
