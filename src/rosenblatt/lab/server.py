"""The server of the lab: on 127.0.0.1 only, behind a token, gone with Ctrl-C."""

import logging
import secrets
import signal
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlencode

from bokeh.document import Document
from bokeh.protocol.exceptions import ProtocolError
from bokeh.server.connection import ServerConnection
from bokeh.server.server import BaseServer
from bokeh.server.tornado import BokehTornado
from bokeh.server.util import bind_sockets
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.web import HTTPError, OutputTransform, RequestHandler, stream_request_body

from rosenblatt.atomic_write import temporary_folder
from rosenblatt.lab.controllers.plane import Files
from rosenblatt.lab.files import LIMIT, TOO_LARGE, File, Uploads
from rosenblatt.lab.guard import Guard, headers_for, malformed
from rosenblatt.lab.page import Page
from rosenblatt.lab.sockets import Together
from rosenblatt.lab.state import from_query

ADDRESS = "127.0.0.1"
LONGEST_MESSAGE = 4 * 2**20  # of a browser: points and settings, never files
REQUESTS = ("tornado.access", "tornado.general")  # what was asked, and how sockets ended
ERRORS = ("tornado.application", "bokeh", "asyncio")


class Lab:
    """A server that is ready; `run` serves until it is told to stop."""

    def __init__(self, address: str, server: BaseServer) -> None:
        self.address, self._server = address, server

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.address.split(":")[2].split("/")[0])

    def run(self, ready: Callable[[], Any] = lambda: None) -> None:
        """Serve until Ctrl-C, or until the process is asked to end."""
        loop = self._server.io_loop
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: loop.add_callback_from_signal(loop.stop))
        loop.add_callback(ready)
        self._server.start()
        loop.start()
        self._server.stop()
        loop.add_callback(loop.stop)  # once more, for what was about to be sent
        loop.start()


@contextmanager
def opened(
    file: File | None, query: Mapping[str, str] | None = None, port: int = 0
) -> Iterator[Lab]:
    """A lab with a file open, or none; its folder and its sockets end with it."""
    sockets, port = bind_sockets(ADDRESS, port)
    guard = Guard(secrets.token_urlsafe(24), port)
    with temporary_folder("rosenblatt-lab-") as folder:
        uploads = Uploads(folder)
        files, place = Files(file, uploads), f"{guard.prefix}/upload"
        app = _Tornado(guard, uploads, lambda doc: _page(doc, files, place))
        http = HTTPServer(app, max_body_size=2 * LIMIT)
        http.add_sockets(sockets)
        asked = f"?{urlencode(query)}" if query else ""
        address = f"http://{ADDRESS}:{port}{guard.prefix}/{asked}"
        try:
            yield Lab(address, BaseServer(IOLoop.current(), app, http))
        finally:
            http.stop()
            for socket in sockets:
                socket.close()


def serve(
    file: File | None,
    query: Mapping[str, str],
    *,
    browser: bool,
    port: int,
    say: Callable[[str], None],
    complain: Callable[[str], None],
) -> None:
    """Open a lab, say where it is, and serve it until Ctrl-C; errors of its own are complaints."""
    with logged_in_sentences(complain), opened(file, query, port) as lab:
        say(f"The lab is open at {lab.address}")
        say("Ctrl-C closes it.")
        lab.run(lambda: webbrowser.open(lab.address) if browser else None)
    say("The lab is closed.")


def _page(doc: Document, files: Files, upload_place: str) -> None:
    context = doc.session_context
    request = None if context is None else context.request
    arguments: Any = {} if request is None else request.arguments
    query = {name: values[-1].decode("utf-8", "replace") for name, values in arguments.items()}
    Page(doc, files, upload_place, from_query(query))


