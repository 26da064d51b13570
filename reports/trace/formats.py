"""The formats of a trace, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from neverlost.explorer.traces.trace import Trace
from neverlost.explorer.traces.trace_json import trace_json
from neverlost.model.core import UnknownNameError

from .as_itf import trace_itf
from .as_mermaid import trace_mermaid
from .as_pytest import trace_pytest
from .as_text import trace_text
from .page import trace_html, trace_svg

FORMATS: Mapping[str, Callable[[Trace], str]] = {
    "text": trace_text,
    "json": trace_json,
    "itf": trace_itf,
    "mermaid": trace_mermaid,
    "pytest": trace_pytest,
    "html": trace_html,
    "svg": trace_svg,
}


def render(trace: Trace, format_name: str) -> str:
    """The trace in a format. Raises UnknownNameError."""
    if format_name not in FORMATS:
        raise UnknownNameError("format", format_name, FORMATS)
    return FORMATS[format_name](trace)
