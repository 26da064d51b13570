"""What a kernel's functions compute with, by LLVM's names for it, and how it is handed from one function to another."""

from __future__ import annotations

from dataclasses import dataclass

from .kernel_types import NUMBER, Array, Columns, ScalarType, Type


@dataclass(frozen=True, kw_only=True)
class LlvmValue:
    """A truth or an integer, by LLVM's text for it. One that is written out, or a sum of such, has a value but no type yet."""

    type: ScalarType | None
    text: str
    known: int | None = None


@dataclass(frozen=True, kw_only=True)
class LlvmArray:
    """An array: where it begins, and the sizes of its dimensions."""

    type: Array
    pointer: str
    extents: tuple[LlvmValue | None, ...]
    """None for a size that is not known at all."""


@dataclass(frozen=True, kw_only=True)
class ColumnsView:
    """Where the addresses of the columns lie."""

    type: Columns
    pointer: str


Operand = LlvmValue | LlvmArray | ColumnsView
Result = ScalarType | tuple[ScalarType, ...] | None


def literal(value: int) -> LlvmValue:
    """An integer that is written out."""
    return LlvmValue(type=None, text=str(value), known=value)


def parameters_of(operand: Operand, name: str) -> list[tuple[str, str]]:
    """The parameters of LLVM, each by type and name, by which a value is handed to a function: an array with its open extents."""
    match operand:
        case LlvmValue(type=scalar):
            assert scalar is not None
            return [(scalar.ir, name)]
        case LlvmArray(type=array):
            open_ = [k for k, extent in enumerate(array.extents) if extent is None]
            return [("ptr", name), *(("i64", f"{name}.{k}") for k in open_)]
    return [("ptr", name)]


def received(kind: Type, name: str) -> Operand:
    """A parameter of a type as its function sees it, when it was handed over as `parameters_of` says."""
    if isinstance(kind, ScalarType):
        return LlvmValue(type=kind, text=name)
    if isinstance(kind, Columns):
        return ColumnsView(type=kind, pointer=name)
    extents = [
        LlvmValue(type=NUMBER, text=f"{name}.{k}") if extent is None else literal(extent)
        for k, extent in enumerate(kind.extents)
    ]
    return LlvmArray(type=kind, pointer=name, extents=tuple(extents))


def handed(operand: Operand) -> list[str]:
    """The arguments of LLVM, each with its type, by which a value is handed to a function."""
    match operand:
        case LlvmValue(type=scalar, text=text):
            assert scalar is not None
            return [f"{scalar.ir} {text}"]
        case LlvmArray(type=array, pointer=pointer, extents=sizes):
            open_ = [size for size, extent in zip(sizes, array.extents, strict=True) if extent is None]
            return [f"ptr {pointer}", *(f"i64 {size.text if size else 'poison'}" for size in open_)]
    return [f"ptr {operand.pointer}"]


def result_ir(result: Result) -> str:
    """LLVM's type of what a function returns."""
    if result is None:
        return "void"
    return result.ir if isinstance(result, ScalarType) else "{" + ", ".join(scalar.ir for scalar in result) + "}"
