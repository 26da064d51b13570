"""What a shell can complete: files, profiles, properties, bounds and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from glob import escape, glob

import click
from click.shell_completion import CompletionItem

from neverlost.explorer.traces.commands import off_option, option_name
from neverlost.model.core import Profile

WORDS = "neverlost.words"
"""Where a command keeps its words: while the user writes the last one, Click may not have parsed the others."""


def or_files(offered: list[CompletionItem], incomplete: str) -> list[CompletionItem]:
    """What is offered, and Python files; the shell completes files by itself where nothing is offered."""
    if not offered:
        return [CompletionItem(incomplete, type="file")]
    return [*offered, *(CompletionItem(path) for path in sorted(glob(f"{escape(incomplete)}*.py")))]


def profile_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The profiles of neverlost, and files, which may have others."""
    from neverlost.spec import profiles

    known = profiles()
    names = [CompletionItem(name, help=known[name].statement) for name in known if name.startswith(incomplete)]
    return or_files(names, incomplete)


def adapter_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The adapters of neverlost, and files, which may have others."""
    from neverlost.conformance.adapters import KAFKA, in_process

    names = [CompletionItem(name) for name in (*in_process(), KAFKA) if name.startswith(incomplete)]
    return or_files(names, incomplete)


def property_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The properties of the named profile."""
    found = chosen_profile(context)
    properties = () if found is None else found.all_properties
    return [CompletionItem(p.name, help=p.statement) for p in properties if p.name.startswith(incomplete)]


Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def one_of(known: Callable[[], Mapping[str, str]]) -> Completion:
    """Completes a name, with what it means. `known` is called to complete, so that no command imports it sooner."""

    def names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name, help=text) for name, text in known().items() if begins(name, incomplete)]

    return names


def some_of(known: Callable[[], Mapping[str, str]]) -> Completion:
    """The same for several names with commas between: the last of them."""

    def names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(f"{before}{comma}{name}", help=text)
            for name, text in known().items()
            if begins(name, last.strip())
        ]

    return names


def begins(name: str, incomplete: str) -> bool:
    """Whether a name may be meant: capital letters are not asked for."""
    return name.lower().startswith(incomplete.lower())


def tickets() -> Mapping[str, str]:
    """Every name of the losses of the ledger."""
    from neverlost.spec.families import known_bugs

    return {name: bug.what for bug in known_bugs() for name in bug.jira}


def claim_ids() -> Mapping[str, str]:
    """The claims of the ledger."""
    from neverlost.spec.families import known_claims

    return {claim.id: claim.short for claim in known_claims()}


def event_names() -> Mapping[str, str]:
    """The events that an audit knows."""
    from neverlost.spec.configuration import EVENTS

    return {event.name: event.about for event in EVENTS}


def trace_formats() -> Mapping[str, str]:
    """The forms of a trace."""
    from neverlost.reports.trace.formats import FORMATS

    return dict.fromkeys(FORMATS, "")


def matrix_subjects(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The families with a matrix, then the profiles, and files."""
    from neverlost.spec.families import with_a_matrix

    asked = with_a_matrix().items()
    families = [CompletionItem(name, help=found.question) for name, (_, found) in asked if name.startswith(incomplete)]
    named = [item for item in profile_names(context, parameter, incomplete) if not families or item.type == "plain"]
    return [*families, *named]


def version_names() -> Mapping[str, str]:
    """The profiles that stand for releases."""
    from neverlost.spec.families import FAMILIES

    return {version.name: version.statement for family in FAMILIES for version in family.versions()}


def release_names() -> Mapping[str, str]:
    """The releases of Kafka, and the lines that they are of."""
    from neverlost.spec.kafka.releases import RELEASES

    lines = {release.rpartition(".")[0]: f"the newest is {release}" for release in RELEASES}
    return {**lines, **dict.fromkeys(RELEASES, "")}


def assumptions() -> Mapping[str, str]:
    """What may be said of what the files of an audit leave open: `elr=on`."""
    from neverlost.spec.configuration.readings import ALTERNATIVES, of_sections, words_of

    known = {**of_sections(), **{name: words_of(name) for name in ALTERNATIVES}}
    return {f"{name}={way}": "" for name, ways in known.items() for way in ways}


def setting_values(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """The values of the setting whose option is the last whole word: `1` and `all` after `--acks`."""
    words, found = context.meta.get(WORDS, ()), chosen_profile(context)
    if not words or found is None:
        return []
    named = {option_name(s.name): s for s in found.state.settings if s.domain.index is not None}
    chosen = named.get(words[-1])
    return [] if chosen is None else [CompletionItem(v) for v in chosen.choices() if v.startswith(incomplete)]


def bound_options(context: click.Context, incomplete: str) -> Iterable[CompletionItem]:
    """The bounds and settings of the named profile, as options."""
    found = chosen_profile(context)
    if found is None:
        return
    meanings = found.state.meanings()
    options = {option_name(name): f"default {found.default_bounds[name]}" for name in found.bound_names}
    for declared in found.state.settings:
        options[option_name(declared.name)] = meanings.get(declared.name, "")
        if declared.domain.index is None:
            options[off_option(declared)] = ""
    yield from (CompletionItem(name, help=text) for name, text in options.items() if name.startswith(incomplete))


def chosen_profile(context: click.Context) -> Profile | None:
    """The profile that the command line names, if it is one of neverlost's: no user's file is run to complete a word."""
    from neverlost.spec import profiles

    known = profiles()
    return next((known[word] for word in context.meta.get(WORDS, ()) if word in known), None)
