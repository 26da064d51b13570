"""A broker's file may have the keys of its plug-ins and of its vendor: they are one line each, and no reason to refuse the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from neverlost.spec.configuration import ConfigurationError, Deployment, read_deployment

SERVER = "process.roles=broker\nlog.dirs=/data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
ACLS = "allow.everyone.if.no.acl.found=true\nsuper.users=User:admin\nauthorizer.zookeeper.url=z:2181\n"
METRICS = "kafka.csv.metrics.dir=/m\nkafka.graphite.metrics.port=2003\nkafka.graphite.metrics.host=h\n"
LDAP = "ldap.java.naming.provider.url=ldap://x\nldap.search.retries=3\nldap.a=1\nldap.b=2\nldap.c=3\n"
CRUISE_CONTROL = (
    "cruise.control.metrics.topic.replication.factor=1\ncruise.control.metrics.topic.min.insync.replicas=1\n"
)
LICENCE = "confluent.license.topic.replication.factor=1\nconfluent.metrics.reporter.topic.replicas=1\n"


def made(folder: Path, text: str, name: str = "server.properties") -> Deployment:
    (folder / name).write_text(text, encoding="utf-8")
    return read_deployment([str(folder / name)], kafka_version="3.9.1")


@pytest.mark.parametrize(
    ("text", "count"),
    [(ACLS, 3), (METRICS, 3), (LDAP, 5), (CRUISE_CONTROL, 2), (LICENCE, 2), (ACLS + METRICS + LDAP + LICENCE, 13)],
)
def test_the_keys_of_plug_ins_are_one_line_that_decides_nothing(text: str, count: int, tmp_path: Path) -> None:
    found = made(tmp_path, SERVER + text)
    (line,) = (warning for warning in found.warnings if " of a broker's plug-ins" in warning.what)
    assert (line.line, line.decides, line.what.startswith(f"{count} keys are of")) == (5, False, True)
    assert (found.replication_factor, found.settings["min_isr"]) == (3, 2)
    assert not [doubt for doubt in found.doubts if "has such a key" in doubt.what]


def test_what_a_vendor_s_broker_may_do_otherwise_is_one_doubt(tmp_path: Path) -> None:
    found = made(tmp_path, f"{SERVER}confluent.log.placement.constraints=x\nconfluent.tier.enable=true\n{LICENCE}")
    (doubt,) = (doubt for doubt in found.doubts if "vendor" in doubt.what)
    assert doubt.what.startswith("2 keys are of a vendor's broker: confluent.log.placement.constraints, confluent.tier")


def test_other_keys_that_kafka_does_not_have_are_a_doubt_each(tmp_path: Path) -> None:
    found = made(tmp_path, f"{SERVER}my.plug.in=1\nanother.one=2\n{ACLS}")
    assert [doubt.key for doubt in found.doubts if "has such a key" in doubt.what] == ["my.plug.in", "another.one"]


def test_a_slip_beside_them_is_still_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"Did you mean min\.insync\.replicas"):
        made(tmp_path, f"{SERVER}{ACLS}".replace("min.insync.replicas", "min.insync.replica"))


def test_a_program_s_file_is_no_broker_s_because_of_them(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Kafka does not know 5 of its 6 keys"):
        made(tmp_path, f"acks=all\n{LDAP}".replace("search.retries", "search.x"), "producer.properties")
    with pytest.raises(ConfigurationError, match="this is a key of a program that hands"):
        made(tmp_path, f"acks=all\nretries=3\n{METRICS}", "producer.properties")
