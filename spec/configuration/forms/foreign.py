"""What is no configuration of Kafka's own, though it could be read as one: another syntax, or another program's keys.

To Java nearly every text is a .properties file: of YAML it reads the nested keys without what they are nested in, of JSON nothing that
decides. So nothing is read on trust. Every line must be a plain key with its value, no key may be known as another program's or end as
one that decides, and Kafka must know at least half of the keys. A few keys that it does not know are ordinary: serializers,
interceptors and other plug-ins have their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from neverlost.model.arguments import argument

from ..catalogue import catalogue, slip_of
from ..clients import LIBRDKAFKA
from ..configuration_file import ConfigEntry
from ..defaults import all_keys_that_matter
from ..notices import NOT_UNDERSTOOD, ConfigurationError, Notice
from .foreign_keys import PLUG_INS, SHARED_WITH_SCALA, VENDORS, decides_elsewhere, program_of, sets_elsewhere

PLAIN_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
BLOCK = re.compile(r".*[{\[(]|[|>][+-]?")
"""A value that opens a block, as in JSON, HCL and code, or as YAML does."""

OTHER_FORMATS = {
    ".yml": "YAML",
    ".yaml": "YAML",
    ".json": "JSON",
    ".toml": "TOML",
    ".xml": "XML",
    ".ini": "INI",
    ".hcl": "HCL",
}
"""Formats by the end of a file's name."""

OF_TERRAFORM = (".tf", ".tf.json", ".tofu", ".tfvars", ".tfvars.json", ".tfstate", ".tfstate.backup")
HCL_BLOCK = re.compile(
    r"""^(?:(?:resource|data)\s+"\w+"\s+"[\w-]+"|(?:module|variable|output|provider)\s+"[\w-]+"|terraform|locals)\s*\{""",
    re.MULTILINE,
)
TERRAFORM_STATE = re.compile(r"""\A\s*\{\s*"version":\s*\d+,\s*"terraform_version":""")

BEGINNINGS = {"<": "XML or HTML", "[": "INI or TOML", "{": "JSON", "}": "JSON", '"': "JSON", "-": "YAML"}
"""What a line may be whose first letter no key of Kafka's begins with."""

OF_RESOURCES = tuple(re.compile(rf"^{key}\s*:", re.MULTILINE) for key in ("apiVersion", "kind"))
VALUES = re.compile(r"values(?:[._-].*)?\.ya?ml", re.IGNORECASE)
WHY = "Read as Java's .properties, what it sets would be missed or taken for something else."
ADVICE = (
    "Write what the producer, the consumer, the topic or the broker takes into a .properties file of its own,"
    " with Kafka's keys, or describe the cluster with Kafka's tools."
)


def _running() -> str:
    """What to audit in place of what a program makes files from."""
    return (
        f"Audit the running cluster with {argument('bootstrap_server')}, what kafka-configs.sh --describe --all prints,"
        " or the server.properties that a broker runs with."
    )


def refuse_foreign(text: str, entries: Sequence[ConfigEntry], path: str) -> None:
    """Raise ConfigurationError, with what was seen where, unless a text is plainly in Kafka's own keys and Java's syntax.

    A broker's file may have the keys of its plug-ins and of its vendor too.
    """
    own = _without_plug_ins(entries)
    _refuse(
        lambda: _terraform(text, path),
        lambda: _other_format(text, path),
        lambda: _other_syntax(text, entries, is_known),
        lambda: _other_programs(own),
        lambda: _scala_or_librdkafka(own),
        lambda: _other_words(own),
        lambda: _mostly_unknown(own, path),
    )


def _without_plug_ins(entries: Sequence[ConfigEntry]) -> Sequence[ConfigEntry]:
    if not any(catalogue().roles_of(entry.key) == ("broker",) for entry in entries):
        return entries
    return [entry for entry in entries if not (PLUG_INS.has(entry.key) or VENDORS.has(entry.key))]


def refuse_other_syntax(
    text: str,
    entries: Sequence[ConfigEntry],
    path: str,
    known: Callable[[str], bool],
    plain: re.Pattern[str] = PLAIN_KEY,
) -> None:
    """Raise ConfigurationError unless every line of a text is a plain key with its value; `known` are the keys of its program."""
    _refuse(
        lambda: _terraform(text, path),
        lambda: _other_format(text, path),
        lambda: _other_syntax(text, entries, known, plain),
        lambda: _commands(entries),
    )


def _terraform(text: str, path: str) -> Iterator[Notice]:
    """That this is Terraform's own language or state: only what `terraform show -json` prints of them is read."""
    if path.lower().endswith(OF_TERRAFORM) or HCL_BLOCK.search(text) or TERRAFORM_STATE.search(text):
        what = (
            "this is Terraform's own language or state, which only Terraform reads: variables and modules fill it in."
        )
        advice = "Write what `terraform show -json` prints, of the state or of a plan, into a file, and audit that."
        yield Notice(what=what, why=WHY, advice=advice, file=path)


