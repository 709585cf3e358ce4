"""Who may speak to the page: whoever knows the token, from this machine, on this page.

A page on 127.0.0.1 can be reached by every website that the browser shows. So the address holds a
token that cannot be guessed, the Host must be this machine (or a name that was rebound to it would
do), and whoever says where a request comes from must come from here.
"""

import re
from collections.abc import Mapping
from secrets import compare_digest
from typing import Any, NamedTuple
from urllib.parse import unquote

from bokeh.util.token import get_session_id, get_token_payload
from tornado.httputil import HTTPServerRequest

SOCKET = "/ws"
LENGTH = re.compile(r"[0-9]{1,99}")
PROTOCOL = "bokeh"


class Guard(NamedTuple):
    """The token and the port of a page."""

    token: str
    port: int

    @property
    def hosts(self) -> tuple[str, str]:
        """The names by which this page may be called."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def prefix(self) -> str:
        """What every address of the page begins with."""
        return f"/{self.token}"

    def refusal(self, path: str, headers: Mapping[str, str]) -> str | None:
        """Why a request is refused, or None."""
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


# what a browser may do with the page: nothing but talk to it
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self'"
    " 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'"
    " ws://{0} ws://{1}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


def headers_for(guard: Guard) -> dict[str, Any]:
    """Headers of every answer."""
    return {
        "Content-Security-Policy": POLICY.format(*guard.hosts),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def malformed(request: HTTPServerRequest) -> str | None:
    """What is wrong with the form of a request, or None."""
    length = request.headers.get("Content-Length")
    if length is not None and LENGTH.fullmatch(length) is None:
        return "Content-Length must be a number of bytes."
    if "\0" in unquote(request.path):
        return "An address has no zero bytes."
    if request.path.endswith(SOCKET) and not _opens_a_session(request):
        return "A socket must name the session that the page has opened."
    return None


def _opens_a_session(request: HTTPServerRequest) -> bool:
    """Whether the token of a session stands where Bokeh looks for it."""
    protocol, _, token = request.headers.get("Sec-WebSocket-Protocol", "").partition(",")
    try:
        session, payload = get_session_id(token.strip()), get_token_payload(token.strip())
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    expiry = payload.get("session_expiry")
    return protocol == PROTOCOL and isinstance(session, str) and isinstance(expiry, int)
