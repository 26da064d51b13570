"""From LLVM IR to functions that Python calls: object code for this processor, and the entries in it."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from .ir_module import EntryPoint
from .kernel_types import NUMBER, TRUTH, U8, U32, U64, Array, Columns, ScalarType, Type, types_of

DTYPES: dict[ScalarType, np.dtype[Any]] = {
    NUMBER: np.dtype(np.int64),
    U64: np.dtype(np.uint64),
    U32: np.dtype(np.uint32),
    U8: np.dtype(np.uint8),
}
SPEED, SPEED_OF_LARGE, LARGE = 3, 2, 500_000
"""LLVM's level of optimisation, and that of modules of more characters: level 3 takes twice as long for them, and gains 2%."""

NOT_OPTIMISED, WELL_OPTIMISED = 0, 2
"""LLVM's levels of what makes machine code, with and without the passes above."""

MISCOMPILED = ("avx512", "avx10", "evex512")
"""What wide kernels do without: LLVM writes a wrong table into some masked three-way operations (VPTERNLOG; its issue 157929)."""

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def target() -> str:
    """The target of object code, and the LLVM that made it. Object code for another target cannot be loaded, or differs."""
    features = llvm.get_host_cpu_features().flatten()
    return repr(
        (llvmlite.__version__, llvm.llvm_version_info, llvm.get_process_triple(), llvm.get_host_cpu_name(), features)
    )


def _target_machine(without: Sequence[str] = (), level: int = WELL_OPTIMISED) -> Any:
    """This processor, without the features whose names begin so."""
    features = llvm.get_host_cpu_features()
    for name in features:
        features[name] = features[name] and not name.startswith(tuple(without))
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=level, jit=True
    )


def object_code(ir: str, wide: bool, optimised: bool = True) -> bytes:
    """The object code of a module for this processor. Raises RuntimeError for IR that is not valid.

    Without optimisation it is made ten times faster, and runs five times slower.
    """
    machine = _target_machine(MISCOMPILED if wide else (), WELL_OPTIMISED if optimised else NOT_OPTIMISED)
    module = llvm.parse_assembly(ir)
    module.verify()
    speed = (SPEED if len(ir) < LARGE else SPEED_OF_LARGE) if optimised else NOT_OPTIMISED
    options = llvm.create_pipeline_tuning_options(speed_level=speed)
    options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


class Kernel:
    """A loaded kernel; its constants and entries are attributes.

    An entry takes integers, C-contiguous arrays of exactly the declared types, and tuples of vectors for columns; it returns what its
    function returns. Other threads run meanwhile. Raises TypeError for an argument of another type. Indexes are not checked.
    """

    def __init__(self, code: bytes, entries: Mapping[str, EntryPoint], constants: Mapping[str, int]) -> None:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        types = types_of(constants.get("WORDS", 1))
        self._named: dict[str, Any] = dict(constants)
        for name, entry in entries.items():
            self._named[name] = _Callable(engine, name, [types[p] for p in entry.parameters], entry.results)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_named"][name]
        except KeyError:
            raise AttributeError(f"this kernel has no {name}") from None


class _Callable:
    """An entry of a loaded kernel. It keeps the kernel loaded."""

    def __init__(self, engine: Any, name: str, types: Sequence[Type], results: Sequence[str]) -> None:
        self._engine, self._name = engine, name
        self._handing = [_handing(kind) for kind in types]
        words = (word for kind in types for word in _words(kind))
        self._function = ctypes.CFUNCTYPE(None, *words, ctypes.c_void_p)(engine.get_function_address(name))
        self._decoders = [_DECODERS.get(result, int) for result in results]

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != len(self._handing):
            raise TypeError(f"{self._name} takes {len(self._handing)} arguments, but got {len(arguments)}")
        words: list[Any] = []
        for number, (hand, argument) in enumerate(zip(self._handing, arguments, strict=True), start=1):
            if not hand(argument, words):
                raise TypeError(f"argument {number} of {self._name} does not have the declared type: {argument!r:.100}")
        found = (ctypes.c_int64 * max(1, len(self._decoders)))()
        self._function(*words, ctypes.addressof(found))
        values = [decode(word) for word, decode in zip(found, self._decoders, strict=False)]
        return tuple(values) if len(values) > 1 else values[0] if values else None


_DECODERS: dict[str, Callable[[int], int]] = {TRUTH.name: bool, U64.name: lambda word: word & (1 << 64) - 1}
"""How Python reads the 64 bits of a result, by its type; other types are plain integers."""


def _words(kind: Type) -> list[type[Any]]:
    """The C parameters for an argument: an array with its open extents."""
    if isinstance(kind, ScalarType):
        return [ctypes.c_int64]
    open_ = kind.extents.count(None) if isinstance(kind, Array) else 0
    return [ctypes.c_void_p, *[ctypes.c_int64] * open_]


Handing = Callable[[Any, list[Any]], bool]
"""Appends the C parameters for an argument; false if it does not have the type."""


def _handing(kind: Type) -> Handing:
    if isinstance(kind, ScalarType):
        return _hand_number
    if isinstance(kind, Columns):
        return partial(_hand_columns, kind.count)
    return partial(_hand_array, DTYPES[kind.element], kind.extents)


def _hand_number(argument: Any, words: list[Any]) -> bool:
    try:
        number = operator.index(argument)
    except TypeError:
        return False
    words.append(number)
    return -(1 << 63) <= number < 1 << 63


def _hand_array(dtype: np.dtype[Any], extents: tuple[int | None, ...], argument: Any, words: list[Any]) -> bool:
    if not isinstance(argument, np.ndarray) or argument.dtype != dtype or not argument.flags.c_contiguous:
        return False
    words.append(argument.__array_interface__["data"][0])
    if len(argument.shape) != len(extents):
        return False
    for size, extent in zip(argument.shape, extents, strict=True):
        if extent is None:
            words.append(size)
        elif size != extent:
            return False
    return True


def _hand_columns(count: int, argument: Any, words: list[Any]) -> bool:
    addresses: list[Any] = []
    for column in argument:
        if not _hand_array(DTYPES[NUMBER], (None,), column, addresses):
            return False
    words.append((ctypes.c_void_p * count)(*addresses[::2]))
    return len(argument) == count
