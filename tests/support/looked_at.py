"""Pages as a browser would take them apart: elements, texts, and what would be loaded or run."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "wbr", "img", "input", "rect", "circle", "path", "line"}


@dataclass
class Element:
    """An element with its attributes, and the elements and texts in it."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    content: list[Element | str] = field(default_factory=list)

    @property
    def children(self) -> list[Element]:
        return [inner for inner in self.content if isinstance(inner, Element)]

    @property
    def text(self) -> str:
        """The text that is in no element inside."""
        return "".join(inner for inner in self.content if isinstance(inner, str))

    def all(self, name: str, kind: str = "") -> list[Element]:
        """Every element of this name inside, in order; with a class if one is given."""
        found = [self] if self.name == name and (not kind or kind in self.attributes.get("class", "").split()) else []
        return found + [inner for child in self.children for inner in child.all(name, kind)]

    @property
    def words(self) -> str:
        """All text inside."""
        return "".join(inner if isinstance(inner, str) else inner.words for inner in self.content)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].content.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].content.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def page_read(text: str) -> Element:
    """The page as a tree. Fails for an element that is not closed, or closed in the wrong order."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert len(reader.open) == 1, f"never closed: {[element.name for element in reader.open[1:]]}"
    return reader.open[0]


LOADING = {"src", "href", "srcset", "data", "action", "xlink:href", "poster"}


def loaded(page: Element) -> list[str]:
    """What the page would load or lead to, other than places in itself."""
    found = [value for name, value in page.attributes.items() if name in LOADING and not value.startswith("#")]
    return found + [each for child in page.children for each in loaded(child)]


def handlers(page: Element) -> list[str]:
    """Attributes that run code."""
    found = [name for name in page.attributes if name.startswith("on")]
    return found + [each for child in page.children for each in handlers(child)]
