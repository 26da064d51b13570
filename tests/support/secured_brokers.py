"""A broker that lets in who has a password, over TLS, and asks what each may do."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from neverlost.conformance.cluster.class_path import class_path, java
from neverlost.conformance.cluster.processes import FLAGS, JavaProcess, free_ports
from neverlost.conformance.cluster.releases import ClusterError, RunnableRelease
from neverlost.conformance.cluster.wire import HOST

SECRETS = {"admin": "planted-admin-secret", "reader": "planted-reader-secret", "stranger": "planted-stranger-secret"}
"""The users: one who may do everything, one who may describe, one who may do nothing."""
TOPIC = "orders"
SECONDS = 120.0


@dataclass(frozen=True, kw_only=True)
class SecuredBroker:
    """Where the broker listens: over TLS to who has a password, and to anybody. `certificate` is a file in PEM."""

    secured: str
    open: str
    certificate: Path


@contextmanager
def secured_broker(release: RunnableRelease, folder: Path) -> Iterator[SecuredBroker]:
    """A broker in KRaft mode with one topic, which the reader may describe."""
    secured, controller, anybody = free_ports(3)
    store, certificate = folder / "broker.p12", folder / "broker.pem"
    keytool = [
        str(Path(java()).parent / "keytool"),
        "-keystore",
        str(store),
        "-storepass",
        SECRETS["admin"],
        "-alias",
        "b",
    ]
    subprocess.run(
        [*keytool, "-genkeypair", "-keyalg", "RSA", "-storetype", "PKCS12", "-dname", "CN=b", "-ext", f"san=ip:{HOST}"],
        check=True,
        capture_output=True,
    )
    subprocess.run([*keytool, "-exportcert", "-rfc", "-file", str(certificate)], check=True, capture_output=True)
    users = " ".join(f'user_{name}="{secret}"' for name, secret in SECRETS.items())
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "listeners": f"SAFE://{HOST}:{secured},CONTROLLER://{HOST}:{controller},OPEN://{HOST}:{anybody}",
        "advertised.listeners": f"SAFE://{HOST}:{secured},OPEN://{HOST}:{anybody}",
        "listener.security.protocol.map": "SAFE:SASL_SSL,CONTROLLER:PLAINTEXT,OPEN:PLAINTEXT",
        "inter.broker.listener.name": "OPEN",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": f"1@{HOST}:{controller}",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.safe.plain.sasl.jaas.config": f"{module} required {users};",
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.password": SECRETS["admin"],
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin;User:ANONYMOUS",
        "log.dirs": str(folder / "data"),
        "log.cleaner.dedupe.buffer.size": "2097152",
    }
    properties = folder / "broker.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
    command = [java(), "-Xmx256m", *FLAGS, "-cp", class_path(release)]
    subprocess.run(
        [*command, "kafka.tools.StorageTool", "format", "-t", "A" * 22, "-c", str(properties)],
        check=True,
        capture_output=True,
    )
    process = JavaProcess([*command, "kafka.Kafka", str(properties)], folder=folder, log=folder / "broker.log")
    try:
        _prepare(f"{HOST}:{anybody}", process)
        yield SecuredBroker(secured=f"{HOST}:{secured}", open=f"{HOST}:{anybody}", certificate=certificate)
    finally:
        process.kill()


def _prepare(bootstrap: str, process: JavaProcess) -> None:
    """Wait for the broker, and create the topic and the rights of the reader."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    end = time.monotonic() + SECONDS
    while True:
        try:
            admin.list_topics(timeout=5)
            break
        except KafkaException:
            if process.has_ended() or time.monotonic() > end:
                raise ClusterError(process.last_lines()) from None
            time.sleep(0.2)
    rights = [
        (ResourceType.BROKER, "kafka-cluster", AclOperation.DESCRIBE_CONFIGS),
        (ResourceType.TOPIC, "*", AclOperation.DESCRIBE),
        (ResourceType.TOPIC, "*", AclOperation.DESCRIBE_CONFIGS),
    ]
    made = [*admin.create_topics([NewTopic(TOPIC, 1, 1)]).values()]
    made += admin.create_acls(
        [
            AclBinding(kind, name, ResourcePatternType.LITERAL, "User:reader", "*", operation, AclPermissionType.ALLOW)
            for kind, name, operation in rights
        ]
    ).values()
    for one in made:
        one.result(SECONDS)
