"""The variables of a container of a pod: written out, or taken from ConfigMaps, Secrets and what the pod alone knows.

How Kubernetes puts them together, and fills `$(NAME)` in: "Define Environment Variables for a Container", "Define Dependent Environment
Variables" and EnvFromSource in its documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..notices import NOT_UNDERSTOOD as WHY
from ..notices import Notice
from .containers import TELLING
from .foreign_keys import decides_elsewhere
from .images import Image
from .pods import Pod, WorkloadsRead
from .variables import Variable
from .yaml_documents import Listing, Mapping, Node, Scalar

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.\-][A-Za-z0-9_.\-]*)\)")
TOGETHER = "Put it into the same file, with a line --- between."


def variables_of(
    pod: Pod, parts: Mapping, image: Image, found: WorkloadsRead, problems: list[Notice]
) -> tuple[Variable, ...]:
    """The variables of a container. Those in `env` go before those of `envFrom`, whose last source goes before the others."""
    whole: dict[str, Variable] = {}
    sources = parts.at("envFrom")
    for source in sources.values if isinstance(sources, Listing) else ():
        whole |= {one.name: one for one in _of_source(pod, source, found, problems)}
    known = {name: one.value for name, one in whole.items()}
    own: list[Variable] = []
    listed = parts.at("env")
    for one in listed.values if isinstance(listed, Listing) else ():
        variable = _of_entry(pod, one, image, known, found, problems)
        if variable is not None:
            known[variable.name] = variable.value
            own.append(variable)
    for key in ("env", "envFrom"):
        node = parts.at(key)
        if node is not None and not isinstance(node, Listing) and not (isinstance(node, Scalar) and node.text is None):
            problems.append(pod.notice(f"its {key} is no list.", WHY, "Write a list.", node.line))
    named = {one.name for one in own}
    return (*(one for name, one in whole.items() if name not in named), *own)


def _of_source(pod: Pod, source: Node, found: WorkloadsRead, problems: list[Notice]) -> Iterator[Variable]:
    """The variables that `envFrom` takes from a ConfigMap or a Secret."""
    prefix = (source.text("prefix") or "") if isinstance(source, Mapping) else ""
    for part, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        name = source.text(part, "name") if isinstance(source, Mapping) else None
        if name is None:
            continue
        holders = pod.holder(kind, name)
        if len(holders) != 1:
            problems.append(_not_there(pod, f"all variables of {kind} {name}", kind, name, holders, source.line))
            return
        for key, value, line in _held(holders[0]):
            if NAME.fullmatch(prefix + key):
                found.taken.add((id(holders[0]), key))
                found.read.add(id(holders[0]))
                text = value if value is not None else f"${{{kind} {name}}}"
                yield Variable(name=prefix + key, value=text, file=pod.path, line=line)
        return
    problems.append(pod.notice("one of its envFrom is not understood.", line=source.line, advice="Write env."))


def _of_entry(
    pod: Pod,
    one: Node,
    image: Image,
    known: dict[str, str],
    found: WorkloadsRead,
    problems: list[Notice],
) -> Variable | None:
    """A variable of `env`: its value, or what it is taken from."""
    name = one.text("name") if isinstance(one, Mapping) else None
    if not isinstance(one, Mapping) or not name:
        problems.append(pod.notice("one of its env is no variable.", advice="Write name and value.", line=one.line))
        return None
    value, source = one.at("value"), one.at("valueFrom")
    line = one.line if value is None else value.line
    if value is not None and not isinstance(value, Scalar):
        variable = Variable(name=name, value="", file=pod.path, line=line)
        problems.append(variable.notice("this is no variable with a plain value.", WHY, "Write name and value."))
        return None
    if source is None:
        text = "" if value is None else value.text or ""
        return Variable(name=name, value=expanded(text, known), file=pod.path, line=line)
    for part, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        holder, key = (source.text(part, "name"), source.text(part, "key")) if isinstance(source, Mapping) else ("", "")
        if not holder or not key:
            continue
        holders = pod.holder(kind, holder)
        given = next(((text, at) for held, text, at in _held(holders[0]) if held == key), None) if holders else None
        if len(holders) == 1 and given is not None and given[0] is not None:
            if image.key(name) is not None:
                found.taken.add((id(holders[0]), key))
                found.read.add(id(holders[0]))
            return Variable(name=name, value=given[0], file=pod.path, line=given[1])
        unknown = Variable(name=name, value=f"${{{key} of {kind} {holder}}}", file=pod.path, line=one.line)
        if _may_decide(unknown, image):
            problems.append(_not_there(pod, f"{name}, from {key} of {kind} {holder}", kind, holder, holders, one.line))
        return unknown
    unknown = Variable(name=name, value="${known when the pod runs}", file=pod.path, line=one.line)
    if _may_decide(unknown, image):
        what, advice = "its value is known only when the pod runs.", "Write the value itself into a copy."
        problems.append(unknown.notice(what, WHY, advice))
    return unknown


def _may_decide(variable: Variable, image: Image) -> bool:
    return image.key(variable.name) in TELLING or decides_elsewhere(variable.name) is not None


def _not_there(pod: Pod, what: str, kind: str, name: str, holders: Sequence[Mapping], line: int) -> Notice:
    """That variables are taken from what is not in the file, or there more than once, or cannot be read."""
    if len(holders) > 1:
        said, advice = f"and {kind} {name} is in the file more than once.", "Keep the one that is in force."
    elif holders:
        said, advice = "which is not there, or not readable.", "Write the value itself into env of a copy."
    else:
        said = "which is not in this file."
        advice = TOGETHER if kind == "ConfigMap" else "Write what is no password of it into env of a copy."
    return pod.notice(f"it takes {what}, {said}", WHY, advice, line)


def _held(holder: Mapping) -> Iterator[tuple[str, str | None, int]]:
    """The keys of a ConfigMap or a Secret, with their texts where these are plain, and their lines."""
    for part in ("data", "stringData"):
        held = holder.at(part)
        for key, value in held.values.items() if isinstance(held, Mapping) else ():
            plain = isinstance(value, Scalar) and (holder.text("kind") == "ConfigMap" or part == "stringData")
            text = value.text or "" if plain and isinstance(value, Scalar) else None
            yield key, text, held.lines[key] if isinstance(held, Mapping) else value.line


def expanded(text: str, known: dict[str, str]) -> str:
    """A text as Kubernetes fills it in: `$(NAME)` is a variable that is set before, `$$` is a plain dollar; others stay."""
    return REFERENCE.sub(lambda seen: "$" if seen[0] == "$$" else known.get(seen[1], seen[0]), text)
