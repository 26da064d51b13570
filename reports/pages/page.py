"""One page in one file: nothing is loaded from anywhere, and every text is escaped."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from neverlost.explorer.verdict import Verdict

from ..printable import printable

HOME = "neverlost.reports"
"""Templates, styles and scripts lie beside the modules that use them, and are named from here: `trace/story.js`."""

TONES = {Verdict.HOLDS: "good", Verdict.VIOLATED: "bad", Verdict.UNDECIDED: "open"}
"""The classes of verdicts."""

TOKENS, PICTURE = "pages/tokens.css", "pages/picture.css"
STYLES = (TOKENS, PICTURE, "pages/page.css")


UNBROKEN = re.compile(r"--\w[\w-]*|-&gt;")
SLASH = re.compile(r"(?<=[\w.])/(?=\w)")


def fitted(text: str) -> Markup:
    """A text for windows of every width: a line may end after a slash of a path, and not within `--min-isr` or `->`."""
    whole = UNBROKEN.sub(r'<span class="whole">\g<0></span>', str(escape(text)))
    return Markup(SLASH.sub("/<wbr>", whole))


def in_parts(parts: Iterable[str]) -> Markup:
    """Parts in one line, which is broken between them, and within one only if it is wider than the page."""
    return Markup(" · ").join(Markup('<span class="part">{}</span>').format(part) for part in parts)


@cache
def _environment() -> Environment:
    """The templates: they escape what they are given, and refuse a name that they do not know."""
    environment = Environment(
        loader=PackageLoader(HOME, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"fitted": fitted, "in_parts": in_parts}
    return environment


def filled(template: str, **values: Any) -> Markup:
    """A template with values in it."""
    return Markup(_environment().get_template(template).render(**values))


@cache
def asset(name: str) -> str:
    """The text of a style sheet or a script."""
    return files(HOME).joinpath(name).read_text(encoding="utf-8")


@cache
def picture_style() -> str:
    """The style of a picture that stands alone, without variables: many viewers and printers of SVG know none, and draw them black."""
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w+)", part)) for part in asset(TOKENS).split("@media"))

    def written(colours: Mapping[str, str]) -> str:
        return re.sub(r"var\(--([\w-]+)\)", lambda name: colours[name[1]], asset(PICTURE))

    return f"{written(light)}@media screen and (prefers-color-scheme: dark) {{\n{written(dark)}}}\n"


def whole_page(
    title: str,
    body: Markup,
    *,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
    asks_its_server: bool = False,
) -> str:
    """A page that needs no other file. `scripts` and `styles` name assets, beside the styles of every page.

    It loads nothing. With `asks_its_server` its script may send requests to the server that the page came from.
    """
    script = "\n".join(asset(name) for name in scripts)
    page = filled(
        "pages/page.html.j2",
        title=title,
        body=body,
        style=Markup("\n".join(asset(name) for name in (*STYLES, *styles))),
        script=Markup(script),
        connect="'self'" if asks_its_server else "'none'",
        allowed=f"'sha256-{b64encode(sha256(_between(script)).digest()).decode()}'" if script else "'none'",
    )
    return printable(page)


def _between(script: str) -> bytes:
    """What stands between the tags of a script element, byte for byte: only this may run in the page."""
    return f"\n{script}\n".encode()


def embedded(values: Any) -> Markup:
    """Values as JSON inside a script element: no text in them can end it, or begin a comment."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
