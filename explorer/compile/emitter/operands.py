"""The operands of a kernel's functions, by LLVM's names, and how one function passes them to another."""

from __future__ import annotations

from dataclasses import dataclass

from .kernel_types import NUMBER, Array, Columns, ScalarType, Type


@dataclass(frozen=True, kw_only=True)
class LlvmValue:
    """A truth or an integer, by LLVM's text for it. A literal, or a sum of literals, has a value but no type yet."""

    type: ScalarType | None
    text: str
    known: int | None = None

    @property
    def of_type(self) -> ScalarType:
        """The type of a value that has one."""
        assert self.type is not None
        return self.type


@dataclass(frozen=True, kw_only=True)
class LlvmArray:
    """An array: its address, and the sizes of its dimensions."""

    type: Array
    pointer: str
    extents: tuple[LlvmValue | None, ...]
    """None for an unknown size."""


@dataclass(frozen=True, kw_only=True)
class ColumnsView:
    """The address of the array of column addresses."""

    type: Columns
    pointer: str


Operand = LlvmValue | LlvmArray | ColumnsView
Result = ScalarType | tuple[ScalarType, ...] | None


def literal(value: int) -> LlvmValue:
    """An integer literal."""
    return LlvmValue(type=None, text=str(value), known=value)


def parameters_of(operand: Operand, name: str) -> list[tuple[str, str]]:
    """The LLVM parameters, each by type and name, for a value that is passed to a function: an array with its open extents."""
    match operand:
        case LlvmValue(type=scalar):
            assert scalar is not None
            return [(scalar.ir, name)]
        case LlvmArray(type=array):
            open_ = [k for k, extent in enumerate(array.extents) if extent is None]
            return [("ptr", name), *(("i64", f"{name}.{k}") for k in open_)]
    return [("ptr", name)]


def received(kind: Type, name: str) -> Operand:
    """A parameter of a type as its function sees it, if it is passed as `parameters_of` says."""
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
    """The LLVM arguments, each with its type, for a value that is passed to a function."""
    match operand:
        case LlvmValue(type=scalar, text=text):
            assert scalar is not None
            return [f"{scalar.ir} {text}"]
        case LlvmArray(type=array, pointer=pointer, extents=sizes):
            open_ = [size for size, extent in zip(sizes, array.extents, strict=True) if extent is None]
            return [f"ptr {pointer}", *(f"i64 {size.text if size else 'poison'}" for size in open_)]
    return [f"ptr {operand.pointer}"]


def result_ir(result: Result) -> str:
    """LLVM's type of a function's result."""
    if result is None:
        return "void"
    return result.ir if isinstance(result, ScalarType) else "{" + ", ".join(scalar.ir for scalar in result) + "}"
