"""`neverlost validate`: does an event log of brokers follow the model of their version?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, BinaryIO

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import files_of
from neverlost.explorer.process.memory import resident_bytes, sensible_memory
from neverlost.explorer.words import counted
from neverlost.model.core import BoundsError, NeverlostError, Profile, UnknownNameError, WrittenError
from neverlost.model.core.profile import show_bounds
from neverlost.reports.quantities import show_bytes, show_seconds

from ..bounds import USAGE, BoundedCommand, chosen_bounds, named_profile
from ..counts import WholeNumber
from ..options import json_option
from ..output import Output
from ..progress import StatusLine, TimeIsUpError, interruptible, within
from ..quantities import time_seconds
from ..waiting import called, opened_input

if TYPE_CHECKING:
    from neverlost.conformance.validation import Bound, EventLog, LogSearch, Outcome
    from neverlost.conformance.validation.judged import Validation

HIDDEN_STEPS = 2
LINES_A_LOOK, LOOKS_AT_MEMORY = 1_000, 10
"""Memory is measured once in so many lines, and once in so many looks at the clock."""


class ValidationInputError(NeverlostError):
    """The log cannot be read, or its header does not fit the profile."""


@dataclass(frozen=True, kw_only=True)
class ValidateOptions:
    """The options of `neverlost validate`, without the log, bounds and settings."""

    profile: str | None
    hidden: Sequence[str]
    hidden_steps: int | None
    max_states: int
    time_limit: str | None


@click.command(
    "validate",
    cls=BoundedCommand,
    options_metavar=USAGE,
)
@click.argument("file", metavar="EVENTS")
@click.option("--profile", metavar="PROFILE", help="The model to compare it with; the one in its header if not given.")
@click.option(
    "--hidden",
    multiple=True,
    metavar="ACTION|none",
    help="An action that may happen unlogged. Repeatable. Those that the log never names if not given.",
)
@click.option(
    "--hidden-steps",
    type=WholeNumber(min=0),
    metavar="N",
    help=f"The most unlogged steps before an event; {HIDDEN_STEPS} if not given.",
)
@click.option(
    "--max-states",
    type=WholeNumber(min=1),
    default=10_000_000,
    metavar="N",
    help="End undecided after this many states; 10,000,000 if not given.",
)
@click.option("--time-limit", metavar="TIME", help="End undecided after this time: 90s, 10m, 2h.")
@json_option("what was found")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
@click.pass_context
def validate_command(
    context: click.Context, /, file: str, json_path: str | None, quiet: bool, **options: object
) -> int:
    """Search for a run of PROFILE that explains the event log in EVENTS, one JSON object per line; - is standard input.

    Exit codes: 0 a run explains the log, 1 no run does, 2 the input is wrong, 3 undecided.
    """
    from neverlost.conformance.validation import LogSearchLimits
    from neverlost.reports.validate.as_json import validation_values
    from neverlost.reports.validate.as_text import validation_text, verdict_text

    began = time.monotonic()
    chosen = ValidateOptions(**options)  # type: ignore[arg-type]
    output = Output({"--json": json_path}, inputs=[file, *files_of(chosen.profile)], quiet=quiet)
    seconds = None if chosen.time_limit is None else time_seconds(chosen.time_limit)
    memory = sensible_memory()
    asked, bound, following = _prepared(context, file, chosen, seconds, memory)
    with interruptible() as interrupted, StatusLine(output.quiet) as status:
        stop = _stop(began, seconds, memory, interrupted, status, len(asked.log.entries))
        following.limits = LogSearchLimits(states=chosen.max_states, stop=stop)
        bound, following, outcome = _searched(asked, bound, following)
    found = _judged(asked, bound, following, outcome)
    output.show(verdict_text(found) if output.quiet else validation_text(found))
    output.write("--json", lambda: json_text(validation_values(found)))
    return found.exit_code


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A log, and the profile of which a run may explain it. Nobody gave the bounds in `free`; the faults in `endless` have no limit."""

    log: EventLog
    profile: Profile
    bounds: Mapping[str, int]
    free: Sequence[str]
    endless: Sequence[str]
    hidden: Sequence[str]
    hidden_steps: int
    may_be_more: bool

    def following(self, bounds: Mapping[str, int]) -> tuple[Bound, LogSearch]:
        """The log as events of the model within bounds, and the search for a run that explains them. Raises BoundsError."""
        from neverlost.conformance.validation import LogSearch, bind

        model = self.profile.bounded_to_follow(**bounds)
        bound = bind(self.log.entries, model)
        return bound, LogSearch(
            model,
            bound.events,
            hidden=self.hidden,
            hidden_steps=self.hidden_steps,
            may_be_more=self.may_be_more,
            endless=self.endless,
        )

    def roomy(self) -> dict[str, int]:
        """The bounds, but those that nobody gave as large as a log of so many steps may need.

        Of optional bounds that do not go together, the last one stays as it is: the verdict says what it assumes.
        """
        from neverlost.conformance.validation import room_for

        steps = len(self.log.entries) * (1 + (self.hidden_steps if self.hidden else 0))
        free = {name: self.bounds[name] for name in self.free if name not in self.profile.bounds_on_request}
        larger = {**self.bounds, **room_for(steps, self.profile, free)}
        unfit = self.profile.unfit
        if unfit is not None and unfit(larger):
            optional = (name for name in self.profile.optional_bounds if name in free)
            without = [fewer for name in optional if not unfit(fewer := {**larger, name: free[name]})]
            larger = without[-1] if without else larger
        return larger


