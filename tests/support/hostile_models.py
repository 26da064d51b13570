"""A model whose every name and text tries to be markup, or a script."""

from __future__ import annotations

from pathlib import Path

from neverlost.explorer.loading import profile_from_file
from neverlost.explorer.traces.trace import Trace, trace_along

HOSTILE = "</script><script>window.ran=1</script><img src=x onerror=window.ran=2>'\"&amp;${7*7}{{7*7}}"

TEXT = '''
from neverlost.model.core import Index, Profile, State, action, always, flag, per, require, view

H = HOSTILE_TEXT

class Broker(Index, bound="brokers", prefix=H, first=1):
    """A broker."""

class Hostile(State):
    on = per(Broker, flag())

    @view(Broker, "on")
    def light(self, broker: int) -> str:
        """A light."""
        return H + str(self.on[broker])

def initial(s: Hostile) -> None:
    """All is off."""

@action(H)
def switch(s: Hostile, broker: Broker) -> None:
    """DOC"""
    require(not s.on[broker])
    s.on[broker] = True

@always(H)
def off(s: Hostile) -> bool:
    return not s.on[0]

HOSTILE = Profile(
    name=H, statement=H, state=Hostile, initial=initial, actions=(switch,), properties=(off,),
    default_bounds={"brokers": 2},
)
'''


def hostile_trace(folder: Path) -> Trace:
    """A trace of one step that violates the property of the hostile model, whose file is written to a folder."""
    file = folder / "hostile.py"
    quoted = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    file.write_text(TEXT.replace("HOSTILE_TEXT", repr(HOSTILE)).replace("DOC", quoted), encoding="utf-8")
    model = profile_from_file(f"{file}:HOSTILE").bounded()
    return trace_along(model, [model.steps[0]], "off")
