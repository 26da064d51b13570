"""JSON that others wrote: what is none, or nests too deep to be worked on, is refused before anyone looks into it."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isinf
from typing import Any

from neverlost.model.core import NeverlostError

MOST_NESTED = 100
"""What neverlost reads nests a dozen deep at most. Ten times this, Python gives up: here, or only where the value is shown."""


class JsonError(NeverlostError):
    """Text cannot be read as JSON; the text goes on from what holds it: `is not JSON (...)`, `holds NaN, ...`."""


def json_decoder(made_of_object: Callable[[dict[str, Any]], Any] | None = None) -> json.JSONDecoder:
    """A decoder for `read_json` and `read_json_element`; objects become what is made of them, as they are if nothing is."""
    return json.JSONDecoder(object_hook=made_of_object, parse_constant=_refuse_constant, parse_float=_finite)


def read_json(text: str | bytes, decoder: json.JSONDecoder | None = None) -> Any:
    """The value of JSON text, nested at most MOST_NESTED deep, all its numbers finite. Raises JsonError for any other text."""
    try:
        read = text if isinstance(text, str) else text.decode(json.detect_encoding(text))
        value = (decoder or DECODER).decode(read)
    except UnicodeDecodeError as error:
        raise JsonError(f"is not text in UTF-8 ({error.reason} at byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise _json_error(error) from error
    if _has_many_brackets(read) and _is_deep(value):
        raise JsonError(NESTED)
    return value


def read_json_element(text: str, position: int) -> tuple[Any, int]:
    """The value that begins at a position of a text, and where it ends.

    Raises json.JSONDecodeError for what is no JSON or lacks its end, and JsonError for what `read_json` refuses beside that.
    """
    try:
        value, end = DECODER.raw_decode(text, position)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise _json_error(error) from error
    if _has_many_brackets(text, position, end) and _is_deep(value):
        raise JsonError(NESTED)
    return value, end


def _has_many_brackets(text: str, begin: int = 0, end: int | None = None) -> bool:
    """Are so many brackets opened that something may be nested too deep? Counting takes no time beside looking."""
    return text.count("[", begin, end) + text.count("{", begin, end) > MOST_NESTED


def _is_deep(value: Any) -> bool:
    """Is a value nested more than MOST_NESTED deep?"""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_NESTED):
        inner = (item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer))
        level = [item for item in inner if isinstance(item, dict | list)]
        if not level:
            break
    return bool(level)


def _json_error(error: ValueError | RecursionError) -> JsonError:
    """What to say of an error that Python's reader of JSON raised."""
    if isinstance(error, RecursionError):
        return JsonError(NESTED)
    # Of a number with too many digits Python says how a program of one's own would read it all the same.
    return JsonError(f"is not JSON ({str(error).partition('; use sys.')[0]})")


def _refuse_constant(name: str) -> None:
    raise JsonError(f"holds {name}, which is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise JsonError(f"holds the number {text}, which is too large")
    return number


NESTED = f"is nested more than {MOST_NESTED} deep"
DECODER = json_decoder()
