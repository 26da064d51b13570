"""`neverlost matrix`: a family's question, to every version, setting and small set of faults; or all properties of any profile."""

from __future__ import annotations

from collections.abc import Sequence

import click

from neverlost.explorer.files.json_text import json_text
from neverlost.explorer.loading import in_file
from neverlost.explorer.process.exit_code import ExitCode
from neverlost.explorer.traces.commands import off_option, option_name
from neverlost.model.core import BoundsError, Profile, UnknownNameError
from neverlost.reports.matrix.as_json import matrix_values
from neverlost.reports.matrix.as_markdown import matrix_markdown
from neverlost.reports.matrix.as_text import matrix_text
from neverlost.reports.matrix.page import matrix_html
from neverlost.reports.matrix.sweep_as_text import sweep_text
from neverlost.spec import profiles
from neverlost.spec.families import with_a_matrix
from neverlost.spec.family import Family
from neverlost.spec.matrix import Axis, Matrix
from neverlost.studies.searched_matrix import search_matrix
from neverlost.studies.study import Study
from neverlost.studies.sweep import SearchedSweep, Swept, sweep, sweep_of

from ..bounds import GIVEN, USAGE, BoundedCommand, bounds_of, known_profile
from ..completion import matrix_subjects, one_of, version_names
from ..counts import WORKERS
from ..limits import limits_of
from ..options import OptionsError, is_given, json_option
from ..output import Output
from ..progress import AnswersShown, StatusLine, interruptible
from ..stores import STORE_HELP, open_store


@click.command("matrix", cls=BoundedCommand, options_metavar=USAGE)
@click.argument("family", required=False, metavar="[FAMILY|PROFILE]", shell_complete=matrix_subjects)
@click.option(
    "--version",
    "versions",
    multiple=True,
    metavar="NAME",
    shell_complete=one_of(version_names),
    help="Only this version, or that of a release: kafka-3.5, 3.8.1. Repeatable.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Of a profile: only this property; all that it asserts if not given. Repeatable.",
)
@click.option("--time-limit", metavar="TIME", help="End each search undecided after this time: 90s, 10m.")
@click.option("--workers", type=WORKERS, default=2, metavar="N", help="Searches in parallel; 2 if not given.")
@click.option("--store", metavar="DIR", help=STORE_HELP)
@json_option("the cells")
@click.option(
    "--markdown", "markdown_path", metavar="FILE|-", help="Write a page with the tables and a story for every loss."
)
@click.option(
    "--html", "html_path", metavar="FILE", help="Write a page to look at: a heat map whose cells open stories."
)
@click.pass_context
def matrix_command(
    context: click.Context,
    family: str | None,
    versions: Sequence[str],
    properties: tuple[str, ...],
    time_limit: str | None,
    workers: int,
    store: str | None,
    json_path: str | None,
    markdown_path: str | None,
    html_path: str | None,
) -> int:
    """Search every cell of versions x the settings that users choose x small sets of faults: is an acknowledged record ever lost?

    --acks all, --min-isr 2, --unclean and --clean ask only about this value, --replicas 5 about larger bounds. Each cell is a complete
    search, or the shortest trace to a loss. Answers are kept, so an interrupted run resumes where it stopped.

    FAMILY is the protocol that is asked about: replication if none is named. With a PROFILE, also one in a file of yours, it shows
    instead in which combinations of its settings and faults each of its properties fails, and after how many steps.

    Exit codes: 0 every cell is decided, 2 the input is wrong, 3 a cell is undecided.
    """
    if family is not None and family not in with_a_matrix():
        _refuse(context, "versions", "store", "markdown_path", "html_path")
        return _sweep(context, family, properties, time_limit, workers, json_path)
    _refuse(context, "properties")
    asked, matrix = _with_matrix(family)
    bounds, words = _given(context, matrix)
    chosen = matrix.cells(words, _versions(versions, asked))
    output = Output({"--json": json_path, "--markdown": markdown_path, "--html": html_path})
    with interruptible() as interrupted, AnswersShown() as shown:
        study = Study(open_store(store), limits_of(time_limit=time_limit), workers, interrupted, shown)
        searched = search_matrix(matrix, chosen, bounds, study)
    output.show(matrix_text(searched))
    output.write("--json", lambda: json_text(matrix_values(searched)))
    output.write("--markdown", lambda: matrix_markdown(searched))
    output.write("--html", lambda: matrix_html(searched))
    return ExitCode.HOLDS if searched.decided else ExitCode.UNDECIDED


