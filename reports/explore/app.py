"""The server of the explorer: one page, and one JSON API behind a token. It reads no files, and talks to this machine alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from neverlost.explorer.files.json_reading import JsonError, read_json
from neverlost.explorer.traces.trace import Trace
from neverlost.model.core import Model, NeverlostError, UnknownNameError

from ..trace.formats import FORMATS, render
from ..trace.lanes import lane_names
from .page import explore_html
from .stepping import compiled_way_to, parting, walk_values, walked, way_to
from .visited import Visited
from .where import state_where

MOST_BYTES = 1 << 18
"""A request with a larger body is refused: a walk of 500 steps is much smaller."""

MOST_NAME = 64
"""No more of the name of a search is looked at."""

SAFE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer. The page says itself what it may run."""


class RefusedRequest(Exception):
    """A request that is not answered: `code` is the HTTP status, the message says what to do."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


@dataclass
class Explorer:
    """What is explored: the model, the steps to begin with, and how another model is found by what a person writes.

    `example` is what a person might write.
    """

    model: Model
    token: str
    begin: tuple[str, ...] = ()
    compare: str = ""
    example: str = ""
    other_model: Callable[[str, Model], Model] | None = None
    visited: Visited = field(default_factory=Visited)
    searching: dict[str, int] = field(default_factory=dict)

    def walk(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The walk along `steps`, its rows from the number `first` on in at least these `lanes`, and what can be done next."""
        trace = self._trace(asked)
        self.visited.add(trace)
        return walk_values(trace, _whole(asked, "first", len(trace.steps)), self._lanes(asked))

    def find(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A shortest way to a state `where` something is so: from the end of the walk, or, `compiled`, from the start.

        While it goes on, `progress` tells of it under the name `search`.
        """
        trace = self._trace(asked)
        prop = state_where(self.model, _text(asked, "where"))
        if not isinstance(asked.get("compiled", False), bool):
            raise RefusedRequest(400, "compiled must be true or false")
        compiled = asked.get("compiled", False)
        name = _text({"search": "", **asked}, "search")[:MOST_NAME]

        def note(tried: int) -> None:
            self.searching[name] = tried

        note(0)
        try:
            found = compiled_way_to(self.model, prop, note) if compiled else way_to(trace, prop, note)
        finally:
            self.searching.pop(name, None)
        before = [] if compiled else [step.show(self.model.bounds) for step in trace.steps]
        steps = None if found.steps is None else [*before, *(step.show(self.model.bounds) for step in found.steps)]
        return {"steps": steps, "complete": found.complete, "tried": found.tried}

    def progress(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """How many states the search of this name has tried; null if none of this name goes on."""
        return {"tried": self.searching.get(_text(asked, "search")[:MOST_NAME])}

    def beside(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Where the same steps part in the model `other`, such as `kafka-4.0 acks=1`."""
        if self.other_model is None:
            raise RefusedRequest(400, "there is nothing to compare with")
        other = self.other_model(_text(asked, "other"), self.model)
        return {"other": other.profile.name, **parting(self._trace(asked), other)}

    def export(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The walk in a `format` of traces, or what was visited as `dot` or `graphml`."""
        trace, name = self._trace(asked), _text(asked, "format")
        graphs = {"dot": self.visited.dot, "graphml": self.visited.graphml}
        if name in graphs:
            return {"name": f"walk.{name}", "text": graphs[name]()}
        if name not in FORMATS:
            raise UnknownNameError("format", name, [*FORMATS, *graphs])
        return {"name": f"walk.{ENDINGS.get(name, name)}", "text": render(trace, name)}

    def _lanes(self, asked: Mapping[str, Any]) -> list[str] | None:
        known, lanes = lane_names(self.model), asked.get("lanes")
        if lanes is None:
            return None
        if not isinstance(lanes, list) or any(name not in known for name in lanes):
            raise RefusedRequest(400, f"lanes must be a list of some of: {', '.join(known)}")
        return lanes

    def _trace(self, asked: Mapping[str, Any]) -> Trace:
        steps = asked.get("steps")
        if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
            raise RefusedRequest(400, "steps must be a list of steps as they are printed")
        return walked(self.model, steps)


ENDINGS = {"text": "txt", "itf": "itf.json", "mermaid": "mmd", "pytest": "py"}


def _text(asked: Mapping[str, Any], key: str) -> str:
    value = asked.get(key)
    if not isinstance(value, str):
        raise RefusedRequest(400, f"{key} must be a text")
    return value


def _whole(asked: Mapping[str, Any], key: str, most: int) -> int:
    value = asked.get(key, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most + 1:
        raise RefusedRequest(400, f"{key} must be a whole number from 0 to {most + 1}")
    return value


ACTIONS: Mapping[str, Callable[[Explorer, Mapping[str, Any]], dict[str, Any]]] = {
    "walk": Explorer.walk,
    "find": Explorer.find,
    "progress": Explorer.progress,
    "beside": Explorer.beside,
    "export": Explorer.export,
}
"""What can be asked for: `POST /TOKEN/api/NAME`, with an object of JSON."""


def app(explorer: Explorer, hosts: tuple[str, ...]) -> Starlette:
    """The server as an application. `hosts` are the names under which it may be asked, each with its port."""

    async def page(request: Request) -> Response:
        _check(request, explorer, hosts)
        text = explore_html(explorer.model, explorer.begin, explorer.compare, explorer.example)
        return HTMLResponse(text, headers={**SAFE, "Content-Security-Policy": "frame-ancestors 'none'"})

    async def answer(request: Request) -> Response:
        _check(request, explorer, hosts)
        action = ACTIONS.get(request.path_params["name"])
        if action is None:
            raise RefusedRequest(404, f"there is nothing of that name; known: {', '.join(ACTIONS)}")
        asked = await _asked(request)
        return JSONResponse(await run_in_threadpool(action, explorer, asked), headers=SAFE)

    return Starlette(
        routes=[
            Route("/{token}/", _guarded(page), methods=["GET"]),
            Route("/{token}/api/{name}", _guarded(answer), methods=["POST"]),
        ],
        exception_handlers={HTTPException: _not_served},
    )


async def _not_served(request: Request, error: Exception) -> Response:
    """The answer to a path or a method that is not served: JSON, as every other."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, headers={**SAFE, **(error.headers or {})})


def _guarded(handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The handler, with what it refuses as JSON. A message never holds more than a person wrote or the model says."""

    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except RefusedRequest as error:
            return JSONResponse({"error": str(error)}, error.code, headers=SAFE)
        except NeverlostError as error:
            return JSONResponse({"error": str(error)}, 422, headers=SAFE)
        except ClientDisconnect:
            # Nobody reads this answer.
            return Response(status_code=400)

    return guarded


def _check(request: Request, explorer: Explorer, hosts: tuple[str, ...]) -> None:
    """Refuse who does not know the token, another site that a browser is on, and another name for this machine."""
    if not compare_digest(request.path_params["token"].encode(), explorer.token.encode()):
        raise RefusedRequest(403, "this address lacks the token; use the whole address that neverlost explore printed")
    if request.headers.get("host") not in hosts:
        raise RefusedRequest(403, "this host is not answered")
    origin = request.headers.get("origin")
    if origin is not None and origin not in {f"http://{host}" for host in hosts}:
        raise RefusedRequest(403, "this origin is not answered")
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise RefusedRequest(403, "requests from other sites are not answered")


async def _asked(request: Request) -> Mapping[str, Any]:
    """The object in the body of a request."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise RefusedRequest(415, "send application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise RefusedRequest(413, f"the request is larger than {MOST_BYTES:,} bytes")
    try:
        asked = read_json(body)
    except JsonError as error:
        raise RefusedRequest(400, f"the request {error}") from error
    if not isinstance(asked, dict):
        raise RefusedRequest(400, "the request must be an object")
    return asked