def _prepared(
    context: click.Context, file: str, chosen: ValidateOptions, seconds: float | None, memory: int | None
) -> tuple[Asked, Bound, LogSearch]:
    """What is asked, the log as events, and the search for a run. Raises ValidationInputError, also if no time is left to search."""
    from neverlost.conformance.validation import read_event_log

    what, advice = f"{file} takes longer to read", "allow more time"
    try:
        with within(seconds):
            log = _read(file, memory, read_event_log)
            profile = _profile(log, chosen.profile)
            bounds, endless, free = _bounds(context, profile, log)
            hidden, hidden_steps = _hidden(log, chosen, profile)
            what, advice = _what_is_set_up(profile, bounds, log), "lower a bound, or allow more time"
            asked = Asked(
                log=log,
                profile=profile,
                bounds=bounds,
                free=free,
                endless=endless,
                hidden=hidden,
                hidden_steps=hidden_steps,
                may_be_more=chosen.hidden_steps is None and log.header.hidden_steps is None,
            )
            return asked, *asked.following(bounds)
    except TimeIsUpError:
        raise ValidationInputError(
            f"{what} than {show_seconds(seconds or 0)} (--time-limit), so nothing was searched: {advice}"
        ) from None


def _searched(asked: Asked, bound: Bound, following: LogSearch) -> tuple[Bound, LogSearch, Outcome]:
    """The search that has the last word, and its outcome: perhaps only a bound that nobody gave was too small."""
    from neverlost.conformance.validation import LogVerdict

    outcome, roomy = following.run(), asked.roomy()
    if outcome.verdict != LogVerdict.REFUSED or roomy == asked.bounds:
        return bound, following, outcome
    try:
        bound, wider = asked.following(roomy)
    except BoundsError as error:
        why = f"a bound that is not given may be too small, and larger ones are not possible: {error}"
        return bound, following, replace(outcome, verdict=LogVerdict.UNDECIDED, stopped_by=why)
    wider.limits = following.limits
    return bound, wider, wider.run()


def _judged(asked: Asked, bound: Bound, following: LogSearch, outcome: Outcome) -> Validation:
    """The outcome with the reasons for it."""
    from neverlost.conformance.validation import LogVerdict, refusal
    from neverlost.conformance.validation.judged import Validation

    return Validation(
        log=asked.log,
        model=following.model,
        notes=(asked.log.notes, bound.notes),
        hidden=tuple(asked.hidden) if asked.hidden_steps else (),
        hidden_steps=asked.hidden_steps if asked.hidden else 0,
        events=len(bound.events),
        outcome=outcome,
        refusal=None if outcome.verdict == LogVerdict.ACCEPTED else refusal(following, outcome),
    )


