"""Parsing of decimal numbers: eight digits at a time, correctly rounded.

A decimal whose digits make an integer of at most 2⁵³ is that integer divided or multiplied by a
power of ten. Up to 10²² both are exact in float64, so one operation gives the nearest float64
(Clinger 1990). With up to 18 digits over such a power, the remainder of the division is computed
exactly as well and decides between neighbours, unless two are almost equally near. Any other number
is LONG, and left to Python, which also rounds correctly.

Positions in a text are unsigned, as everywhere in kernels. Words are little-endian, as on x86 and
ARM: the first character is the lowest byte.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import ONE, THREE, UINT
from rosenblatt.types import Array, Floats, Ints

_numba: Any = config
GOOD, LONG, BAD = range(3)  # outcomes of parsing a number
COMPILED = not _numba.DISABLE_JIT
# bytes the fast path may read; plain Python cannot load eight bytes at once
REACH: Any = UINT(32 if COMPILED else 1 << 62)
NONE: Any = UINT(0)
NOWHERE: Any = NONE
MINUS, PLUS, POINT, FIRST, LAST, SMALL_E, LARGE_E = (ord(sign) for sign in "-+.09eE")

WORD, WHOLE_BYTES = UINT(64), UINT(0x78)  # bits
EIGHT_ZEROS = UINT(0x3030303030303030)
BEYOND_NINE = UINT(0x7676767676767676)  # carries whatever exceeds 9 into the highest bit
HIGHEST_BITS = UINT(0x8080808080808080)
EVERY_OTHER_PAIR = UINT(0x000000FF000000FF)
FIRST_AND_THIRD, SECOND_AND_FOURTH = UINT(1_000_000 << 32 | 100), UINT(10_000 << 32 | 1)
TWO_SIGNS, ZERO_POINT = UINT(0xFFFF), UINT(ord(".") << 8 | ord("0"))
TEN, BYTE, TWO_BYTES, HALF = UINT(10), UINT(8), UINT(16), UINT(32)

ROOM_FOR_EIGHT_MORE, ROOM_FOR_ONE_MORE = (
    UINT(10**11),
    UINT(10**18),
)  # so that the digits stay below 2⁶⁴
MAX_EXACT_INTEGER = 1 << 53
LARGEST_POWER, LARGEST_EXPONENT = 22, UINT(1_000_000)
CORRECTION_ERROR = 2.0**-95  # relative; above the rounding error of a correction
POWERS: Any = np.array([float(10**k) for k in range(LARGEST_POWER + 1)])
WHOLE_POWERS: Any = np.array([10**k for k in range(9)], np.uint64)


@intrinsic
def _word(_typing: Any, text: Any, at: Any) -> Any:  # noqa: ARG001 (typed by its signature)
    """Eight bytes of a text from a position on."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(text, types.uint64), codegen


@intrinsic
def _zeros_below(_typing: Any, bits: Any) -> Any:  # noqa: ARG001
    """Number of trailing zeros of 64 bits."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _fused(_typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """Fused multiply-add a b + c."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), codegen


word: Any = _word
zeros_below: Any = _zeros_below
fused: Any = _fused


@njit(cache=True, nogil=True, forceinline=True)
def eight_digits(text: Array, at: int) -> tuple[int, int]:
    """Integer of the next digits, eight at most, and their number."""
    digits = word(text, at) ^ EIGHT_ZEROS
    others = ((digits + BEYOND_NINE) | digits) & HIGHEST_BITS
    bits = zeros_below(others) & WHOLE_BYTES
    digits <<= WORD - bits  # pad with leading zeros, and drop what follows the last digit
    pairs = digits * TEN + (digits >> BYTE)
    outer = (pairs & EVERY_OTHER_PAIR) * FIRST_AND_THIRD
    inner = ((pairs >> TWO_BYTES) & EVERY_OTHER_PAIR) * SECOND_AND_FOURTH
    return (outer + inner) >> HALF, bits >> THREE


