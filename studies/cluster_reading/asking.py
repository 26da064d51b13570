"""Questions to a cluster through confluent-kafka's AdminClient: each is answered, refused in a sentence, or ended by its time."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NoReturn, TypeVar

from neverlost.model.arguments import argument
from neverlost.spec.configuration import ConfigurationError, Notice

from .admin_settings import AdminSettings

T = TypeVar("T")

POLL_SECONDS = 0.1
GRACE_SECONDS = 3.0
"""So long after all addresses have failed a further attempt may come through: a name may have several."""
BATCH = 100
"""Topics whose settings are asked for in one request."""

ADDRESS = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:,/\[\]@]+):[0-9]{1,5}")
ACLS = (
    "It needs DESCRIBE_CONFIGS on the cluster, and DESCRIBE and DESCRIBE_CONFIGS on the topics:"
    " kafka-acls.sh --add --allow-principal User:NAME --operation Describe --operation DescribeConfigs --cluster --topic '*'."
)
NOT_ALLOWED = ("CLUSTER_AUTHORIZATION_FAILED", "TOPIC_AUTHORIZATION_FAILED")
NOT_LET_IN = ("_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED", "UNSUPPORTED_SASL_MECHANISM", "ILLEGAL_SASL_STATE")
FAILED_CONNECTION = ("_TRANSPORT", "_RESOLVE", "_SSL")
OUT_OF_TIME = ("_TIMED_OUT", "_TIMED_OUT_QUEUE", "REQUEST_TIMED_OUT")


def refused(what: str, why: str = "", advice: str = "", *, key: str | None = None) -> ConfigurationError:
    """An error about the way to the cluster: about its address, if `key` names nothing else."""
    return ConfigurationError([Notice(what=what, why=why, advice=advice, key=key or argument("bootstrap_server"))])


def check_address(bootstrap: str) -> None:
    """Raises ConfigurationError unless it is HOST:PORT, or several with commas between."""
    for address in bootstrap.split(","):
        if not ADDRESS.fullmatch(address) or int(address.rpartition(":")[2]) > 65535:
            # It may be a URL with a password in it.
            raise refused(
                "this is not HOST:PORT, or several of these with commas between.", advice="Write kafka1:9092."
            )


class Asked:
    """A cluster that questions are asked of; `progress` gets again and again what is being asked.

    Raises ModuleNotFoundError if confluent-kafka is not there.
    """

    def __init__(self, bootstrap: str, settings: AdminSettings, progress: Callable[[str], None]) -> None:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        check_address(bootstrap)
        self.bootstrap, self.settings, self.progress = bootstrap, settings, progress
        self._failure: type[Exception] = KafkaException
        self._events: list[Any] = []
        own: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "error_cb": self._events.append,
            "log_level": 0,
            "reconnect.backoff.max.ms": 1000,
        }
        try:
            self._admin = AdminClient({**settings.librdkafka, **own})
        except KafkaException as error:
            what = f"librdkafka does not take these settings: {self._said(error.args[0])}."
            raise refused(what, advice="Correct them.", key=argument("command_config")) from None

    def brokers(self) -> list[int]:
        """The ids of the live brokers."""
        described = self._answer("its brokers", self._admin.describe_cluster(request_timeout=self.settings.seconds))
        return sorted(node.id for node in described.nodes)

    def topics(self) -> Mapping[str, Any]:
        """The metadata of every topic that the user may see, by name."""
        # Asked for by its name, a topic that is not there may be created.
        listed = _in_a_thread(lambda: self._admin.list_topics(timeout=self.settings.seconds))
        metadata = self._answer("its topics", listed)
        found: Mapping[str, Any] = metadata.topics
        return found

    def configs(self, kind: str, names: Sequence[str]) -> list[Mapping[str, Any]]:
        """The settings of topics or brokers, in the order of the names."""
        from confluent_kafka.admin import ConfigResource

        # A request about a broker goes to that broker, so it can name only one.
        size = BATCH if kind == "topic" else 1
        found = []
        for first in range(0, len(names), size):
            what = f"the settings of {len(names):,} {kind}s, of which {first:,} are known"
            resources = [ConfigResource(kind, name) for name in names[first : first + size]]
            futures = self._admin.describe_configs(resources, request_timeout=self.settings.seconds)
            found += [self._answer(what, futures[resource]) for resource in resources]
        return found

    def refuse(self, error: Any) -> NoReturn:
        """Raises ConfigurationError that says what an error of Kafka means here."""
        name, said, where = error.name(), self._said(error), self.bootstrap
        if name in NOT_ALLOWED:
            raise refused(f"this user may not describe all of {where}: {said}.", advice=ACLS)
        if name in NOT_LET_IN:
            advice = f"Check security.protocol, mechanism, user and password in {self._file}."
            raise refused(f"{where} does not let this user in: {said}.", advice=advice)
        if name in FAILED_CONNECTION:
            advice = f"Check host and port, and security.protocol in {self._file}."
            raise refused(f"{where} cannot be reached: {said}.", advice=advice)
        if name in OUT_OF_TIME:
            raise self._out_of_time()
        if name in ("UNSUPPORTED_VERSION", "_UNSUPPORTED_FEATURE"):
            advice = "Audit the files of its brokers and topics."
            raise refused(f"{where} does not give its settings: {said}.", "Kafka does so from 0.11 on.", advice)
        raise refused(f"{where} does not give what an audit needs: {said}.")

    def _out_of_time(self) -> ConfigurationError:
        latest = self._latest(FAILED_CONNECTION)
        why = f"The last that was heard: {self._said(latest)}." if latest is not None else ""
        advice = f"Check host, port and security.protocol, or give it more time: request.timeout.ms, in {self._file}."
        return refused(f"{self.bootstrap} did not answer within {self.settings.seconds:g} s.", why, advice)

    @property
    def _file(self) -> str:
        return self.settings.path or f"a file that {argument('command_config')} names"

    def _said(self, error: Any) -> str:
        """What librdkafka says of an error, without the state of its connection, and without values of settings."""
        said = re.sub(r"^\S+/(?:bootstrap|-?\d+): | \(after \d+ms in state .*?\)", "", str(error.str()))
        return self.settings.without_values(said).rstrip(".")

    def _latest(self, names: Sequence[str]) -> Any:
        return next((event for event in reversed(self._events) if event.name() in names), None)

    def _answer(self, what: str, future: Future[T]) -> T:
        """Wait for an answer; an interrupt ends the wait, and so does what no patience helps against. Raises ConfigurationError."""
        end, all_down_since = time.monotonic() + self.settings.seconds + GRACE_SECONDS, None
        while not future.done():
            self.progress(f"asking {self.bootstrap} for {what}")
            self._admin.poll(POLL_SECONDS)
            rejected = self._latest(NOT_LET_IN)
            if rejected is not None:
                self.refuse(rejected)
            now = time.monotonic()
            if all_down_since is None and self._latest(("_ALL_BROKERS_DOWN",)) is not None:
                all_down_since = now
            failed = self._latest(FAILED_CONNECTION)
            if failed is not None and all_down_since is not None and now > all_down_since + GRACE_SECONDS:
                self.refuse(failed)
            if now > end:
                raise self._out_of_time()
        try:
            return future.result()
        except self._failure as error:
            self.refuse(error.args[0])


def _in_a_thread(call: Callable[[], T]) -> Future[T]:
    """A call that would not let the user interrupt it."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future