def _commands(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """Every line without a separator: a command, or prose."""
    for entry in entries:
        if not entry.separator and entry.value:
            yield _refused(entry, f"{_cut(entry.key)} is followed by no = and no colon. It may be a command.")


def _refuse(*rules: Callable[[], Iterator[Notice]]) -> None:
    for rule in rules:
        found = list(rule())
        if found:
            raise ConfigurationError(found)


def is_known(key: str) -> bool:
    """Does any role of Kafka's have the key, in any version? A broker has most of them once more for each listener."""
    return bool(catalogue().roles_of(key)) or key.startswith("listener.name.")


def _other_format(text: str, path: str) -> Iterator[Notice]:
    name = OTHER_FORMATS.get(Path(path).suffix.lower())
    if name == "YAML" and all(key.search(text) for key in OF_RESOURCES):
        what = (
            "of resources of Kubernetes only Strimzi's are read, workloads with an image of Kafka, and ConfigMaps with a file of"
            " Kafka's. Here is none."
        )
        yield Notice(what=what, why=NOT_UNDERSTOOD, advice=_running(), file=path)
    elif name == "YAML" and VALUES.fullmatch(Path(path).name):
        what = "by its name this has the values of a Helm chart."
        why = "Only a chart's templates show what a broker makes of them. Bitnami's kafka and Confluent's cp-kafka are known."
        yield Notice(what=what, why=why, advice=f"Audit what helm template prints. {_running()}", file=path)
    elif name is not None:
        what = f"by its name this is {name}, but it is none of the kinds of {name} that are read."
        yield Notice(what=what, why=WHY, advice=ADVICE, file=path)


def _other_syntax(
    text: str, entries: Sequence[ConfigEntry], known: Callable[[str], bool], plain: re.Pattern[str] = PLAIN_KEY
) -> Iterator[Notice]:
    """The first line that is no plain key with its value, and the first that is nested below another."""
    lines = re.split("\r\n|\r|\n", text)
    before: tuple[ConfigEntry, int] | None = None
    for entry in entries:
        line = lines[(entry.line or 1) - 1]
        indent = len(line) - len(line.lstrip())
        if not plain.fullmatch(entry.key):
            form = BEGINNINGS.get(line.strip()[:1])
            seen = f" It may be {form}." if form else ""
            yield _refused(entry, f"{_cut(entry.key)} is no key of a .properties file of Kafka's.{seen}")
            return
        if before is not None and indent > before[1] and _opens(before[0]):
            what = f"{_cut(entry.key)} is nested below {_cut(before[0].key)} in line {before[0].line}. It may be YAML."
            yield _refused(entry, what)
            return
        if not known(entry.key) and entry.value and (not entry.separator or _is_block(entry.value)):
            what = f"{_cut(entry.key)} is no key of Kafka's, nor a key with a plain value. It may be code or another format."
            yield _refused(entry, what)
            return
        before = entry, indent


def _opens(entry: ConfigEntry) -> bool:
    """Is what stands further right below it, in YAML, a part of it?"""
    return entry.separator == ":" or _is_block(entry.value)


def _is_block(value: str) -> bool:
    return value[:1] in ("{", "[") or BLOCK.fullmatch(value.rstrip()) is not None


def _other_programs(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """The first key of each other program."""
    seen: dict[str, ConfigEntry] = {}
    for entry in entries:
        program = None if is_known(entry.key) else program_of(entry.key)
        if program is not None:
            seen.setdefault(program, entry)
    for program, entry in seen.items():
        yield entry.notice(f"this is a key of {program}.", f"Its defaults and its rules are others. {WHY}", ADVICE)


def _scala_or_librdkafka(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """A key that both the Scala clients of 0.8 and librdkafka have, where none shows that it is the Scala client's file."""
    old = frozenset[str]().union(*catalogue().old.values())
    if any(entry.key in old - SHARED_WITH_SCALA for entry in entries):
        return
    for entry in entries:
        if entry.key in SHARED_WITH_SCALA:
            what = f"this is a key of {LIBRDKAFKA.about}, and of the Scala clients of Kafka 0.8."
            why = "Their defaults differ, and no other key shows which of them reads the file."
            advice = "For the Scala producer add producer.type, for the Scala consumer zookeeper.connect;"
            yield entry.notice(
                what, why, f"{advice} for librdkafka say {argument('assume', f'client={LIBRDKAFKA.name}')}."
            )
            return


def _other_words(entries: Sequence[ConfigEntry]) -> Iterator[Notice]:
    """Every key that ends like one that decides, or whose value sets one; misspelled keys are reported elsewhere."""
    for entry in entries:
        if is_known(entry.key) or _is_slip(entry):
            continue
        meant, set_inside = decides_elsewhere(entry.key), sets_elsewhere(entry.value)
        if meant is not None:
            what = f"Kafka has no such key, and it ends as one that decides: {meant}."
            why = f"Another program may read it, and set {meant} otherwise than this audit would take it."
            yield entry.notice(what, why, f"{ADVICE} If it is a plug-in's own, leave it out of a copy.")
        elif set_inside is not None:
            what = f"Kafka has no such key, and its value sets one that decides: {set_inside}."
            yield entry.notice(what, WHY, ADVICE)
        elif VARIABLE.fullmatch(entry.key):
            what = "this is no key of Kafka's, but may be a variable of an environment."
            yield entry.notice(what, WHY, ADVICE)


def _mostly_unknown(entries: Sequence[ConfigEntry], path: str) -> Iterator[Notice]:
    unknown = [entry for entry in entries if not is_known(entry.key) and not _is_slip(entry)]
    if 2 * len(unknown) > len(entries):
        some = ", ".join(_cut(entry.key) for entry in unknown[:3])
        what = f"Kafka does not know {len(unknown)} of its {len(entries)} keys: {some}{', ...' if unknown[3:] else ''}."
        yield Notice(what=what, why=WHY, advice=ADVICE, file=path)


def _is_slip(entry: ConfigEntry) -> bool:
    return slip_of(entry.key, all_keys_that_matter()) is not None


def _refused(entry: ConfigEntry, what: str) -> Notice:
    return Notice(what=what, why=WHY, advice=ADVICE, file=entry.file, line=entry.line)


def _cut(text: str) -> str:
    """The text quoted, no more than a look at it: what is in a wrong file may be long, or secret."""
    plain = text.strip()
    return repr(plain if len(plain) <= 40 else f"{plain[:37]}...")
