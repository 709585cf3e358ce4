"""Sends the changes of one event to the browser as one message, without delay.

Bokeh sends a message for each change, and a browser may draw between two of them: a step of a run
has dozens, and would be drawn in parts. TCP in turn delays a small message until the one before it
is acknowledged (Nagle's algorithm with delayed acknowledgement, about 40 ms).

Up to Bokeh 3.9 a session hands each change to its connections, and awaits what they return at the
end of an event. From 3.10 on it collects the changes itself and sends them one by one; the earlier
behaviour is restored here.

The server of the lab: on 127.0.0.1 only, protected by a token, until Ctrl-C.
"""

import logging
import secrets
import signal
import webbrowser
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlencode

from bokeh.document import Document
from bokeh.document.events import DocumentPatchedEvent
from bokeh.models import ColumnDataSource
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
from rosenblatt.lab.dataset import MAX_UPLOAD_BYTES, TOO_LARGE, File, Uploads
from rosenblatt.lab.guard import Guard, headers_for, malformed
from rosenblatt.lab.page import Page
from rosenblatt.lab.plane import Files
from rosenblatt.lab.state import from_query


class BatchingConnection(ServerConnection):
    """A connection that sends the changes of one event as one message."""

    def __init__(self, protocol: Any, socket: Any, context: Any, session: Any) -> None:
        super().__init__(protocol, socket, context, session)
        self._wire, self._changes = socket, list[DocumentPatchedEvent]()
        socket.set_nodelay(True)
        if hasattr(session, "_send_pending_patches"):  # Bokeh 3.10
            session._send_pending_patches = _send_pending_patches  # noqa: SLF001

    def send_patch_document(self, event: DocumentPatchedEvent) -> Awaitable[None]:
        """Collect a change. A session calls this for each, and awaits the results at the end."""
        self._changes.append(event)
        return self._send()

    async def _send(self) -> None:
        """Send all collected changes; later calls find none left."""
        changes, self._changes = self._changes, []
        if changes:
            # data go last: a change of the layout draws at once, and a figure cannot be drawn
            # before the browser has processed its data
            changes.sort(key=_is_data)
            await self._wire.send_message(self.protocol.create("PATCH-DOC", changes))


async def _send_pending_patches(pending: list[Any]) -> None:
    """Hand the collected changes of a session to its connections, and await their results."""
    writes = [
        connection.send_patch_document(patch.event)
        for patch in pending
        for connection in patch.connections
    ]
    for write in writes:
        await write


def _is_data(change: DocumentPatchedEvent) -> bool:
    return isinstance(getattr(change, "model", None), ColumnDataSource)


ADDRESS = "127.0.0.1"
MAX_MESSAGE_BYTES = 4 * 2**20  # of a browser: points and settings, never files
IGNORED_LOGGERS = ("tornado.access", "tornado.general")  # single requests and sockets
ERROR_LOGGERS = ("tornado.application", "bokeh", "asyncio")


class Lab:
    """A server that is ready; `run` serves until it is stopped."""

    def __init__(self, address: str, server: BaseServer) -> None:
        self.address, self._server = address, server

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.address.split(":")[2].split("/")[0])

    def run(self, ready: Callable[[], Any] = lambda: None) -> None:
        """Serve until SIGINT or SIGTERM."""
        loop = self._server.io_loop
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: loop.add_callback_from_signal(loop.stop))
        loop.add_callback(ready)
        self._server.start()
        loop.start()
        self._server.stop()
        loop.add_callback(loop.stop)  # once more, for pending messages
        loop.start()


@contextmanager
def opened(
    file: File | None, query: Mapping[str, str] | None = None, port: int = 0
) -> Iterator[Lab]:
    """A lab with a file open, or none; its folder and sockets are closed at the end."""
    sockets, port = bind_sockets(ADDRESS, port)
    guard = Guard(secrets.token_urlsafe(24), port)
    with temporary_folder("rosenblatt-lab-") as folder:
        uploads = Uploads(folder)
        files, url = Files(file, uploads), f"{guard.prefix}/upload"
        app = _Tornado(guard, uploads, lambda doc: _page(doc, files, url))
        http = HTTPServer(app, max_body_size=2 * MAX_UPLOAD_BYTES)
        http.add_sockets(sockets)
        query_string = f"?{urlencode(query)}" if query else ""
        address = f"http://{ADDRESS}:{port}{guard.prefix}/{query_string}"
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
    """Serve a lab until Ctrl-C; `say` is called with its address, `complain` with errors."""
    with log_in_sentences(complain), opened(file, query, port) as lab:
        say(f"The lab is open at {lab.address}")
        say("Ctrl-C closes it.")
        lab.run(lambda: webbrowser.open(lab.address) if browser else None)
    say("The lab is closed.")


