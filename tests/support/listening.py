"""Where a process listens, and all that it started, while Spark runs on a master: addresses as Linux tells them, one a line.

python tests/support/listening.py MASTER
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

LISTENS = "0A"


def below(process: int) -> set[int]:
    """A process and all that it started, and what these did."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, before = {process}, 0
    while before != len(found):
        before = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def sockets_of(process: int) -> Iterator[str]:
    """The inodes of its sockets."""
    try:
        for opened in Path(f"/proc/{process}/fd").iterdir():
            target = os.readlink(opened)
            if target.startswith("socket:["):
                yield target[len("socket:[") : -1]
    except OSError:
        return


def address(text: str) -> IPv4Address | IPv6Address:
    """An address as the kernel writes it: words of 32 bits, each with its bytes turned round."""
    words = bytes.fromhex(text)
    turned = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
    if len(turned) == 4:
        return IPv4Address(turned)
    six = IPv6Address(turned)
    return six.ipv4_mapped or six


def listening(process: int) -> set[str]:
    """Every address at which TCP is awaited, or UDP."""
    own = {inode for one in below(process) for inode in sockets_of(one)}
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in own and (words[3] == LISTENS or table.startswith("udp")):
                found.add(str(address(words[1].partition(":")[0])))
    return found


if __name__ == "__main__":
    from neverlost.spark_explore.session import spark_session

    if sys.argv[1] == "planted":
        with socket.create_server(("", 0)):
            print(*sorted(listening(os.getpid())), sep="\n")
        sys.exit()
    session = spark_session(sys.argv[1])
    assert session.range(0, 8, 1, 2).mapInArrow(lambda batches: batches, "id long").count() == 8
    print(*sorted(listening(os.getpid())), sep="\n")
