"""Which client programs the files are of. Where there are several producers or consumers, each is one, and is judged by itself.

Two files of .properties may be two programs, or one may go over the other. The files do not say which, so both are judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from os.path import commonpath
from pathlib import Path

from neverlost.model.arguments import argument

from .configuration_file import ConfigurationFile
from .forms.properties_file import FORM
from .forms.spring_properties import is_of_application
from .notices import ConfigurationError, Notice, place_of
from .readings import APART, FILES, LAYERS

CLIENT_ROLES = ("producer", "consumer")
ClientFile = tuple[str, str | None, int]
"""The path of a client's file, the client's name in it, and which one of that name it is there."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The files of a program: of its producer and of its consumer, as far as there are any. One that goes over another is first.

    `name` is what the program is called, where there are several.
    """

    producer: tuple[ClientFile, ...] = ()
    consumer: tuple[ClientFile, ...] = ()
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A producer and a consumer, as far as there are any. No `names`: the files are of one program only.

    `names` are those of all programs that the files say the same of, `origins` has each of these programs, and `sources` the paths and
    names of their files. `layered`: one file goes over another, if it does.
    """

    files: tuple[ConfigurationFile, ...]
    origins: tuple[Origin, ...]
    names: tuple[str, ...] = ()
    sources: frozenset[tuple[str, str | None]] = frozenset()
    layered: bool = False

    def may_write(self, topics: Sequence[ConfigurationFile]) -> bool:
        """Are these not topics that another program has created for itself? One that creates none may write to any."""
        makers = {file.created_by for file in topics if file.created_by is not None}
        own = any(file.creates for file in self.files)
        return not makers or not own or not self.sources.isdisjoint(makers)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Client:
    """Clients that are alike: the name of each, and the files that it is of."""

    names: tuple[str, ...]
    own: tuple[tuple[ClientFile, ...], ...]
    file: ConfigurationFile
    sources: frozenset[tuple[str, str | None]]
    layered: bool = False


def programs_of(files: Sequence[ConfigurationFile], said: str | None = None) -> list[Program]:
    """Every program that the files may be of: each producer with each consumer. `said` leaves out what they are not.

    Raises ConfigurationError if one file cannot go over another, and that is what is said.
    """
    of_role = {role: _clients([file for file in files if file.role == role], said) for role in CLIENT_ROLES}
    if said == LAYERS and not any(client.layered for found in of_role.values() for client in found):
        what, advice = f"{FILES}={LAYERS} goes with no reading of the files.", "Leave it out, or name the other files."
        raise ConfigurationError([Notice(what=what, advice=advice, key=argument("assume"))])
    known = [found for found in of_role.values() if found]
    several = any(len(found) > 1 or said == LAYERS for found in known)
    found = [(chosen, _origins(chosen, known)) for chosen in _combinations(known)]
    return [
        Program(
            files=tuple(client.file for client in chosen),
            origins=origins,
            names=tuple(dict.fromkeys(origin.name for origin in origins)) if several else (),
            sources=frozenset().union(*(client.sources for client in chosen)),
            layered=any(client.layered for client in chosen),
        )
        for chosen, origins in found
    ]


def _combinations(known: Sequence[Sequence[_Client]]) -> list[tuple[_Client, ...]]:
    """Each producer with each consumer, but for those of two profiles of one application, unless one has no other."""
    every = list(product(*known))
    found = [chosen for chosen in every if not _are_rivals(chosen)]
    covered = {client for chosen in found for client in chosen}
    return found + [chosen for chosen in every if not covered.issuperset(chosen)]


def _are_rivals(chosen: Sequence[_Client]) -> bool:
    """Are they of files of one application of Spring Boot, of which only one is in force?"""
    paths = [{Path(path) for path, _ in client.sources} for client in chosen]
    files = set().union(*paths)
    return (
        len(chosen) > 1
        and not set.intersection(*paths)
        and len({file.parent for file in files}) == 1
        and all(is_of_application(file.name) for file in files)
    )


