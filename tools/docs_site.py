"""What `make site` does beyond the pages of docs/: the hooks of mkdocs.yml.

The README becomes the home page, and what else people read at the root becomes pages too. A link out of docs/ to a file leads to
a copy of it, as text; one to a folder leads to the text of all its files. Pages that neverlost writes itself come from `live_pages`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OF_THE_ROOT = {"index.md": "README.md", **{name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")}}
"""The pages that lie at the root, by their names on the site."""

DECISIONS = "decisions/index.md"
"""The page that a link to the folder of decisions leads to; GitHub shows a list of files there."""

STORIES = "stories/index.md"
"""The page that lists the live pages; it opens the part "Stories" as soon as there is one."""

SHOWN = {
    "The heat map of versions": "stories/matrix.html",
    "The time line of losses": "stories/ledger.html",
    "A loss to step through": "stories/kept-known-ends.html",
}
"""Live pages that the navigation names: the last one also shows in each state what else could have happened, as the explorer does."""

ASSETS = {
    "assets/iframe-worker.js": "tools/site/iframe-worker.js",
    "assets/site.css": "tools/site/site.css",
    "assets/tokens.css": "reports/pages/tokens.css",
}
"""What the site loads beside its pages, and where it is kept."""
CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s#]+)(#[^()\s]*)?\)")
ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:")


@dataclass(frozen=True, kw_only=True)
class LivePage:
    """A page that neverlost wrote: what it shows, and its file below the folder of live pages."""

    title: str
    path: str


def live_pages(folder: Path) -> list[LivePage]:
    """Write the pages that neverlost makes into the folder, each below stories/: the matrix, the ledger, every known loss."""

    from ledgers.known_facts import known_facts  # noqa: PLC0415

    from neverlost.cli.main import main  # noqa: PLC0415 -- the rest is of use without neverlost
    from neverlost.reports.bugs.page import bugs_html  # noqa: PLC0415
    from neverlost.reports.trace.formats import render  # noqa: PLC0415
    from neverlost.spec.bugs import known_bugs  # noqa: PLC0415
    from neverlost.studies.recorded import recorded_trace  # noqa: PLC0415

    made: list[LivePage] = []

    def add(title: str, name: str, text: str) -> None:
        made.append(LivePage(title=title, path=f"stories/{name}.html"))
        file = folder / made[-1].path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    file = folder / "stories" / "matrix.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    main(["matrix", "--html", str(file)])
    made.append(LivePage(title="The matrix: versions, settings and faults", path="stories/matrix.html"))
    add("The ledger: losses that Kafka had", "ledger", bugs_html(known_bugs()))
    for bug in known_bugs():
        if bug.lost is not None:
            add(f"{', '.join(bug.jira)}: {bug.what}", bug.name, bugs_html([bug]))
    for fact in known_facts():
        for number, search in enumerate(fact.searches):
            if search.steps is not None:
                add(f"{fact.title} ({search.profile})", f"{fact.name}-{number}", render(recorded_trace(search), "html"))
    return made


def address(uri: str, link: str) -> str:
    """Where a link of a page leads on the site; below files/ is a copy of what is no page."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(OF_THE_ROOT.get(uri, f"docs/{uri}")), link))
    pages = {source: name for name, source in OF_THE_ROOT.items()} | {"docs/decisions": DECISIONS}
    if target.startswith("docs/") and target not in pages:
        return target.removeprefix("docs/")
    return pages.get(target, f"files/{target}.txt")


def rewritten(uri: str, text: str) -> str:
    """The text of a page as the site's dialect of Markdown has it: links lead to the site, `\\|` in a table's code is `|`."""

    def to_site(found: re.Match[str]) -> str:
        link, anchor = found.groups(default="")
        if ABSOLUTE.match(link):
            return found[0]
        return f"]({posixpath.relpath(address(uri, link), posixpath.dirname(uri) or '.')}{anchor})"

    parts = CODE.split(text)
    return "".join(_code(part) if number % 2 else LINK.sub(to_site, part) for number, part in enumerate(parts))


def _code(part: str) -> str:
    """Code as it stands; GitHub reads `\\|` within a line of it, which is in a table, as `|`, and the site does not."""
    return part if part.lstrip().startswith("```") else part.replace("\\|", "|")


def copied(uri: str, text: str) -> dict[str, Path]:
    """The files and folders that the links of a page lead to and that are no pages, by the addresses of their copies."""
    links = [link for link, _ in LINK.findall(CODE.sub("", text)) if not ABSOLUTE.match(link)]
    copies = [found for found in (address(uri, link) for link in links) if found.startswith("files/")]
    sources = {found: ROOT / found.removeprefix("files/").removesuffix(".txt") for found in copies}
    return {found: source for found, source in sources.items() if source.exists()}


def text_of(path: Path) -> str:
    """A file's text; of a folder, the text of each of its files below its name."""
    if path.is_file():
        return path.read_text(encoding="utf-8")
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return "\n".join(f"==== {file.relative_to(path)}\n\n{text_of(file)}" for file in files)


def decisions(folder: Path) -> str:
    """The page that lists the decisions."""
    titles = [(page.name, page.read_text(encoding="utf-8").partition("\n")[0]) for page in sorted(folder.glob("*.md"))]
    return "# Decisions\n\n" + "".join(f"* [{title.removeprefix('# ')}]({name})\n" for name, title in titles)


def stories(pages: Iterable[LivePage]) -> str:
    """The page that lists the live pages."""
    return "# Stories\n\n" + "".join(f"* [{page.title}]({posixpath.relpath(page.path, 'stories')})\n" for page in pages)


def with_stories(navigation: list[Any]) -> list[Any]:
    """The navigation whose part "Stories" begins with the list of live pages, and those that show most."""
    shown = [{title: page} for title, page in SHOWN.items()]
    return [{"Stories": [STORIES, *shown, *part["Stories"]]} if "Stories" in part else part for part in navigation]


def anchor(heading: str, _separator: str) -> str:
    """The anchor of a heading as GitHub makes it, so that a link leads to the same place there and here."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def on_config(config: MkDocsConfig) -> None:
    """Headings have the anchors of GitHub."""
    config.mdx_configs["toc"]["slugify"] = anchor


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the pages of the root, the list of decisions, copies of what links lead to, and the live pages."""
    from mkdocs.structure.files import File  # noqa: PLC0415 -- the functions above are of use without MkDocs

    def add(uri: str, content: str) -> None:
        files.append(File.generated(config, uri, content=content))

    for name, source in OF_THE_ROOT.items():
        add(name, text_of(ROOT / source))
    for page in list(files.documentation_pages()):
        for uri, source in copied(page.src_uri, page.content_string).items():
            if files.get_file_from_path(uri) is None:
                add(uri, text_of(source))
    add(DECISIONS, decisions(ROOT / "docs" / "decisions"))
    for name, source in ASSETS.items():
        add(name, text_of(ROOT / source))
    folder = Path(config.site_dir).with_name("live")
    live = live_pages(folder)
    for made in live:
        files.append(File.generated(config, made.path, abs_src_path=str(folder / made.path)))
    if live:
        add(STORIES, stories(live))
        config.nav = with_stories(config.nav)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead to where their targets are on the site."""
    return markdown if page.file.src_uri in (DECISIONS, STORIES) else rewritten(page.file.src_uri, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Those who use no mouse can scroll tables and pictures; those who see nothing hear what the box of the search is."""
    named = output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
    return re.sub(r'<(table|p(?=><img [^>]*\.svg"))>', r'<\1 tabindex="0">', named)