@njit(cache=True, nogil=True, forceinline=True)
def quick_number(text: Array, at: int) -> tuple[float, int]:
    """A short plain decimal and its end; NOWHERE if it is anything else.

    Seven digits before the point and eight after it make less than 2⁵³.
    """
    minus = text[at] == MINUS
    if minus:
        at += ONE
    if word(text, at) & TWO_SIGNS == ZERO_POINT:  # the most frequent start
        number, digits = NONE, NONE
        at += ONE
    else:
        number, digits = eight_digits(text, at)
        at += digits
        if digits in (NONE, BYTE):
            return 0.0, NOWHERE
    places = NONE
    if text[at] == POINT:
        fraction, places = eight_digits(text, at + ONE)
        if places == NONE:
            return 0.0, NOWHERE
        number = number * WHOLE_POWERS[places] + fraction
        at += ONE + places
    value = np.float64(np.int64(number)) / POWERS[places]
    return (-value if minus else value), at


@njit(cache=True, nogil=True)
def number_at(text: Array, at: int, stop: int) -> tuple[float, int, int]:
    """Any decimal number, its end, and whether it is GOOD, LONG or BAD."""
    minus = at < stop and text[at] == MINUS
    if minus or (at < stop and text[at] == PLUS):
        at += ONE
    number, at, whole_digits, lost = more_digits(text, at, stop, NONE)
    places = NONE
    if at < stop and text[at] == POINT:
        number, at, places, lost = more_digits(text, at + ONE, stop, number)
    if whole_digits + places == 0:
        return 0.0, at, BAD
    exponent: Any = 0
    if at < stop and text[at] in (SMALL_E, LARGE_E):
        exponent, at = exponent_at(text, at + ONE, stop)
        if at == NOWHERE:
            return 0.0, at, BAD
    exponent = 0 if number == 0 else exponent - np.int64(places)
    value, kind = (0.0, LONG) if lost else nearest(np.int64(number), exponent)
    return (-value if minus else value), at, kind


@njit(cache=True, nogil=True)
def nearest(number: Any, exponent: Any) -> tuple[float, int]:
    """The float64 nearest to a number of up to 18 digits times a power of ten, or LONG."""
    head = np.float64(number)
    if number <= MAX_EXACT_INTEGER and 0 <= exponent <= LARGEST_POWER:
        return head * POWERS[exponent], GOOD
    if exponent >= 0 or exponent < -LARGEST_POWER:
        return 0.0, LONG
    power = POWERS[-exponent]
    quotient = head / power
    if number <= MAX_EXACT_INTEGER:
        return quotient, GOOD
    if not COMPILED:
        return 0.0, LONG
    rest = fused(-quotient, power, head)  # exact
    correction = (rest + np.float64(number - np.int64(head))) / power
    error_bound = quotient * CORRECTION_ERROR
    value = quotient + (correction - error_bound)
    return value, GOOD if value == quotient + (correction + error_bound) else LONG


@njit(cache=True, nogil=True)
def more_digits(text: Array, at: int, stop: int, number: int) -> tuple[int, int, int, bool]:
    """A number with further digits appended, their end, their count, and whether some were lost."""
    start = at
    while at + REACH < stop and number < ROOM_FOR_EIGHT_MORE:
        more, digits = eight_digits(text, at)
        if digits:
            number = number * WHOLE_POWERS[digits] + more
        at += digits
        if digits < BYTE:
            break
    while at < stop and FIRST <= text[at] <= LAST:
        if number < ROOM_FOR_ONE_MORE:
            number = number * TEN + UINT(text[at] - FIRST)
        at += ONE
    # nineteen digits are full: whether one was lost is left to Python
    return number, at, at - start, number >= ROOM_FOR_ONE_MORE


@njit(cache=True, nogil=True)
def exponent_at(text: Array, at: int, stop: int) -> tuple[int, int]:
    """Signed exponent after an e, and its end; NOWHERE if there is none."""
    minus = at < stop and text[at] == MINUS
    if minus or (at < stop and text[at] == PLUS):
        at += ONE
    exponent, end, digits, _ = more_digits(text, at, stop, NONE)
    if digits == 0:
        return 0, NOWHERE
    size: Any = np.int64(min(exponent, LARGEST_EXPONENT))
    return (-size if minus else size), end


def long_numbers(text: Array, starts: Ints, stops: Ints) -> Floats:
    """Numbers that were left to Python, from their starts and ends in the text."""
    signs = text.tobytes()
    places = zip(starts.tolist(), stops.tolist(), strict=True)
    return np.array([float(signs[start:stop]) for start, stop in places])
