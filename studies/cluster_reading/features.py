"""The features of a cluster in KRaft mode, which say how far its metadata and its elections have been upgraded (KIP-584).

confluent-kafka does not ask for them, so kafka-python does.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from neverlost.explorer.process.installing import install_command

from .admin_settings import AdminSettings

METADATA_VERSION = "metadata.version"
OF_FAMILIES = ("eligible.leader.replicas.version", "transaction.version", "kraft.version")
"""The features that are settings of the models of protocol families."""

RELEASE = "SupportedMaxVersion"
METADATA_VERSIONS: Mapping[int, str] = {
    **{1: "3.0-IV1", 2: "3.1-IV0", 3: "3.2-IV0", 4: "3.3-IV0", 5: "3.3-IV1", 6: "3.3-IV2", 7: "3.3-IV3", 8: "3.4-IV0"},
    **{9: "3.5-IV0", 10: "3.5-IV1", 11: "3.5-IV2", 12: "3.6-IV0", 13: "3.6-IV1", 14: "3.6-IV2", 15: "3.7-IV0"},
    **{16: "3.7-IV1", 17: "3.7-IV2", 18: "3.7-IV3", 19: "3.7-IV4", 20: "3.8-IV0", 21: "3.9-IV0", 22: "4.0-IV0"},
    **{23: "4.0-IV1", 24: "4.0-IV2", 25: "4.0-IV3", 26: "4.1-IV0", 27: "4.1-IV1", 28: "4.2-IV0", 29: "4.2-IV1"},
    **{30: "4.3-IV0", 31: "4.4-IV0", 32: "4.4-IV1", 33: "4.4-IV2"},
}
"""What the levels of metadata.version are called (MetadataVersion of 3.9.1, 4.1.1, 4.3.1 and 4.4.0, from their jars)."""


class UnknownFeaturesError(Exception):
    """Why the features are not known."""


def features_of(bootstrap: str, settings: AdminSettings) -> dict[str, str]:
    """The finalized features that an audit reads, and the release, as kafka-features.sh writes them. Raises UnknownFeaturesError.

    A release supports its own metadata version at most; the one that is finalized may be older.
    """
    if settings.kafka_python is None:
        raise UnknownFeaturesError("kafka-python, which asks for them, cannot connect with these settings")
    with _silent("kafka"):
        said = _asked(bootstrap, settings, settings.kafka_python)
    found = {}
    levels = {name: feature.get("finalized", (0, 0))[1] for name, feature in said.items()}
    version = levels.get(METADATA_VERSION, 0)
    if version:
        if version not in METADATA_VERSIONS:
            raise UnknownFeaturesError(
                f"metadata.version is at level {version}, which is newer than what is known here"
            )
        found[METADATA_VERSION] = METADATA_VERSIONS[version]
    newest = said.get(METADATA_VERSION, {}).get("supported", (0, 0))[1]
    if newest in METADATA_VERSIONS:
        found[RELEASE] = METADATA_VERSIONS[newest].partition("-")[0]
    return found | {name: str(levels[name]) for name in OF_FAMILIES if name in levels}


def _asked(bootstrap: str, settings: AdminSettings, options: Mapping[str, object]) -> Mapping[str, Mapping[str, Any]]:
    try:
        from kafka.admin import KafkaAdminClient
    except ImportError:
        raise UnknownFeaturesError(
            f"kafka-python, which asks for them, is not installed; {install_command('cluster')} installs it"
        ) from None
    milliseconds = round(settings.seconds * 1000)
    try:
        with KafkaAdminClient(
            bootstrap_servers=bootstrap.split(","),
            bootstrap_timeout_ms=milliseconds,
            request_timeout_ms=milliseconds,
            **options,
        ) as client:
            found: Mapping[str, Mapping[str, Any]] = client.describe_features()
            return found
    except Exception as error:  # whatever it is, the rest of the cluster is known, and this is a doubt
        reason = settings.without_values(str(error)) or type(error).__name__
        raise UnknownFeaturesError(f"kafka-python could not ask for them: {reason}") from None


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Without the log of a library, which shows its settings with the passwords in them."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
