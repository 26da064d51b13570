"""A run as SVG: a row for each step, with messages as arrows, logs as cells, and what the step changed marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from markupsafe import Markup, escape

from neverlost.explorer.traces.changes import owner_lines
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Cell, LaneView, Sent

from .lanes import Happening, happening, lane_names, lane_views

LANE = 160
"""The width of a lane; text in it is shortened to what fits."""

ARROW, ROLE, CELLS, LINE, GAP = 26, 19, 26, 14, 8
LOOP_HEIGHT, LOOP_WIDTH = 12, 34
"""How high and how wide the arrow of a message to oneself is."""
HEAD = 12
CELL, CELL_HEIGHT = 34, 20
TONES = 6
FITS = 27
"""How many characters fit a lane."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the picture: its height, its SVG, and the same in words."""

    height: int
    svg: Markup
    words: str


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A whole run: lanes from left to right, the row of the start, and one for each step with what happens in it."""

    lanes: tuple[str, ...]
    start: Row
    rows: tuple[Row, ...]
    happenings: tuple[Happening, ...]

    @property
    def width(self) -> int:
        return LANE * len(self.lanes)


def drawing(trace: Trace, *, all_lanes: bool = False) -> Drawing:
    """The picture of a trace. Lanes with a name that show nothing and take no part are left out, unless `all_lanes` are wanted."""
    model, states = trace.model, trace.unpacked()
    views = [lane_views(model, state) for state in states]
    happened = tuple(
        happening(model, step, before, after)
        for step, before, after in zip(trace.steps, states, states[1:], strict=False)
    )
    lanes = tuple(name for name in lane_names(model) if all_lanes or _takes_part(name, views, happened))
    rows = [
        _row(lanes, views[number], views[number + 1], found, _words(owner_lines(states[number], states[number + 1])))
        for number, found in enumerate(happened)
    ]
    shown = [f"{name}: {text}" for name in lanes for text in _texts(views[0][name])]
    start = _row(lanes, None, views[0], None, _words(shown))
    return Drawing(lanes=lanes, start=start, rows=tuple(rows), happenings=happened)


def _takes_part(name: str, views: Sequence[Mapping[str, LaneView]], happened: Sequence[Happening]) -> bool:
    if any(view[name].slots for view in views) or any(views[0][name] != view[name] for view in views):
        return True
    return any(name in found.at or any(name in (m.sender, m.receiver) for m in found.sent) for found in happened)


def _texts(view: LaneView) -> list[str]:
    return [text for text in (view.role, *view.standing, *view.lines) if text]


def _words(parts: Sequence[str]) -> str:
    return "; ".join(parts) or "nothing changes"


def head(lanes: Sequence[str]) -> Markup:
    """The names of the lanes, in a row of their own."""
    names = [_text(_middle(number), HEAD, name, "name") for number, name in enumerate(lanes)]
    return Markup("").join(names)


def _middle(lane: int) -> int:
    return LANE * lane + LANE // 2


def _row(
    lanes: Sequence[str],
    before: Mapping[str, LaneView] | None,
    after: Mapping[str, LaneView],
    found: Happening | None,
    words: str,
) -> Row:
    sent = () if found is None else tuple(m for m in found.sent if m.sender in lanes and m.receiver in lanes)
    arrows_end = GAP + ARROW * len(sent)
    shown = [
        _lane(number, None if before is None else before[name], after[name], arrows_end)
        for number, name in enumerate(lanes)
    ]
    fault = () if found is None or not found.fault else (_fault(lanes, found, arrows_end),)
    height = max([arrows_end + ROLE, *(end for end, _ in shown), *(end for end, _ in fault)]) + GAP
    lines = [_life(number, after[name]) for number, name in enumerate(lanes)]
    arrows = [_arrow(message, lanes, GAP + ARROW * number) for number, message in enumerate(sent)]
    parts = [*lines, *(part for _, part in shown), *(part for _, part in fault), *arrows]
    return Row(height=height, svg=Markup("").join(parts), words=words)


def _life(lane: int, view: LaneView) -> Markup:
    """The line of a lane, as long as its row is drawn."""
    kind, x = "life" if view.alive else "life dead", _middle(lane)
    return Markup('<line class="{}" x1="{}" y1="0" x2="{}" y2="100%"/>').format(kind, x, x)


def _lane(number: int, before: LaneView | None, after: LaneView, top: int) -> tuple[int, Markup]:
    """What a lane shows below the arrows: its role and its log always if it has a log, other lines if they are new."""
    y, parts = top, []
    if after.role and (after.slots or before is None or before.role != after.role):
        y += ROLE
        new = before is not None and before.role != after.role
        parts.append(_text(_middle(number), y - 7, _short(after.role), "role new" if new else "role", back=True))
    if after.slots:
        parts.append(_log(number, before, after, y))
        y += CELLS
    for line in (*after.standing, *after.lines):
        known = before is not None and line in (*before.standing, *before.lines)
        if line in after.standing or not known:
            y += LINE
            kind = "line" if known or before is None else "line new"
            parts.append(_text(_middle(number), y - 3, _short(line), kind, back=True))
    return y, Markup("").join(parts)


def _short(text: str) -> str:
    return text if len(text) <= FITS else text[: FITS - 1] + "…"


def _log(number: int, before: LaneView | None, after: LaneView, top: int) -> Markup:
    width = CELL * after.slots
    left = _middle(number) - width // 2
    parts = []
    for slot in range(after.slots):
        now = after.cells[slot] if slot < len(after.cells) else None
        then = None if before is None or slot >= len(before.cells) else before.cells[slot]
        parts.append(_cell(left + CELL * slot, top, now, then, changed=before is not None and now != then))
    if after.in_sync is not None:
        moved = before is not None and before.in_sync != after.in_sync
        kind = ("sync" if after.in_sync else "sync out") + (" new" if moved else "")
        parts.append(
            Markup('<circle class="{}" cx="{}" cy="{}" r="4"/>').format(kind, left - 9, top + CELL_HEIGHT // 2)
        )
    if after.high_watermark is not None:
        moved = before is not None and before.high_watermark != after.high_watermark
        x = left + CELL * after.high_watermark
        d = f"M{x} {top - 3}v{CELL_HEIGHT + 6}m-3 0h6m-6 {-CELL_HEIGHT - 6}h6"
        parts.append(Markup('<path class="{}" d="{}"/>').format("mark new" if moved else "mark", d))
    return Markup('<g class="{}">{}</g>').format("log" if after.alive else "log dead", Markup("").join(parts))


def _cell(x: int, y: int, now: Cell | None, then: Cell | None, *, changed: bool) -> Markup:
    shown = now or (then if changed else None)
    kinds = ["cell"]
    if now is not None and now.record is not None:
        kinds.append(f"v{now.record % TONES}")
    kinds += ["new"] if changed and now is not None else ["gone"] if changed else []
    box = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        " ".join(kinds), x, y, CELL, CELL_HEIGHT
    )
    if shown is None:
        return box
    record = "-" if shown.record is None else str(shown.record)
    text = Markup('<text class="{}" x="{}" y="{}">{}<tspan class="epoch" dx="2">e{}</tspan></text>').format(
        "value" if now is not None else "value gone", x + CELL // 2, y + 15, record, shown.epoch
    )
    right, bottom = x + CELL - 4, y + CELL_HEIGHT - 4
    cross = Markup('<path class="cross" d="M{} {}L{} {}M{} {}L{} {}"/>').format(
        x + 4, y + 4, right, bottom, right, y + 4, x + 4, bottom
    )
    return box + text + (cross if now is None else Markup(""))


def _arrow(message: Sent, lanes: Sequence[str], top: int) -> Markup:
    """An arrow between two lanes; what a lane sends to itself leaves it to the right and comes back below."""
    start, end = (_middle(lanes.index(name)) for name in (message.sender, message.receiver))
    y, own = top + ARROW - 8, start == end
    begin, turn, way = (
        (y - LOOP_HEIGHT, start + LOOP_WIDTH, -1) if own else (y, (start + end) // 2, 1 if end > start else -1)
    )
    label = _text(start - LOOP_WIDTH - GAP if own else turn, y - 5, message.carries, "carries", back=True)
    if message.lost:
        line = Markup(
            '<path class="arrow lost" d="M{} {}H{}"/><path class="cross" d="M{} {}l10 10m-10 0l10 -10"/>'
        ).format(start, begin, turn, turn - 5, begin - 5)
    else:
        path = f"M{start} {begin}" + (f"H{turn}V{y}" if own else "") + f"H{end - 7 * way}"
        line = Markup('<path class="arrow" d="{}"/><path class="tip" d="M{} {}l{} -4v8z"/>').format(
            path, end, y, -8 * way
        )
    return Markup('<g class="{}">{}<circle class="from" cx="{}" cy="{}" r="3"/>{}</g>').format(
        "message lost" if message.lost else "message", line, start, begin, label
    )


def _fault(lanes: Sequence[str], found: Happening, top: int) -> tuple[int, Markup]:
    name = next((name for name in found.at if name in lanes), lanes[0])
    text = f"✖ {found.fault}"
    width, x = 9 * len(text) + 10, _middle(lanes.index(name))
    y = top - GAP + 4
    box = Markup('<rect class="fault" x="{}" y="{}" width="{}" height="18" rx="3"/>').format(x - width // 2, y, width)
    return y + 22, box + _text(x, y + 13, text, "fault")


def _text(x: int, y: int, text: str, kind: str, *, back: bool = False) -> Markup:
    """Text around a middle; `back` lets it hide the lines behind it."""
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(
        kind + (" back" if back else ""), x, y, escape(text)
    )


ASIDE, WRAPPED, LETTER = 270, 38, 7
"""The width of the titles beside a picture, how many characters of a note fit it, and the width of a letter above it."""


def figure(
    drawn: Drawing, titles: Sequence[str], style: str, alternative: str, statement: str, ending: Sequence[str]
) -> str:
    """The whole picture as one SVG: what it shows, and the property's statement; the lanes; `ending`.

    On their left are the title of each step, and what must not be overlooked.
    """
    width, parts, y = ASIDE + drawn.width, list[Markup](), 6
    for text, kind in ((alternative, "title"), (statement, "note")):
        for line in wrap(text, width // LETTER):
            y += 16
            parts.append(Markup('<text class="{}" x="8" y="{}">{}</text>').format(kind, y, line))
    y += GAP
    parts.append(Markup('<g transform="translate({} {})">{}</g>').format(ASIDE, y, head(drawn.lanes)))
    y += 18
    notes = [(), *(found.notes for found in drawn.happenings)]
    for number, row in enumerate((drawn.start, *drawn.rows)):
        label = "start" if number == 0 else f"{number}  {titles[number - 1]}"
        aside = [Markup('<text class="title" x="8" y="{}">{}</text>').format(y + 20, label)]
        below = y + 20
        for note in notes[number]:
            for line in wrap(note.text, WRAPPED):
                below += LINE
                kind = "note bad" if note.bad else "note"
                aside.append(Markup('<text class="{}" x="24" y="{}">{}</text>').format(kind, below, line))
        height = max(row.height, below - y + GAP)
        inner = Markup('<path class="between" d="M0 {}H{}"/><svg x="{}" y="{}" width="{}" height="{}">{}</svg>')
        parts += [*aside, inner.format(y, width, ASIDE, y, drawn.width, height, row.svg)]
        y += height
    for line in ending:
        parts.append(Markup('<text class="title" x="8" y="{}">{}</text>').format(y + 20, line))
        y += 24
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{a}">'
            '<style>{s}</style><rect class="paper" width="{w}" height="{h}"/>{parts}</svg>\n'
        ).format(w=width, h=y + GAP, a=alternative, s=Markup(style), parts=Markup("").join(parts))
    )
