"""Serves the explorer on this machine until it is stopped."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from neverlost.model.arguments import argument
from neverlost.model.core import NeverlostError

from .app import Explorer, app

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 16


class ServingError(NeverlostError):
    """The page cannot be served."""


def serve(explorer: Explorer, port: int, ready: Callable[[str], None]) -> None:
    """Serve until interrupted; `ready` gets the address, with a new token. Port 0 takes any free port. Raises ServingError."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        try:
            listening.bind((LOOPBACK, port))
            # From here on a browser that comes at once waits for its answer, instead of finding nobody.
            listening.listen()
        except (OSError, OverflowError) as error:
            raise ServingError(
                f"port {port} of {LOOPBACK} cannot be used: {error}; leave out {argument('port')}"
            ) from error
        host, token = f"{LOOPBACK}:{listening.getsockname()[1]}", secrets.token_urlsafe(TOKEN_BYTES)
        served = app(replace(explorer, token=token), (host, host.replace(LOOPBACK, "localhost")))
        config = uvicorn.Config(
            served, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
        )
        ready(f"http://{host}/{token}/")
        uvicorn.Server(config).run(sockets=[listening])
