"""Access control: only requests of this page, from this machine, with the token, are answered.

A page on 127.0.0.1 can be reached by every website that the browser shows. So the address holds an
unguessable token, the Host must be this machine (which prevents DNS rebinding), and an Origin, if
there is one, must be this page. Malformed requests that Tornado or Bokeh would answer with an
internal error are refused as well.
"""

import re
from collections.abc import Mapping
from secrets import compare_digest
from typing import Any, NamedTuple
from urllib.parse import unquote

from bokeh.util.token import get_session_id, get_token_payload
from tornado.httputil import HTTPServerRequest

SOCKET = "/ws"
CONTENT_LENGTH = re.compile(r"[0-9]{1,99}")
SUBPROTOCOL = "bokeh"


class Guard(NamedTuple):
    """The token and the port of a page."""

    token: str
    port: int

    @property
    def hosts(self) -> tuple[str, str]:
        """The allowed values of Host."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def prefix(self) -> str:
        """The first part of all paths of the page."""
        return f"/{self.token}"

    def refusal(self, path: str, headers: Mapping[str, str]) -> str | None:
        """The reason to refuse a request, or None."""
        if headers.get("Host", "") not in self.hosts:
            return "This page answers to 127.0.0.1 and localhost only."
        first = path.split("/")[1] if path.startswith("/") else ""
        if not compare_digest(first.encode(), self.token.encode()):
            return "The token is missing or wrong: use the address that `rosenblatt lab` printed."
        origin = headers.get("Origin")
        if origin is None and path.endswith(SOCKET):
            return "A socket must say which page it belongs to."
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return "Only the page itself may ask for this."
        return None


# the page may connect to nothing but this server
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self'"
    " 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'"
    " ws://{0} ws://{1}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


def headers_for(guard: Guard) -> dict[str, Any]:
    """The security headers of every response."""
    return {
        "Content-Security-Policy": POLICY.format(*guard.hosts),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def malformed(request: HTTPServerRequest) -> str | None:
    """The error of a malformed request, or None."""
    length = request.headers.get("Content-Length")
    if length is not None and CONTENT_LENGTH.fullmatch(length) is None:
        return "Content-Length must be a number of bytes."
    if "\0" in unquote(request.path):
        return "An address has no zero bytes."
    if request.path.endswith(SOCKET) and not _opens_a_session(request):
        return "A socket must name the session that the page has opened."
    return None


def _opens_a_session(request: HTTPServerRequest) -> bool:
    """Whether the request has the token of a Bokeh session."""
    protocol, _, token = request.headers.get("Sec-WebSocket-Protocol", "").partition(",")
    try:
        session, payload = get_session_id(token.strip()), get_token_payload(token.strip())
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    expiry = payload.get("session_expiry")
    return protocol == SUBPROTOCOL and isinstance(session, str) and isinstance(expiry, int)
