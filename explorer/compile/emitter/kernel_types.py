"""The types of kernel texts, by the names in their annotations and conversions."""

from __future__ import annotations

from dataclasses import dataclass, replace

LANES = 4
"""How many states a wide kernel computes at a time."""


@dataclass(frozen=True, kw_only=True)
class ScalarType:
    """A truth or an integer of so many bits. `name` is its name in a kernel text, `element` its name in LLVM.

    A wide one stands for as many of them as there are lanes.
    """

    name: str
    element: str
    bits: int
    signed: bool = False
    lanes: int = 1

    @property
    def ir(self) -> str:
        """LLVM's name of the type, with all lanes."""
        return self.element if self.lanes == 1 else f"<{self.lanes} x {self.element}>"

    @property
    def is_truth(self) -> bool:
        """Whether it is a truth, or several."""
        return self.bits == 1

    def constant(self, value: int) -> str:
        """LLVM's text for this value, in all lanes."""
        if self.lanes > 1:
            return f"splat ({self.element} {-value if self.is_truth else value})"
        return str(value) if not self.is_truth else "true" if value else "false"

    @property
    def wide(self) -> ScalarType:
        """The type for all lanes. A truth has all bits of a number there, so that processors need not convert it."""
        return replace(self, lanes=LANES, element=NUMBER.element if self.is_truth else self.element)


TRUTH = ScalarType(name="truth", element="i1", bits=1)
NUMBER = ScalarType(name="number", element="i64", bits=64, signed=True)
U64 = ScalarType(name="u64", element="i64", bits=64)
U32 = ScalarType(name="u32", element="i32", bits=32)
U8 = ScalarType(name="u8", element="i8", bits=8)

SCALARS = {scalar.name: scalar for scalar in (TRUTH, NUMBER, U64, U32, U8)}


@dataclass(frozen=True, kw_only=True)
class Array:
    """An array that the caller owns, with contiguous elements, the last index fastest.

    `extents` are the sizes of its dimensions, None for a size known only when the kernel runs. The first is always None.
    """

    element: ScalarType
    extents: tuple[int | None, ...] = (None,)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Several vectors of numbers, one for each word of a state."""

    count: int


Type = ScalarType | Array | Columns


def types_of(words: int) -> dict[str, Type]:
    """What annotations mean in a kernel for states of so many words."""
    return {
        **SCALARS,
        "vector": Array(element=NUMBER),
        "hashes": Array(element=U64),
        "entries": Array(element=U32),
        "octets": Array(element=U8),
        "table": Array(element=NUMBER, extents=(None, None)),
        "rows": Array(element=NUMBER, extents=(None, words)),
        "pairs": Array(element=NUMBER, extents=(None, 2 * words)),
        "boxes": Array(element=NUMBER, extents=(None, None, words)),
        "columns": Columns(count=words),
    }