def _page(doc: Document, files: Files, upload_url: str) -> None:
    context = doc.session_context
    request = None if context is None else context.request
    arguments: Any = {} if request is None else request.arguments
    query = {name: values[-1].decode("utf-8", "replace") for name, values in arguments.items()}
    Page(doc, files, upload_url, from_query(query))


class _Tornado(BokehTornado):
    """Bokeh's application behind a guard: refused requests never reach a handler."""

    def __init__(self, guard: Guard, uploads: Uploads, make: Callable[[Document], None]) -> None:
        self._guard = guard
        super().__init__(
            {"/": make},
            prefix=guard.prefix,
            extra_websocket_origins=list(guard.hosts),
            extra_patterns=[("/upload", _Upload, {"uploads": uploads})],
            use_index=False,
            websocket_max_message_size_bytes=MAX_MESSAGE_BYTES,
            ico_path="none",
        )
        self.add_transform(self._secured)

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        """The handler of a request, or the one that refuses it."""
        status, message = 403, self._guard.refusal(request.path, request.headers)
        if message is None:
            status, message = 400, malformed(request)
        if message is not None:
            arguments = {"status": status, "message": message}
            return self.get_handler_delegate(request, _Refusal, arguments)
        return super().find_handler(request, **kwargs)

    def new_connection(self, *parts: Any) -> ServerConnection:
        """A connection that sends the changes of one event as one message."""
        connection = BatchingConnection(*parts)
        self._clients.add(connection)
        return connection

    def _secured(self, _request: HTTPServerRequest) -> OutputTransform:
        return _Headers(headers_for(self._guard))


class _Headers(OutputTransform):
    """Adds the same headers to every response."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def transform_first_chunk(
        self,
        status_code: int,
        headers: HTTPHeaders,
        chunk: bytes,
        finishing: bool,  # noqa: FBT001 (Tornado's signature)
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add the headers to the first chunk."""
        del finishing
        for name, value in self._headers.items():
            headers[name] = value
        return status_code, headers, chunk


class _Refusal(RequestHandler):
    """Answers with an error status and its reason."""

    def initialize(self, status: int, message: str) -> None:
        """Set the status and the reason."""
        self._status, self._message = status, message

    def prepare(self) -> None:
        """Answer before the body is read."""
        self.set_status(self._status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(self._message)


@stream_request_body
class _Upload(RequestHandler):
    """Receives a file in chunks, up to a limit, and answers with its key."""

    def initialize(self, uploads: Uploads) -> None:
        """Set the store of uploads."""
        self._uploads, self._size, self._key = uploads, 0, ""

    def prepare(self) -> None:
        """Refuse a file that is too large before it is sent, and open one for the rest."""
        if self.request.method != "POST":
            raise HTTPError(405)
        if int(self.request.headers.get("Content-Length", 0)) > MAX_UPLOAD_BYTES:
            self._refuse()
            return
        name = unquote(self.request.headers.get("X-Name", "upload.csv"))
        self._key, path = self._uploads.open(name)
        self._file = path.open("xb")

    def data_received(self, chunk: bytes) -> None:
        """Write a chunk, unless the file has become too large."""
        if not self._key:
            return
        self._size += len(chunk)
        if self._size > MAX_UPLOAD_BYTES:  # of a body without Content-Length
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
        """Delete a file that was not sent completely."""
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


class _SentenceHandler(logging.Handler):
    """Reports each error in a sentence, except violations of Bokeh's protocol by a client."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            self._say(record.getMessage().splitlines()[0])
        elif not isinstance(error, ProtocolError):
            self._say(f"Internal error, please report it: {type(error).__name__}: {error}")


@contextmanager
def log_in_sentences(say: Callable[[str], None]) -> Iterator[None]:
    """Let Tornado and Bokeh log errors in sentences, and not every refused request."""
    handlers: dict[str, logging.Handler] = {name: logging.NullHandler() for name in IGNORED_LOGGERS}
    handlers |= {name: _SentenceHandler(say) for name in ERROR_LOGGERS}
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
