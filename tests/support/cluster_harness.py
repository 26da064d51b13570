"""Starts a cluster, does what harnesses do with one, and says what it does, so that it can be killed at any of it.

python tests/support/cluster_harness.py VERSION [MODE]
"""

from __future__ import annotations

import sys
from functools import partial

from neverlost.conformance.cluster.cluster import Cluster
from neverlost.conformance.cluster.gates import FETCH
from neverlost.conformance.cluster.releases import release_named
from neverlost.explorer.process.watch import Watch

say = partial(print, flush=True)


def main(version: str, mode: str | None = None) -> None:
    with Cluster(release_named(version, mode), watch=Watch(progress=say)) as cluster:
        cluster.control.create_topic("events", [[1, 2, 3]], {})
        say("a topic is there")
        cluster.gates.shut(FETCH, 2, 1)
        say("a gate is shut")
        cluster.kill(1)
        say("broker 1 is dead")
        cluster.control.end_session(1)
        cluster.control.may_restart(1)
        say("broker 1 comes back")
        cluster.start_node(1)
        cluster.until(lambda: 1 in cluster.control.live(), 60, "broker 1 again")
        say("broker 3 ends")
        cluster.shut_down(3)


if __name__ == "__main__":
    main(*sys.argv[1:])
