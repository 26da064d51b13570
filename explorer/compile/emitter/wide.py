"""Values with several lanes, and how a function comes to them and leaves them."""

from __future__ import annotations

from .expressions import Expressions
from .kernel_types import LANES, NUMBER, TRUTH
from .operands import LlvmArray, LlvmValue

SET_BITS = "set_bits"
"""The name of a table: for each number of as many bits as there are lanes, the numbers of the bits that are set, as bytes of a word."""


def set_bits_table() -> str:
    """The line of LLVM IR that defines the table."""
    rows = [[bit for bit in range(LANES) if number >> bit & 1] for number in range(1 << LANES)]
    words = ", ".join(f"i64 {sum(bit << 8 * place for place, bit in enumerate(row))}" for row in rows)
    return f"@{SET_BITS} = private unnamed_addr constant [{1 << LANES} x i64] [{words}]"


class Wide(Expressions):
    """The code of one function that may use values with several lanes."""

    def _inside(self, first: LlvmValue, limit: LlvmValue) -> LlvmValue:
        """In which lanes a number is below a limit, if it is `first` in the first lane and one more in each next one."""
        wide, truth = NUMBER.wide.ir, TRUTH.wide
        left = self._splat(self._made(NUMBER, f"sub i64 {limit.text}, {first.text}"))
        steps = ", ".join(f"i64 {lane}" for lane in range(LANES))
        below = self._new(f"icmp slt {wide} <{steps}>, {left.text}")
        return self._made(truth, f"sext <{LANES} x i1> {below} to {truth.ir}")

    def _keep_lanes(
        self, into: LlvmArray, place: LlvmValue, first: LlvmValue, inside: LlvmValue, flags: LlvmValue
    ) -> str:
        """Write the numbers of the lanes inside that have a flag, counted from `first`, to `into`. Returns how many they are."""
        wide, truths, bits = NUMBER.wide.ir, f"<{LANES} x i1>", f"i{LANES}"
        flagged = self._new(f"icmp ne {wide} {flags.text}, zeroinitializer")
        among = self._new(f"icmp ne {wide} {inside.text}, zeroinitializer")
        chosen = self._new(f"bitcast {truths} {self._new(f'and {truths} {flagged}, {among}')} to {bits}")
        row = self._new(f"zext {bits} {chosen} to i64")
        place_of_row = self._new(f"getelementptr inbounds i64, ptr @{SET_BITS}, i64 {row}")
        octets = self._new(f"load <{LANES} x i8>, ptr {place_of_row}, align 8")
        numbers = self._new(f"zext <{LANES} x i8> {octets} to {wide}")
        kept = self._new(f"add {wide} {self._splat(first).text}, {numbers}")
        self._emit(f"store {wide} {kept}, ptr {self._element(into, place)}, align 8")
        size = self._new(f"call {bits} @llvm.ctpop.{bits}({bits} {chosen})")
        return self._new(f"zext {bits} {size} to i64")

    def _splat(self, value: LlvmValue) -> LlvmValue:
        """A value in all lanes."""
        wide = value.of_type.wide
        if value.known is not None:
            return LlvmValue(type=wide, text=wide.constant(value.known), known=value.known)
        first = self._new(f"insertelement {wide.ir} poison, {value.of_type.ir} {value.text}, i64 0")
        return self._made(wide, f"shufflevector {wide.ir} {first}, {wide.ir} poison, <{LANES} x i32> zeroinitializer")

    def _lanes(self, view: LlvmArray, at: LlvmValue) -> LlvmValue:
        """The elements of an array from a position on, one in each lane."""
        wide = view.type.element.wide
        return self._made(wide, f"load {wide.ir}, ptr {self._element(view, at)}, align {wide.bits // 8}")