class _Tornado(BokehTornado):
    """Bokeh's application behind a guard: what is refused never reaches a handler."""

    def __init__(self, guard: Guard, uploads: Uploads, make: Callable[[Document], None]) -> None:
        self._guard = guard
        super().__init__(
            {"/": make},
            prefix=guard.prefix,
            extra_websocket_origins=list(guard.hosts),
            extra_patterns=[("/upload", _Upload, {"uploads": uploads})],
            use_index=False,
            websocket_max_message_size_bytes=LONGEST_MESSAGE,
            ico_path="none",
        )
        self.add_transform(self._secured)

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        """The handler of a request, or the one that refuses it."""
        refused, trouble = 403, self._guard.refusal(request.path, request.headers)
        if trouble is None:
            refused, trouble = 400, malformed(request)
        if trouble is not None:
            how = {"status": refused, "trouble": trouble}
            return self.get_handler_delegate(request, _Refusal, how)
        return super().find_handler(request, **kwargs)

    def new_connection(self, *parts: Any) -> ServerConnection:
        """A line to a browser on which nothing small waits for company."""
        connection = Together(*parts)
        self._clients.add(connection)
        return connection

    def _secured(self, _request: HTTPServerRequest) -> OutputTransform:
        return _Headers(headers_for(self._guard))


class _Headers(OutputTransform):
    """Adds the same headers to every answer."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def transform_first_chunk(
        self,
        status_code: int,
        headers: HTTPHeaders,
        chunk: bytes,
        finishing: bool,  # noqa: FBT001 (Tornado's signature)
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add them before the first bytes go out."""
        del finishing
        for name, value in self._headers.items():
            headers[name] = value
        return status_code, headers, chunk


class _Refusal(RequestHandler):
    """Says no, and why."""

    def initialize(self, status: int, trouble: str) -> None:
        """Take the reason."""
        self._refused, self._trouble = status, trouble

    def prepare(self) -> None:
        """Answer before anything is read."""
        self.set_status(self._refused)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(self._trouble)


@stream_request_body
class _Upload(RequestHandler):
    """Takes a file in pieces, up to a limit; answers with a key to it."""

    def initialize(self, uploads: Uploads) -> None:
        """Take the place where files lie."""
        self._uploads, self._size, self._key = uploads, 0, ""

    def prepare(self) -> None:
        """Refuse what is too large before it comes, and open a place for the rest."""
        if self.request.method != "POST":
            raise HTTPError(405)
        if int(self.request.headers.get("Content-Length", 0)) > LIMIT:
            self._refuse()
            return
        name = unquote(self.request.headers.get("X-Name", "upload.csv"))
        self._key, place = self._uploads.open(name)
        self._file = place.open("xb")

    def data_received(self, chunk: bytes) -> None:
        """Write a piece down, unless the file has grown too large."""
        if not self._key:
            return
        self._size += len(chunk)
        if self._size > LIMIT:  # of a body that did not tell its size
            self._drop()
            self._refuse()
            return
        self._file.write(chunk)

    def post(self) -> None:
        """Answer with the key."""
        if self._key:
            self._file.close()
            self.write(self._key)

    def on_connection_close(self) -> None:
        """Forget a file that was not sent to its end."""
        self._drop()

    def _drop(self) -> None:
        if self._key:
            self._file.close()
            self._uploads.drop(self._key)
            self._key = ""

    def _refuse(self) -> None:
        self.set_status(413)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(TOO_LARGE)


class _Sentences(logging.Handler):
    """Says each error in a sentence; what a socket sends against Bokeh's protocol is none."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            self._say(record.getMessage().splitlines()[0])
        elif not isinstance(error, ProtocolError):
            self._say(f"Internal error, please report it: {type(error).__name__}: {error}")


@contextmanager
def logged_in_sentences(say: Callable[[str], None]) -> Iterator[None]:
    """Let libraries log in sentences, and nothing of single requests."""
    handlers: dict[str, logging.Handler] = {name: logging.NullHandler() for name in REQUESTS}
    handlers |= {name: _Sentences(say) for name in ERRORS}
    before = {name: logging.getLogger(name).propagate for name in handlers}
    for name, handler in handlers.items():
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).propagate = False
    try:
        yield
    finally:
        for name, handler in handlers.items():
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).propagate = before[name]
