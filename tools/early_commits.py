"""How often an automatic commit has what the application has yet to process, on real brokers with real consumers that nobody steers.

python tools/early_commits.py 4.1.1 4.2.1 4.3.1

After each poll the application processes nothing for a while. If the coordinator then has an offset behind the first record that this
poll returned, a crash would now skip that record.
"""

from __future__ import annotations

import sys
import time
from importlib.resources import files

from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.control import topic_settings
from neverlost.conformance.cluster.gates import MEMBERS
from neverlost.conformance.cluster.groups import members
from neverlost.conformance.cluster.releases import release_at
from neverlost.conformance.cluster.steered_clients import JavaClient
from neverlost.conformance.cluster.topic import ClusterTopic
from neverlost.conformance.cluster.wire import HOST, NO_ERROR

RECORDS, POLLS, PAUSE_SECONDS, INTERVAL_MS = 400, 100, 0.25, 100
BROKER = 1
PROTOCOLS = ("classic", "consumer")


def early(cluster: Cluster, protocol: str) -> tuple[int, int]:
    """After how many polls the offset was early, and how many polls returned a record."""
    topic = f"early-{protocol}"
    port = cluster.client_port[BROKER]
    ClusterTopic(cluster, topic, (BROKER,), topic_settings(1)).create()
    for number in range(RECORDS):
        error = cluster.wire.produce(port, topic, f"v{number}".encode(), -1, wait_ms=10000, timeout=15)
        assert error == NO_ERROR, error
    settings = {
        "bootstrap.servers": f"{HOST}:{port}",
        "client.id": f"{MEMBERS}m1",
        "group.id": topic,
        "group.protocol": protocol,
        "enable.auto.commit": "true",
        "auto.commit.interval.ms": str(INTERVAL_MS),
        "auto.offset.reset": "earliest",
        "max.poll.records": "1",
    }
    reader = members.Reader(
        JavaClient(cluster, topic, str(files(members.__package__) / members.SOURCE), settings, topic)
    )
    found = polls = 0
    while polls < POLLS:
        said = reader.call("poll", 2000, 0)
        if said:
            polls += 1
            time.sleep(PAUSE_SECONDS)
            found += cluster.wire.committed_offset(port, topic, topic) > int(said.partition(":")[2])
    reader.client.kill()
    return found, polls


def main() -> None:
    """Print a row for each release that is named."""
    print("| release | " + " | ".join(f"group.protocol={protocol}" for protocol in PROTOCOLS) + " |")
    for place in sys.argv[1:]:
        settings = {"group.initial.rebalance.delay.ms": "0", "broker.session.timeout.ms": "60000"}
        with Cluster(release_at(place), brokers=1, settings=settings) as cluster:
            counts = [early(cluster, protocol) for protocol in PROTOCOLS]
        print(f"| {place} | " + " | ".join(f"{found} of {polls}" for found, polls in counts) + " |", flush=True)


if __name__ == "__main__":
    main()
