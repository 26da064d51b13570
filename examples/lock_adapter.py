"""Drives the code of the lock service by steps of the model `lock_service.py`: time, the network and the disk are variables here.

neverlost suite examples/lock_service.py --service-crashes 1 --out suite
neverlost conform suite --adapter examples/lock_adapter.py:Durable --profile examples/lock_service.py
"""

from __future__ import annotations

from typing import Any

from lock_service_code import (
    LEASE_SECONDS,
    Client,
    Disk,
    DurableLockService,
    LockService,
    NoLock,
    Outdated,
    Storage,
    Write,
)

from neverlost.conformance.adapter import AdapterError, Capabilities, How, NotPerformed
from neverlost.modelling import EMPTY, NONE, with_member


class Durable:
    """The corrected service, clients and a storage in one process."""

    service_class: type[LockService] = DurableLockService

    def __init__(self, model: Any) -> None:
        self.tokens = model.bounds["tokens"]
        self.now = 0.0
        self.disk: Disk = {}
        self.sent: list[Write] = []
        self.paused: set[str] = set()
        names = [f"c{number + 1}" for number in range(model.bounds["clients"])]
        self.clients = [Client(name, self.clock, self.sent.append) for name in names]
        self.storage = Storage()
        self.service = self.started()
        self.capabilities = Capabilities(
            actions={action.name: How.FORCED for action in model.profile.actions},
            fields=("holder", "next_token", "token", "sent", "accepted", "newest", "last"),
            attempts=("grant", "send_write", "accept"),
        )

    def clock(self) -> float:
        """The time of everyone."""
        return self.now

    def started(self) -> LockService:
        """A service that finds what is on the disk."""
        return self.service_class(self.clock, self.disk)

    def perform(self, step: Any) -> None:
        """Do what the step says."""
        picks = step.picks()
        client = self.clients[picks.get("client", 0)]
        match step.action.name:
            case "grant":
                if not client.acquire(self.service):
                    raise NotPerformed("the service gives no lease")
            case "expire":
                holder = self.service.holder
                self.now += LEASE_SECONDS
                for one in self.clients:
                    if one.name == holder and one.name not in self.paused:
                        one.keep()
            case "pause":
                self.paused.add(client.name)
            case "resume":
                self.paused.remove(client.name)
            case "release":
                client.release(self.service)
            case "send_write":
                self.write(client)
            case "accept":
                if not self.deliver(client, picks["token"]):
                    raise NotPerformed("no such write was sent")
            case "crash_service":
                self.service = self.started()
            case other:
                raise AdapterError(f"the adapter cannot do {other}")

    def attempt(self, step: Any) -> bool:
        """Try what the model refuses. A client that is paused tries nothing, and the code has more tokens than the model."""
        picks = step.picks()
        client = self.clients[picks["client"]]
        match step.action.name:
            case "accept":
                return self.deliver(client, picks["token"])
            case _ if client.name in self.paused:
                return False
            case "grant":
                if self.service.next_token <= self.tokens:
                    client.acquire(self.service)
                    return True
                return False
            case _:
                self.write(client)
                return True

    def write(self, client: Client) -> None:
        """Have a client write."""
        try:
            client.write("data")
        except NoLock as error:
            raise NotPerformed("the client has no lease") from error

    def deliver(self, client: Client, token: int) -> bool:
        """Deliver a write. False if none was sent."""
        for write in self.sent:
            if (write.client, write.token) == (client.name, token + 1):
                try:
                    self.storage.receive(write)
                except Outdated as error:
                    raise NotPerformed(f"the storage refuses it: {error}") from error
                return True
        return False

    def observe(self) -> dict[str, Any]:
        """What the model calls the state. Tokens of the code begin at 1, those of the model at 0."""
        names = [client.name for client in self.clients]
        holder, accepted = self.service.holder, self.storage.accepted
        return {
            "holder": NONE if holder is None else names.index(holder),
            "next_token": self.service.next_token - 1,
            "token": [NONE if c.lease is None else c.lease.token - 1 for c in self.clients],
            "sent": self.by_token(self.sent),
            "accepted": self.by_token(accepted),
            "newest": self.storage.newest,
            "last": accepted[-1].token if accepted else 0,
        }

    def by_token(self, writes: list[Write]) -> list[int]:
        """The set of the clients whose write is among these, for each token."""
        found = [EMPTY] * self.tokens
        for write in writes:
            number = int(write.client.removeprefix("c")) - 1
            found[write.token - 1] = with_member(found[write.token - 1], number)
        return found


class First(Durable):
    """The same with the service as it was before."""

    service_class = LockService