def _clients(files: Sequence[ConfigurationFile], said: str | None) -> list[_Client]:
    """The clients that files of one role are of, those that are alike together; then one file over another."""
    together: dict[object, list[ConfigurationFile]] = {}
    for file in files:
        together.setdefault(_said(file), []).append(file)
    own = dict(zip(map(id, files), _numbered(files), strict=True))
    alone = [
        _Client(
            names=tuple(_name(file, files) for file in same),
            own=tuple((own[id(file)],) for file in same),
            file=same[0],
            sources=frozenset((file.path, file.name) for file in same),
        )
        for same in together.values()
    ]
    if said == LAYERS and len(alone) > 1:
        together.clear()
    found = alone if together else []
    for over, below in permutations(alone, 2) if said != APART else ():
        laid = _over(over.file, below.file)
        if laid is not None and _said(laid) not in together:
            together[_said(laid)] = [laid]
            name = f"{over.names[0]} over {below.names[0]}"
            files_of_both = (*over.own[0], *below.own[0])
            sources = over.sources | below.sources
            found.append(_Client(names=(name,), own=(files_of_both,), file=laid, sources=sources, layered=True))
    return found


def _over(over: ConfigurationFile, below: ConfigurationFile) -> ConfigurationFile | None:
    """The one file over the other; None if they cannot be of one program."""
    clients = {file.client for file in (over, below) if file.client is not None}
    if {over.form, below.form} != {FORM} or len(clients) > 1:
        return None
    own = {over.canonical(entry.key) for entry in over.entries}
    rest = tuple(entry for entry in below.entries if below.canonical(entry.key) not in own)
    return replace(
        over,
        entries=(*over.entries, *rest),
        warnings=(*below.warnings, *over.warnings),
        client=next(iter(clients), None),
    )


def _said(file: ConfigurationFile) -> tuple[object, ...]:
    """What a file says of a client, wherever it stands."""
    entries = sorted((file.canonical(entry.key), entry.value) for entry in file.entries)
    warned = tuple(dict.fromkeys(warning.what for warning in file.warnings if warning.decides))
    return file.client, file.is_old_client, tuple(entries), warned, tuple(since for since, _ in file.needs)


def _name(file: ConfigurationFile, files: Sequence[ConfigurationFile]) -> str:
    """The path from where all files lie, with the client's name or the line if several clients are in one file."""
    paths = [other.path for other in files]
    common = commonpath(Path(path).parent for path in paths) if len({Path(p).is_absolute() for p in paths}) == 1 else ""
    path = str(Path(file.path).relative_to(common)) if common else file.path
    if paths.count(file.path) == 1:
        return path
    if len({other.name for other in files if other.path == file.path}) > 1:
        return f"{path} ({file.name})"
    return place_of(path, file.entries[0].line) if file.entries else path


def _numbered(files: Sequence[ConfigurationFile]) -> Iterator[ClientFile]:
    """What tells each file from the others: some hold several clients of one name, or of none."""
    seen = Counter[tuple[str, str | None]]()
    for file in files:
        yield file.path, file.name, seen[file.path, file.name]
        seen[file.path, file.name] += 1


def _origins(chosen: Sequence[_Client], known: Sequence[Sequence[_Client]]) -> tuple[Origin, ...]:
    """Every program of these clients, with the names of those of which there are several.

    A producer and a consumer of one file have one name.
    """
    several = [client for client, found in zip(chosen, known, strict=True) if len(found) > 1] or chosen[:1]
    return tuple(
        Origin(
            **{client.file.role: own for client, (_, own) in zip(chosen, each, strict=True)},
            name=" and ".join(
                dict.fromkeys(name for client, (name, _) in zip(chosen, each, strict=True) if client in several)
            ),
        )
        for each in product(*(zip(client.names, client.own, strict=True) for client in chosen))
    )
