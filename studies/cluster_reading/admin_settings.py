"""What a --command-config says of the way to a cluster, for the two clients that ask it.

The file is that of Kafka's own tools, with the names of the Java client, or with those of librdkafka. What it says of TLS and SASL is
translated or refused: a setting that is left out could open a connection that nobody wants. No value of it is ever shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from neverlost.spec.configuration import ConfigurationError, Notice
from neverlost.spec.configuration.configuration_file import ConfigEntry
from neverlost.spec.configuration.forms.properties_file import parse_properties, read_text

DEFAULT_SECONDS = 30.0

SECURITY = ("security.", "sasl.", "ssl.", "enable.ssl.", "enable.sasl.", "https.")
"""How the names begin of what decides whether a connection is safe."""

AS_IT_IS = frozenset(
    {
        "broker.address.family",
        "client.id",
        "enable.ssl.certificate.verification",
        "https.ca.location",
        "https.ca.pem",
        "sasl.kerberos.keytab",
        "sasl.kerberos.principal",
        "sasl.kerberos.service.name",
        "sasl.mechanisms",
        "sasl.oauthbearer.client.id",
        "sasl.oauthbearer.client.secret",
        "sasl.oauthbearer.extensions",
        "sasl.oauthbearer.method",
        "sasl.oauthbearer.scope",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.password",
        "sasl.username",
        "security.protocol",
        "socket.connection.setup.timeout.ms",
        "socket.keepalive.enable",
        "ssl.ca.certificate.stores",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.crl.location",
        "ssl.curves.list",
        "ssl.key.location",
        "ssl.key.password",
        "ssl.key.pem",
        "ssl.sigalgs.list",
    }
)
"""Names of librdkafka, or of both clients with the same meaning (librdkafka's CONFIGURATION.md)."""

RENAMED: Mapping[str, str] = {
    "sasl.mechanism": "sasl.mechanisms",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "ssl.truststore.certificates": "ssl.ca.pem",
}
"""Names of the Java client, and what librdkafka calls the same."""

NOT_NEEDED = frozenset({"ssl.truststore.password", "ssl.truststore.type", "ssl.keystore.type"})
"""What is looked at together with the store that it is about."""

FOR_KAFKA_PYTHON: Mapping[str, str] = {
    "client.id": "client_id",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.password": "sasl_plain_password",
    "sasl.username": "sasl_plain_username",
    "security.protocol": "security_protocol",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.crl.location": "ssl_crlfile",
    "ssl.endpoint.identification.algorithm": "ssl_check_hostname",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
}
"""What kafka-python calls what librdkafka calls so."""
NO_MATTER = frozenset({"broker.address.family", "socket.connection.setup.timeout.ms", "socket.keepalive.enable"})
"""What kafka-python may do without."""

SECRET = (".password", ".secret", ".pem")
TELLING = (*SECRET, ".username", ".id", ".location", ".principal", ".keytab", ".url")
"""How the names end of what is not said in a message, and of what is not even as a part of a word."""

WITH_PASSWORD = ("PlainLoginModule", "ScramLoginModule")
OPTIONS = re.compile(r"""\s+([\w.]+)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s;"']+)""", flags=re.DOTALL)
LOGIN = re.compile(
    rf"\s*(?P<module>[\w.$]+)\s+(?:required|requisite|sufficient|optional)(?P<options>(?:{OPTIONS.pattern})*)\s*;\s*",
    flags=re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class AdminSettings:
    """The way to a cluster: `librdkafka` for confluent-kafka; `kafka_python` for kafka-python, None if it cannot go that way."""

    librdkafka: Mapping[str, str] = field(default_factory=dict, repr=False)
    kafka_python: Mapping[str, object] | None = field(default_factory=dict, repr=False)
    seconds: float = DEFAULT_SECONDS
    path: str | None = None

    def without_values(self, text: str) -> str:
        """A message of a client, without the values that reveal something."""
        text = re.sub(r'nvalid value ".*" for', "nvalid value for", text, flags=re.DOTALL)
        telling = {value: name for name, value in self.librdkafka.items() if name.endswith(TELLING) and value}
        for value in sorted(telling, key=len, reverse=True):
            whole = re.escape(value)
            # A short name of a user may be a part of any word.
            hidden = whole if telling[value].endswith(SECRET) else rf"(?<!\w){whole}(?!\w)"
            text = re.sub(hidden, "***", text)
        return text


def read_admin_settings(path: str | None) -> AdminSettings:
    """What the file of --command-config says. Raises ConfigurationError, which names keys and never values."""
    if path is None:
        return AdminSettings()
    entries = _entries(path)
    translated, problems, seconds = dict[str, str](), list[Notice](), DEFAULT_SECONDS
    for key, entry in entries.items():
        try:
            if key == "request.timeout.ms":
                seconds = _seconds(entry)
            found = _translated(entry, entries)
        except _Refusal as refusal:
            problems.append(_notice(entry, refusal.what, refusal.advice))
            continue
        for name in found.keys() & translated.keys():
            problems.append(_notice(entry, f"{name} is there in another way too.", "Keep one of them."))
        translated |= found
    if problems:
        raise ConfigurationError(problems)
    return AdminSettings(librdkafka=translated, kafka_python=_for_kafka_python(translated), seconds=seconds, path=path)


class _Refusal(Exception):
    """Why a setting cannot be taken, and what to do."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what)
        self.what, self.advice = what, advice


def _notice(entry: ConfigEntry, what: str, advice: str) -> Notice:
    return entry.notice(what, advice=advice)


def _entries(path: str) -> dict[str, ConfigEntry]:
    """The entries by key. What the reader of .properties finds odd about values is left out: it may show them."""
    try:
        entries, _ = parse_properties(read_text(path), path)
    except ConfigurationError as error:
        # An escape that Java refuses is shown with its characters, which may be those of a password.
        raise ConfigurationError(
            Notice(
                what=one.what if one.line is None else "this line cannot be read.",
                advice=one.advice,
                file=path,
                line=one.line,
            )
            for one in error.problems
        ) from None
    found: dict[str, ConfigEntry] = {}
    problems = []
    for entry in entries:
        if entry.key in found:
            problems.append(_notice(entry, f"line {found[entry.key].line} sets it already.", "Keep one of them."))
        found[entry.key] = entry
    if problems:
        raise ConfigurationError(problems)
    return found


def _seconds(entry: ConfigEntry) -> float:
    if not re.fullmatch(r"\s*[1-9][0-9]{0,8}\s*", entry.value):
        raise _Refusal("this is no number of milliseconds.", "Write request.timeout.ms=60000.")
    return int(entry.value) / 1000


def _translated(entry: ConfigEntry, entries: Mapping[str, ConfigEntry]) -> dict[str, str]:
    """What librdkafka calls it; nothing for what it does not need. Raises _Refusal."""
    key, value = entry.key, entry.value.strip()
    if key in SPECIAL:
        return SPECIAL[key](value, entries)
    if key in AS_IT_IS or key in RENAMED:
        return {RENAMED.get(key, key): value}
    if key == "config.providers":
        what = "what a config provider fills in is not known here."
        raise _Refusal(what, "Write the values themselves into a copy of the file.")
    if key.startswith(SECURITY) and key not in NOT_NEEDED:
        what = "this is not understood here, and may decide how safe the connection is."
        raise _Refusal(what, "Leave it out of a copy of the file, or write what librdkafka has for it.")
    return {}


def _type_of(store: str, entries: Mapping[str, ConfigEntry]) -> str:
    entry = entries.get(f"ssl.{store}.type")
    return "JKS" if entry is None else entry.value.strip().upper()


def _trust_store(value: str, entries: Mapping[str, ConfigEntry]) -> dict[str, str]:
    if _type_of("truststore", entries) == "PEM":
        return {"ssl.ca.location": value}
    what = "only a trust store of type PEM can be read here."
    advice = "Export its certificates with keytool -exportcert -rfc, and write ssl.truststore.type=PEM and the path of what it wrote."
    raise _Refusal(what, advice)


def _key_store(value: str, entries: Mapping[str, ConfigEntry]) -> dict[str, str]:
    kind = _type_of("keystore", entries)
    if kind == "PEM":
        return {"ssl.certificate.location": value, "ssl.key.location": value}
    if kind == "PKCS12":
        password = entries.get("ssl.keystore.password")
        secret = {} if password is None else {"ssl.keystore.password": password.value.strip()}
        return {"ssl.keystore.location": value, **secret}
    what = "only a key store of type PEM or PKCS12 can be read here, and it says neither."
    advice = "Convert it with keytool -importkeystore -deststoretype PKCS12, and write ssl.keystore.type=PKCS12."
    raise _Refusal(what, advice)


def _key_store_password(value: str, entries: Mapping[str, ConfigEntry]) -> dict[str, str]:
    if "ssl.keystore.location" in entries:
        return {}
    raise _Refusal("there is no ssl.keystore.location that it is for.", "Leave it out, or name the key store.")


def _host_names(value: str, entries: Mapping[str, ConfigEntry]) -> dict[str, str]:
    if value.lower() not in ("", "none", "https"):
        raise _Refusal("this is no way to check host names.", "Write https, or nothing to check none.")
    return {"ssl.endpoint.identification.algorithm": value.lower() or "none"}


def _login(value: str, entries: Mapping[str, ConfigEntry]) -> dict[str, str]:
    """User and password, of the two login modules that have them."""
    advice = 'Write MODULE required username="..." password="...";, with the PlainLoginModule or the ScramLoginModule.'
    matched = LOGIN.fullmatch(value)
    if matched is None:
        raise _Refusal("this is not one login module with its options.", advice)
    if not matched["module"].endswith(WITH_PASSWORD):
        raise _Refusal("this login module is not one with user and password.", advice)
    options = {name: _plain(text) for name, text in OPTIONS.findall(matched["options"])}
    if set(options) != {"username", "password"}:
        raise _Refusal("its options are not exactly username and password.", advice)
    return {"sasl.username": options["username"], "sasl.password": options["password"]}


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text[0] in "\"'" else text


SPECIAL: Mapping[str, Callable[[str, Mapping[str, ConfigEntry]], dict[str, str]]] = {
    "sasl.jaas.config": _login,
    "ssl.endpoint.identification.algorithm": _host_names,
    "ssl.keystore.location": _key_store,
    "ssl.keystore.password": _key_store_password,
    "ssl.truststore.location": _trust_store,
}


def _for_kafka_python(settings: Mapping[str, str]) -> dict[str, object] | None:
    """The same for kafka-python; None if it does not have one of them."""
    found: dict[str, object] = {}
    for name, value in settings.items():
        if name == "security.protocol":
            found[FOR_KAFKA_PYTHON[name]] = value.upper()
        elif name == "ssl.endpoint.identification.algorithm":
            found[FOR_KAFKA_PYTHON[name]] = value == "https"
        elif name in FOR_KAFKA_PYTHON:
            found[FOR_KAFKA_PYTHON[name]] = value
        elif name not in NO_MATTER:
            return None
    mechanism: Sequence[str] = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
    return found if found.get("sasl_mechanism", "PLAIN") in mechanism else None
