"""What goes over the file of an application of Spring Boot and is not in it: what containers set, and other files of the application.

"Externalized Configuration" in Spring Boot's documentation: variables and arguments go over files, a profile's files over the
application's own, and those of `config` over those beside it. SystemEnvironmentPropertyMapper of Spring Boot says which variable is
which property: `SPRING_KAFKA_CONSUMER_ENABLEAUTOCOMMIT`, for its dashes are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os.path import relpath
from pathlib import Path

from ..configuration_file import ConfigurationFile, SourceText
from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import ConfigurationError, Notice
from .foreign_keys import decides_elsewhere
from .images import BESIDE, CLIENTS, REFUSED, STORES
from .properties_file import read_text
from .spring import FORM as BOOT
from .spring import about_profile
from .spring_cloud import FORM as CLOUD
from .spring_properties import is_of_application, is_spring, parts_of, profile_of
from .variables import Variable

OF_KAFKA = ("springkafka", "springcloudstream")
DECIDING = (
    *("ackmode", "autooffsetreset", "isolationlevel", "transactionidprefix", "retrytopicenabled"),
    *("startoffset", "resetoffsets", "reactiveatmostonce", "enabledlq", "autocommitoffset", "autocreatetopics"),
    *("groupprotocol", "groupinstanceid", "partitionassignmentstrategy"),
)
"""How names of Spring's end that decide, beside those that mean a key of Kafka's."""
PROFILES, FILES, JSON = "springprofiles", "springconfig", "springapplicationjson"
GIVEN = re.compile(
    r"""(?:(?<![\w.])|(?<=-D))(spring[._][\w.\-\[\]]{0,250}[\w\]])["']?\s*[=:\s]\s*["']?([^\s"',}]*)""", re.IGNORECASE
)
"""What sets a property in a command, or in another variable: `--spring.profiles.active=prod`, `-Dspring.profiles.active=prod`."""
FOLDER = "config"
"""The folder beside an application in which Spring Boot looks for files of it too."""


def may_be_application(image: str) -> bool:
    """May an image with this name be an application of somebody's own?"""
    known = (*BESIDE, *STORES, *(pattern for pattern, _ in (*REFUSED, *CLIENTS)))
    return not any(re.fullmatch(pattern, image) for pattern in known)


def goes_over(name: str) -> bool:
    """Is it a name of Spring's, of a property or a variable, that sets what is read here?"""
    plain, in_parts = _plain(name), re.sub(r"[\[\]]+", ".", name)
    return plain.startswith(OF_KAFKA) and (plain.endswith(DECIDING) or decides_elsewhere(in_parts) is not None)


def set_by_container(variables: Iterable[Variable], words: str, at: Variable) -> Iterator[Notice]:
    """What the variables of a container set for an application of Spring's, and the words of its command, which stand `at` a place."""
    for variable in variables:
        yield from _about(variable)
        yield from _in_text(variable.value, variable)
    yield from _in_text(words, at)


def _in_text(text: str, at: Variable) -> Iterator[Notice]:
    """What a text that stands `at` a place sets."""
    for found in GIVEN.finditer(text):
        yield from _about(replace(at, name=found[1], value=found[2]))


def _about(variable: Variable) -> Iterator[Notice]:
    """What is refused, or in doubt, because of a variable or an argument."""
    plain = _plain(variable.name)
    in_json = plain == JSON and "kafka" in variable.value
    if goes_over(variable.name) or in_json:
        what = "it goes over the file of an application of Spring Boot, and is not read."
        yield variable.notice(what, WHY, "Write what it sets into a copy of that file, and leave it out.")
    elif plain.startswith(PROFILES) and variable.value:
        yield replace(about_profile(variable.value), key=variable.name, file=variable.file, line=variable.line)
    elif plain.startswith(FILES):
        what, why = "it names other files of an application of Spring Boot.", "They may set other values."
        yield replace(variable.notice(what, why, "Audit a copy with their values."), decides=True)
    elif plain == JSON and "$" in variable.value:
        what, why = "what it has for an application of Spring Boot is not here.", "It goes over the application's file."
        yield replace(variable.notice(what, why, "Audit a copy with its values."), decides=True)


def unseen(whose: str, taken: str, file: str, line: int) -> Notice:
    """The doubt about variables that a container takes from what is not here."""
    what = f"{whose} takes variables from {taken}, which is not here."
    why = "They go over the file of an application of Spring Boot."
    return Notice(
        what=what,
        why=why,
        advice="Audit a copy with what they set for Kafka.",
        file=file,
        line=line,
        decides=True,
    )


def with_what_goes_over(files: Sequence[ConfigurationFile], problems: list[Notice]) -> list[ConfigurationFile]:
    """The files, of which those of applications have doubts about what may go over them. What is refused goes to `problems`."""
    if not any(_is_application(file) for file in files):
        return list(files)
    said = [notice for file in files for notice in file.over_spring]
    problems += [notice for notice in said if not notice.decides]
    read = {Path(file.path).absolute() for file in files if _is_application(file)}
    return [_doubted(file, said, read) if _is_application(file) else file for file in files]


def _doubted(file: ConfigurationFile, said: Sequence[Notice], read: set[Path]) -> ConfigurationFile:
    """The file of an application with the doubts about what may go over it; a profile whose file it is goes over nothing else."""
    own = about_profile(profile_of(file.path) or "").what
    doubts = [notice for notice in said if notice.decides and notice.what != own]
    doubts += _about_files_beside(Path(file.path), read)
    return replace(file, warnings=(*file.warnings, *dict.fromkeys(doubts)))


def _is_application(file: ConfigurationFile) -> bool:
    return file.form in (BOOT, CLOUD)


def _about_files_beside(path: Path, read: set[Path]) -> Iterator[Notice]:
    """The doubts about other files of an application that set what decides, and were not read with this one."""
    if not is_of_application(path.name):
        return
    profile, outside = profile_of(path.name), path.parent.parent if path.parent.name == FOLDER else None
    for folder in (path.parent, path.parent / FOLDER, outside):
        for other in _applications(folder):
            of_profile = profile_of(other.name)
            in_force = of_profile in (None, profile)
            by_itself = in_force or other.absolute() in read
            if (not in_force and profile is not None) or (folder == path.parent and by_itself) or not _decides(other):
                continue
            when = "" if in_force else f" with profile {of_profile}"
            what = f"{relpath(other, path.parent)} may be in force{when} too, and is not read with it."
            why = "It has the name of a file of the same application of Spring Boot."
            advice = "Audit a copy with what is in force." if in_force else "Audit it too."
            yield Notice(what=what, why=why, advice=advice, file=str(path), decides=True)


def _applications(folder: Path | None) -> list[Path]:
    """The files of applications in a folder."""
    try:
        return sorted(file for file in folder.iterdir() if is_of_application(file.name)) if folder else []
    except OSError:
        return []


def _decides(path: Path) -> bool:
    """Does another file of an application set what is read here?"""
    try:
        source = SourceText(path=str(path), text=read_text(str(path), may_be_empty=True))
        return is_spring(source) and any(goes_over(one.name) for part in parts_of(source) for one in part)
    except ConfigurationError:
        return True


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