def _sweep(
    context: click.Context,
    reference: str,
    properties: tuple[str, ...],
    time_limit: str | None,
    workers: int,
    json_path: str | None,
) -> int:
    """Search every combination of a profile's settings and budgets, and show which properties fail in which."""
    profile = _profile(reference)
    bounds, chosen = _varied(context, profile)
    asked = sweep_of(profile, bounds, chosen)
    names = list(dict.fromkeys(properties)) or [prop.name for prop in profile.properties]
    for name in names:
        profile.property_named(name)
    output = Output({"--json": json_path})
    found: list[Swept] = []
    with StatusLine() as status, interruptible() as interrupted:
        for one in sweep(asked, names, limits_of(time_limit=time_limit), workers, interrupted):
            found.append(one)
            status.say(f"combination {len(found)}")
    searched = SearchedSweep(asked=asked, found=found, properties=names)
    output.show(sweep_text(searched))
    output.write("--json", lambda: json_text(matrix_values(searched)))
    return ExitCode.HOLDS if searched.decided else ExitCode.UNDECIDED


def _profile(reference: str) -> Profile:
    """The profile of this name, or in this file. Raises UnknownNameError, with the families too, and LoadingError for a file."""
    try:
        return known_profile(reference)
    except UnknownNameError as error:
        if in_file(reference):
            raise
        raise UnknownNameError(
            "family with a matrix, or profile,", reference, [*with_a_matrix(), *profiles()]
        ) from error


def _varied(context: click.Context, profile: Profile) -> tuple[dict[str, int], dict[str, list[int]]]:
    """The bounds for all cells, and the values of the settings that are given. Raises BoundsError."""
    bounds_of((), profile, context)
    bounds: dict[str, int] = {}
    chosen: dict[str, list[int]] = {}
    for option in context.meta[GIVEN]:
        for name, value in bounds_of([option], profile, context).items():
            if name in bounds:
                raise BoundsError(f"{option_name(name)} is given twice; a bound is the same in every cell")
            if name in profile.bound_names:
                bounds[name] = value
            elif value not in chosen.setdefault(name, []):
                chosen[name].append(value)
    return bounds, chosen


def _refuse(context: click.Context, *names: str) -> None:
    """Raises OptionsError for options that do not go with what is asked about."""
    given = [p.opts[0] for p in context.command.params if p.name in names and is_given(context, p.name)]
    if given:
        fits = "a profile" if "properties" in names else "a family"
        raise OptionsError(f"{', '.join(given)} only goes with {fits}; leave it out")


def _with_matrix(name: str | None) -> tuple[Family, Matrix]:
    """The family of that name with its matrix, the first one if none is named."""
    known = with_a_matrix()
    return known[name or next(iter(known))]


def _given(context: click.Context, matrix: Matrix) -> tuple[dict[str, int], dict[str, list[str]]]:
    """The bounds and settings for all cells, and of each axis the words that are chosen. Raises BoundsError."""
    settings = {setting.name: setting for setting in matrix.versions[0].state.settings}
    axes: dict[str, tuple[Axis, str | None]] = {}
    for axis in matrix.axes:
        of_value = {value: word for word, value in axis.values.items()}
        is_flag = settings[axis.setting].domain.index is None
        axes[option_name(axis.setting)] = (axis, of_value[1] if is_flag else None)
        if is_flag:
            axes[off_option(settings[axis.setting])] = (axis, of_value[0])
    words: dict[str, list[str]] = {}
    others = []
    for option, given in context.meta[GIVEN]:
        if option in axes:
            axis, word = axes[option]
            words.setdefault(axis.setting, []).append(word or given or "")
        else:
            others.append((option, given))
    return bounds_of(others, matrix.versions[0], context), words


def _versions(given: Sequence[str], family: Family) -> Sequence[Profile] | None:
    """The named versions. None if there are none: of versions that go the same ways the matrix then asks the first.

    Raises UnknownNameError.
    """
    for name in given:
        meant = family.version_named(name).name
        if meant.removeprefix(family.beginning) != name.removeprefix(family.beginning):
            click.echo(f"{name} behaves as {meant} does.", err=True)
    return family.versions_named(given)