def _read(file: str, memory: int | None, read: Callable[..., EventLog]) -> EventLog:
    try:
        with opened_input(file) as opened:
            return read(_lines(opened, file, memory), called(file))
    except OSError as error:
        raise ValidationInputError(f"{called(file)} cannot be read: {error.strerror}") from error


def _lines(opened: BinaryIO, file: str, memory: int | None) -> Iterator[bytes]:
    """The lines of a log; if it is too long, only enough to see that. Raises ValidationInputError if memory runs out."""
    from neverlost.conformance.validation import LONGEST_LINE

    for number, line in enumerate(iter(lambda: opened.readline(LONGEST_LINE + 1), b"")):
        if number % LINES_A_LOOK == 0 and memory is not None and resident_bytes() > memory:
            raise ValidationInputError(
                f"{file} takes more than {show_bytes(memory)} after {number:,} lines, and no more memory is free: validate a part of it"
            )
        yield line
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = opened.readline(LONGEST_LINE + 1)


def _profile(log: EventLog, asked: str | None) -> Profile:
    """The profile asked for, or the one in the header."""
    named = log.header.profile if asked is None else asked
    if named is None:
        raise ValidationInputError(
            f"{log.name} has no header that names a profile; add --profile, as in --profile kafka-3.5"
        )
    return named_profile(named, asked, f"{log.name} is a log")


def _bounds(context: click.Context, profile: Profile, log: EventLog) -> tuple[dict[str, int], list[str], list[str]]:
    """The bounds and settings; which of them are unlimited, the numbers of faults for which no limit is given; the bounds not given.

    They come from the options, or from the header. Other bounds are as large as what the log names.
    """
    from neverlost.conformance.validation import bounds_of_log

    try:
        given = profile.read(log.header.bounds, log.header.settings)
    except WrittenError as error:
        raise ValidationInputError(f"{log.name}: in the header, {error}") from error
    given |= chosen_bounds(context, profile)
    unlimited = [budget for budget in profile.budgets if budget.name not in given]
    endless = [budget.name for budget in unlimited]
    most = {budget.name: max(budget.choices().values()) for budget in unlimited}
    free = [name for name in profile.bound_names if name not in given]
    return {**bounds_of_log(log.entries, profile), **given, **most}, endless, free


def _what_is_set_up(profile: Profile, bounds: Mapping[str, int], log: EventLog) -> str:
    """The message if setting up took all the time: the bounds are too large."""
    shown = show_bounds({name: bounds[name] for name in profile.bound_names})
    return (
        f"{profile.name} with {shown} and the {counted(len(log.entries), 'event')} of {log.name} take longer to set up"
    )


def _hidden(log: EventLog, chosen: ValidateOptions, profile: Profile) -> tuple[list[str], int]:
    """The actions that may happen unlogged, and how many of their steps before an event."""
    steps = HIDDEN_STEPS if log.header.hidden_steps is None else log.header.hidden_steps
    steps = steps if chosen.hidden_steps is None else chosen.hidden_steps
    known = [action.name for action in profile.actions]
    if chosen.hidden or log.header.hidden is not None:
        names = [name for name in chosen.hidden or log.header.hidden or () if name != "none"]
        for name in names:
            if name not in known:
                raise UnknownNameError(f"action of {profile.name}", name, [*known, "none"])
        return names, steps
    logged = {entry.event for entry in log.entries}
    return [name for name in known if name not in logged], steps


def _stop(
    began: float,
    seconds: float | None,
    memory: int | None,
    interrupted: Callable[[], bool],
    status: StatusLine,
    events: int,
) -> Callable[[int], str | None]:
    """When the search ends undecided. Memory is measured once in so many looks, because a measurement takes as long as a step."""
    looks = count()

    def stop(explained: int) -> str | None:
        passed = time.monotonic() - began
        status.show(passed, lambda: f"{explained:,} of {events:,} events | {show_seconds(passed)}")
        if interrupted():
            return "it was interrupted"
        if seconds is not None and passed > seconds:
            return f"{show_seconds(seconds)} have passed (--time-limit)"
        if memory is not None and next(looks) % LOOKS_AT_MEMORY == 0 and resident_bytes() > memory:
            return f"it takes more than {show_bytes(memory)}, and no more memory is free"
        return None

    return stop
