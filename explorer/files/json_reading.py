"""JSON from files of others: text that is not JSON, or that nests too deeply, is refused before it is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isinf
from typing import Any

from neverlost.model.core import NeverlostError

MOST_NESTED = 100
"""Files of neverlost nest at most a dozen deep. At ten times this limit Python fails: here, or later when the value is shown."""


class JsonError(NeverlostError):
    """Text cannot be read as JSON. The message continues the name of its file: `is not JSON (...)`, `holds NaN, ...`."""


def json_decoder(made_of_object: Callable[[dict[str, Any]], Any] | None = None) -> json.JSONDecoder:
    """A decoder for `read_json` and `read_json_element`. A hook may convert objects."""
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
    """The value that begins at a position of a text, and the position of its end.

    Raises json.JSONDecodeError for text that is not JSON or lacks its end, and JsonError for what else `read_json` refuses.
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
    """Whether enough brackets open for a value nested too deeply. Counting is much faster than looking."""
    return text.count("[", begin, end) + text.count("{", begin, end) > MOST_NESTED


def _is_deep(value: Any) -> bool:
    """Whether a value is nested more than MOST_NESTED deep."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_NESTED):
        inner = (item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer))
        level = [item for item in inner if isinstance(item, dict | list)]
        if not level:
            break
    return bool(level)


def _json_error(error: ValueError | RecursionError) -> JsonError:
    """The message for an error of Python's JSON reader."""
    if isinstance(error, RecursionError):
        return JsonError(NESTED)
    # For a number with too many digits, Python's message advises how a program can read it anyway.
    return JsonError(f"is not JSON ({str(error).partition('; use sys.')[0]})")


def _refuse_constant(name: str) -> None:
    raise JsonError(f"holds {name}, which is not a number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise JsonError(f"holds the number {text}, which is too large")
    return number


NESTED = f"is nested more than {MOST_NESTED} deep"
DECODER = json_decoder()
