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

LANE, LEAST, MOST = 160, 116, 220
"""The width of a lane, and how narrow and how wide a page may make it. Text in a lane is shortened to what fits its width.

All that a row shows lies at a share of its width, or at a distance from there, so that a page can make lanes narrower and wider.
"""

ARROW, ROLE, CELLS, LINE, GAP = 26, 19, 26, 14, 8
LOOP_HEIGHT, LOOP_WIDTH = 12, 34
"""How high and how wide the arrow of a message to oneself is."""
HEAD = 12
CELL, CELL_HEIGHT = 34, 20
TONES = 6
FITS = 27
"""How many characters fit a lane."""
NARROW_CHARACTER = 5.8
"""How wide a character is in a narrow window, where text is smaller: see page.css."""


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
    longest: int = 0
    """How many characters the longest text in a lane has."""

    @property
    def width(self) -> int:
        return LANE * len(self.lanes)

    @property
    def least_width(self) -> int:
        """How narrow the lanes may become, all together: so that no text runs into the next lane."""
        return least_lane(self.longest) * len(self.lanes)

    @property
    def most_width(self) -> int:
        """How wide the lanes may become, all together."""
        return MOST * len(self.lanes)


def least_lane(longest: int) -> int:
    """How narrow a lane may become whose longest text has so many characters."""
    return min(LANE, max(LEAST, round(longest * NARROW_CHARACTER)))


def drawing(trace: Trace, lanes: Sequence[str] | None = None) -> Drawing:
    """The picture of a trace. Without a choice of `lanes`, those with a name that show nothing and take no part are left out."""
    states = trace.unpacked()
    views, happened = _seen(trace)
    if lanes is None:
        lanes = [name for name in lane_names(trace.model) if _takes_part(name, views, happened)]
    rows = [
        _row(lanes, views[number], views[number + 1], found, _words(owner_lines(states[number], states[number + 1])))
        for number, found in enumerate(happened)
    ]
    shown = [f"{name}: {text}" for name in lanes for text in _texts(views[0][name])]
    start = _row(lanes, None, views[0], None, _words(shown))
    longest = _longest(views, lanes)
    return Drawing(lanes=tuple(lanes), start=start, rows=tuple(rows), happenings=happened, longest=longest)


def longest_text(trace: Trace, lanes: Sequence[str]) -> int:
    """How many characters the longest text in one of these lanes has."""
    return _longest([lane_views(trace.model, state) for state in trace.unpacked()], lanes)


def _longest(views: Sequence[Mapping[str, LaneView]], lanes: Sequence[str]) -> int:
    return max((len(text) for view in views for name in lanes for text in _texts(view[name])), default=0)


def lanes_of(trace: Trace) -> list[str]:
    """The lanes that show something, or take part."""
    views, happened = _seen(trace)
    return [name for name in lane_names(trace.model) if _takes_part(name, views, happened)]


def _seen(trace: Trace) -> tuple[list[dict[str, LaneView]], tuple[Happening, ...]]:
    """What the lanes show in each state, and what each step is."""
    model, states = trace.model, trace.unpacked()
    views = [lane_views(model, state) for state in states]
    return views, tuple(
        happening(model, step, before, after)
        for step, before, after in zip(trace.steps, states, states[1:], strict=False)
    )


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
    names = [_text(_middle(number, len(lanes)), HEAD, name, "name") for number, name in enumerate(lanes)]
    return Markup("").join(names)


def _middle(lane: float, lanes: int) -> str:
    """Where the middle of a lane is, as a share of the width of all lanes."""
    return f"{100 * (lane + 0.5) / lanes:.4g}%"


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
        _lane(_middle(number, len(lanes)), None if before is None else before[name], after[name], arrows_end)
        for number, name in enumerate(lanes)
    ]
    fault = () if found is None or not found.fault else (_fault(lanes, found, arrows_end),)
    height = max([arrows_end + ROLE, *(end for end, _ in shown), *(end for end, _ in fault)]) + GAP
    lines = [_life(_middle(number, len(lanes)), after[name]) for number, name in enumerate(lanes)]
    arrows = [_arrow(message, lanes, GAP + ARROW * number) for number, message in enumerate(sent)]
    parts = [*lines, *(part for _, part in shown), *(part for _, part in fault), *arrows]
    return Row(height=height, svg=Markup("").join(parts), words=words)


def _life(x: str, view: LaneView) -> Markup:
    """The line of a lane, as long as its row is drawn."""
    kind = "life" if view.alive else "life dead"
    return Markup('<line class="{}" x1="{}" y1="0" x2="{}" y2="100%"/>').format(kind, x, x)


