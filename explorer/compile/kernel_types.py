"""The types of kernel texts, by the names in their annotations and conversions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ScalarType:
    """A truth or an integer of so many bits. `name` is its name in a kernel text, `ir` its name in LLVM."""

    name: str
    ir: str
    bits: int
    signed: bool = False


TRUTH = ScalarType(name="truth", ir="i1", bits=1)
NUMBER = ScalarType(name="number", ir="i64", bits=64, signed=True)
U64 = ScalarType(name="u64", ir="i64", bits=64)
U32 = ScalarType(name="u32", ir="i32", bits=32)
U8 = ScalarType(name="u8", ir="i8", bits=8)

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
