"""A lamp that is proven safe in different ways: by itself, by two states in a row, with a lemma, or not at all."""

from __future__ import annotations

from dataclasses import replace

from neverlost.model.core import Index, Profile, State, action, always, any_of, lemma, require, sometimes, step_always


class Mode(Index, names=("off", "dim", "hot", "burnt")):
    """What the lamp does."""


OFF, DIM, HOT, BURNT = range(4)


class Lamp(State):
    """A lamp and a counter of switches."""

    mode = any_of(Mode)
    switched = any_of(Mode)


def initial(s: Lamp) -> None:
    """Off, and never switched."""


@action("test")
def switch(s: Lamp) -> None:
    """On and off, dim."""
    require(s.mode <= DIM)

    s.mode = 1 - s.mode
    s.switched = min(s.switched + 1, 2)


@action("test")
def burn(s: Lamp) -> None:
    """A hot lamp burns; but nothing makes it hot."""
    require(s.mode == HOT)

    s.mode = BURNT


@always("The lamp never burns.")
def never_burnt(s: Lamp) -> bool:
    return s.mode != BURNT


@always("The lamp is switched at most once.")
def switched_once(s: Lamp) -> bool:
    return s.switched <= 1


@sometimes("The lamp is on.")
def on(s: Lamp) -> bool:
    return s.mode != OFF


@step_always("Every step changes the lamp.")
def changes(before: Lamp, after: Lamp) -> bool:
    return before.mode != after.mode


@step_always("No step leaves the lamp burnt.")
def stays_whole(before: Lamp, after: Lamp) -> bool:
    return after.mode != BURNT or before.mode == BURNT


@step_always("Every switch is counted.")
def counts(before: Lamp, after: Lamp) -> bool:
    return before.mode > DIM or after.switched > before.switched


@lemma("Nothing makes the lamp hot.")
def never_hot(s: Lamp) -> bool:
    return s.mode != HOT


@lemma("False: the second switch turns it off again, but the lamp is dim after the first.")
def always_off(s: Lamp) -> bool:
    return s.mode == OFF


@lemma("False: it is off at first.")
def always_on(s: Lamp) -> bool:
    return s.mode == DIM


@lemma("True, but a burnt lamp could be switched for all that it knows.")
def counted(s: Lamp, mode: Mode) -> bool:
    return s.mode != BURNT or mode != BURNT


@lemma("False: it may be switched twice.")
def switched_less(s: Lamp) -> bool:
    return s.switched < 2


LAMP = Profile(
    name="test/lamp",
    statement="A lamp.",
    state=Lamp,
    initial=initial,
    actions=(switch, burn),
    properties=(never_burnt, switched_once, on, changes),
    probes=(stays_whole, counts),
    default_bounds={},
)
FALSE_AT_THE_START = replace(LAMP, lemmas=(always_on,))
FALSE_SOON = replace(LAMP, lemmas=(always_off,))
FALSE_TWICE = replace(LAMP, lemmas=(always_off, switched_less))