def _lane(x: str, before: LaneView | None, after: LaneView, top: int) -> tuple[int, Markup]:
    """What a lane shows below the arrows: its role and its log always if it has a log, other lines if they are new."""
    y, parts = top, []
    if after.role and (after.slots or before is None or before.role != after.role):
        y += ROLE
        new = before is not None and before.role != after.role
        parts.append(_text(x, y - 7, _short(after.role), "role new" if new else "role", back=True))
    if after.slots:
        parts.append(_log(x, before, after, y))
        y += CELLS
    for line in (*after.standing, *after.lines):
        known = before is not None and line in (*before.standing, *before.lines)
        if line in after.standing or not known:
            y += LINE
            kind = "line" if known or before is None else "line new"
            parts.append(_text(x, y - 3, _short(line), kind, back=True))
    return y, Markup("").join(parts)


def _short(text: str) -> str:
    return text if len(text) <= FITS else text[: FITS - 1] + "…"


def _log(at: str, before: LaneView | None, after: LaneView, top: int) -> Markup:
    """The log of a lane, around its middle."""
    left = -CELL * after.slots // 2
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
    return Markup('<svg class="{}" x="{}">{}</svg>').format(
        "log" if after.alive else "log dead", at, Markup("").join(parts)
    )


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
    sender, receiver = (lanes.index(name) for name in (message.sender, message.receiver))
    start, end, halfway = (_middle(lane, len(lanes)) for lane in (sender, receiver, (sender + receiver) / 2))
    y = top + ARROW - 8
    if sender == receiver:
        return _message(message, start, y - LOOP_HEIGHT, _to_itself(message, start, y))
    label = _text(halfway, y - 5, message.carries, "carries", back=True)
    line = Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
        "arrow lost" if message.lost else "arrow", start, y, halfway if message.lost else end, y
    )
    if message.lost:
        tip = Markup('<svg x="{}"><path class="cross" d="M-5 {}l10 10m-10 0l10 -10"/></svg>').format(halfway, y - 5)
    else:
        tip = _tip(end, y, 1 if receiver > sender else -1)
    return _message(message, start, y, line + tip + label)


def _to_itself(message: Sent, at: str, y: int) -> Markup:
    """The arrow of a message to oneself, and its label on the left."""
    begin, turn = y - LOOP_HEIGHT, LOOP_WIDTH
    path = f"M0 {begin}H{turn}" + ("" if message.lost else f"V{y}H7")
    cross = f'<path class="cross" d="M{turn - 5} {begin - 5}l10 10m-10 0l10 -10"/>' if message.lost else ""
    label = Markup('<text class="carries back" x="{}" y="{}">{}</text>').format(
        -LOOP_WIDTH - GAP, y - 5, escape(message.carries)
    )
    line = Markup('<svg x="{}"><path class="{}" d="{}"/>{}{}</svg>').format(
        at, "arrow lost" if message.lost else "arrow", path, Markup(cross), label
    )
    return line if message.lost else line + _tip(at, y, -1)


def _tip(at: str, y: int, way: int) -> Markup:
    """The tip of an arrow that goes to the right, or with -1 to the left."""
    return Markup('<svg x="{}"><path class="tip" d="M0 {}l{} -4v8z"/></svg>').format(at, y, -8 * way)


def _message(message: Sent, start: str, y: int, drawn: Markup) -> Markup:
    return Markup('<g class="{}">{}<circle class="from" cx="{}" cy="{}" r="3"/></g>').format(
        "message lost" if message.lost else "message", drawn, start, y
    )


def _fault(lanes: Sequence[str], found: Happening, top: int) -> tuple[int, Markup]:
    name = next((name for name in found.at if name in lanes), lanes[0])
    text = f"✖ {found.fault}"
    width, x = 9 * len(text) + 10, _middle(lanes.index(name), len(lanes))
    y = top - GAP + 4
    box = Markup('<svg x="{}"><rect class="fault" x="{}" y="{}" width="{}" height="18" rx="3"/></svg>').format(
        x, -width // 2, y, width
    )
    return y + 22, box + _text(x, y + 13, text, "fault")


def _text(x: str, y: int, text: str, kind: str, *, back: bool = False) -> Markup:
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
    parts.append(Markup('<svg x="{}" y="{}" width="{}">{}</svg>').format(ASIDE, y, drawn.width, head(drawn.lanes)))
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
