"""Writes docs/reference/python.md from the docstrings of what `import neverlost` offers.

python tools/python_reference.py         write the page anew
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import neverlost as nl

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "python.md"
HEAD = """# The Python API

<!-- Made from docstrings by tools/python_reference.py. Its examples are run by tests/api/test_reference.py. -->

```python
import neverlost as nl
```

`profile` finds a protocol, and its `model` sets bounds and settings; `check`, `prove`, `audit`, `matrix` and `conform` ask about it.
Every error that is yours to fix is a `NeverlostError`, whose text says what, where, and what to do. A verdict is `holds`, `violated` or
`undecided`; what was cut short is `undecided`, and `assert_holds` takes that for a failure too.

No verdict is true or false: `if nl.check(model)` raises an error that says what to write. Commands without a function here are
`lemmas`, `mutants`, `validate`, and those that run real brokers.
"""
FUNCTIONS = (
    "profile",
    "profiles",
    "check",
    "resume",
    "state_graph",
    "prove",
    "audit",
    "matrix",
    "compare",
    "conform",
    "suite",
    "history",
    "load_trace",
    "schema",
)
CLASSES = (
    "CheckResult",
    "Finding",
    "Trace",
    "Proof",
    "Audit",
    "Matrix",
    "Comparison",
    "Conformance",
    "History",
    "Compiled",
    "Interpreted",
    "Spark",
    "Limits",
    "Watch",
    "Progress",
)


def page() -> str:
    """The whole page."""
    parts = [HEAD, "## Functions\n", *map(_function, FUNCTIONS), "## Classes\n", *map(_class, CLASSES)]
    return "\n".join(parts).rstrip() + "\n"


def _function(name: str) -> str:
    function = getattr(nl, name)
    assert callable(function)
    return f"### `{name}{_signature(function)}`\n\n{_documented(function)}\n"


def _signature(function: object) -> str:
    text = str(inspect.signature(function))  # type: ignore[arg-type]
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)


def _class(name: str) -> str:
    declared = getattr(nl, name)
    assert isinstance(declared, type)
    lines = [f"### `{name}`\n", _documented(declared), ""]
    for member, value in vars(declared).items():
        if member.startswith("_") or member in vars(declared).get("__dataclass_fields__", {}):
            continue
        if not isinstance(value, property) and not inspect.isfunction(value):
            continue
        call = "" if isinstance(value, property) else "()"
        documented = inspect.getdoc(value)
        lines.append(f"- `{member}{call}`" + (f": {documented.splitlines()[0]}" if documented else ""))
    return "\n".join([*lines, ""])


def _documented(what: object) -> str:
    """The docstring, its examples as code."""
    blocks, code = [], False
    for line in (inspect.getdoc(what) or "").splitlines():
        if line.startswith(">>>") and not code:
            blocks.append("```pycon")
            code = True
        elif code and not line:
            blocks.append("```")
            code = False
        blocks.append(line)
    return "\n".join([*blocks, *(["```"] if code else [])])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
