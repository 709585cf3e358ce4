"""Requests that no handler can take, told before one of them fails.

Tornado refuses most of what is not HTTP by itself. What it lets through, and what it or Bokeh would
answer with an internal error, is refused here.
"""

import re
from urllib.parse import unquote

from bokeh.util.token import get_session_id, get_token_payload
from tornado.httputil import HTTPServerRequest

from rosenblatt.lab.guard import SOCKET

LENGTH = re.compile(r"[0-9]{1,99}")
PROTOCOL = "bokeh"


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
