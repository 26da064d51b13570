"""One configuration file: in which format it is, and whose configuration it holds, told from what is in it.

What is in no format of Kafka's, and what is another program's, is refused before anybody's name is put on it: `role:path` says whose
configuration a file is, not in which form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .catalogue import ROLES, catalogue
from .describe_output import form_of, parse_description
from .foreign import refuse_foreign
from .notices import ConfigurationError, Notice
from .properties_file import ConfigEntry, parse_properties, read_text
from .strimzi import FORM as STRIMZI
from .strimzi import is_strimzi, read_resources

NAMES = {"producer": "producer", "consumer": "consumer", "topic": "topic", "server": "broker", "broker": "broker"}
"""Words in a file's name that tell a role, where its content does not."""


@dataclass(frozen=True, kw_only=True)
class ConfigurationFile:
    """What a file says of one broker, topic, producer or consumer, which is its `role`.

    `form` is "properties", "Strimzi", or the tool that printed it. `release` is the version of Kafka that it names; `cluster` the name
    of the cluster that it is of.
    """

    path: str
    form: str
    role: str
    entries: tuple[ConfigEntry, ...]
    warnings: tuple[Notice, ...] = ()
    release: ConfigEntry | None = None
    cluster: str | None = None

    @cached_property
    def is_old_client(self) -> bool:
        """Does it configure the producer or the consumer of 0.8 in Scala? A key of theirs may be left over in a newer file."""
        keys = {entry.key for entry in self.entries}
        return bool(keys & catalogue().old[self.role]) and "bootstrap.servers" not in keys


def role_and_path(argument: str) -> tuple[str | None, str]:
    """What an argument names: a path, with the role that stands before it in `role:path`."""
    matched = re.match(rf"({'|'.join(ROLES)}):(.+)$", argument, flags=re.DOTALL)
    return (matched[1], matched[2]) if matched else (None, argument)


def read_configuration(argument: str) -> list[ConfigurationFile]:
    """What is in the file that an argument names: a path, or `role:path` to say whose it is. Raises ConfigurationError."""
    role, path = role_and_path(argument)
    text = read_text(path)
    if is_strimzi(text):
        return _strimzi(text, path, role)
    return [_of_one_role(text, path, role)]


def _strimzi(text: str, path: str, role: str | None) -> list[ConfigurationFile]:
    if role is not None:
        what, advice = "its resources tell their roles.", f"Name it without `{role}:`."
        raise ConfigurationError([Notice(what=what, advice=advice, file=path)])
    return [
        ConfigurationFile(
            path=path,
            form=STRIMZI,
            role=found.role,
            entries=found.entries,
            release=found.release,
            cluster=found.cluster,
        )
        for found in read_resources(text, path)
    ]


def _of_one_role(text: str, path: str, role: str | None) -> ConfigurationFile:
    if form_of(text):
        found = parse_description(text, path)
        if role not in (None, found.role):
            what, advice = f"{found.form} describes a {found.role} here, not a {role}.", f"Name it without `{role}:`."
            raise ConfigurationError([Notice(what=what, advice=advice, file=path)])
        return ConfigurationFile(
            path=path, form=found.form, role=found.role, entries=found.entries, warnings=found.warnings
        )
    entries, warnings = parse_properties(text, path)
    if not entries:
        what, why = "it holds nothing but comments.", "Every value would be a default."
        raise ConfigurationError([Notice(what=what, why=why, advice="Leave the file out, or fill it.", file=path)])
    refuse_foreign(text, entries, path)
    problems = duplicates(entries)
    if role is None:
        try:
            role = role_of(entries, path)
        except ConfigurationError as error:
            raise ConfigurationError([*problems, *error.problems]) from None
    if problems:
        raise ConfigurationError(problems)
    return ConfigurationFile(path=path, form="properties", role=role, entries=entries, warnings=warnings)


def role_of(entries: Sequence[ConfigEntry], path: str) -> str:
    """Whose configuration the entries are: by keys that only one role has, else by the file's name. Raises ConfigurationError."""
    votes = Counter[str]()
    for entry in entries:
        roles = catalogue().roles_of(entry.key)
        votes.update(roles if len(roles) == 1 else ())
    if len(votes) == 1:
        return next(iter(votes))
    named = {role for word, role in NAMES.items() if word in Path(path).name.lower()}
    if len(named) == 1:
        return named.pop()
    what = "whose configuration this is cannot be told"
    what += f": it holds keys of {' and of '.join(sorted(votes))}." if votes else ": it holds no key that only one has."
    advice = f"Say it: {', '.join(f'{role}:{path}' for role in ROLES[:-1])} or {ROLES[-1]}:{path}."
    raise ConfigurationError([Notice(what=what, advice=advice, file=path)])


def duplicates(entries: Sequence[ConfigEntry]) -> list[Notice]:
    """Every key that is there again."""
    first: dict[str, ConfigEntry] = {}
    found = []
    for entry in entries:
        before = first.setdefault(entry.key, entry)
        if before is not entry:
            what = f"set again to {entry.value!r}; line {before.line} has {before.value!r}."
            found.append(entry.notice(what, "Java takes the last one and says nothing.", "Keep one of them."))
    return found
