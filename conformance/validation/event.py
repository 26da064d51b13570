"""Events as the search takes them: the steps that each may be, and what was seen of the state after it."""

from __future__ import annotations

from dataclasses import dataclass

from neverlost.model.core import Packed, Step


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One element of the state as the log saw it, and how it reads there."""

    place: str
    word: int
    shift: int
    mask: int
    stored: int
    shown: str

    def agrees(self, words: Packed) -> bool:
        return words[self.word] >> self.shift & self.mask == self.stored


class Observation:
    """What was seen of a state, gathered word by word, so that one comparison a word decides it."""

    def __init__(self, seen: tuple[Seen, ...]) -> None:
        self.seen = seen
        masks: dict[int, int] = {}
        bits: dict[int, int] = {}
        for one in seen:
            masks[one.word] = masks.get(one.word, 0) | one.mask << one.shift
            bits[one.word] = bits.get(one.word, 0) | one.stored << one.shift
        self.words = tuple((word, mask, bits[word]) for word, mask in masks.items())

    def agrees(self, words: Packed) -> bool:
        """Is the state as it was seen?"""
        return all(words[word] & mask == bits for word, mask, bits in self.words)

    def differing(self, words: Packed) -> list[Seen]:
        """What was seen otherwise than the state has it."""
        return [one for one in self.seen if not one.agrees(words)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """An event of the log. One that is `unknown`, as its line is malformed, may be any step, or none."""

    line: int
    shown: str
    steps: tuple[Step, ...]
    observation: Observation
    unknown: bool = False
