"""Who may speak to the lab, and what it takes: nobody without the token, nothing too large."""

import http.client
import json
import logging
import socket
import struct
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from chromium import open_lab

from rosenblatt.errors import SourceError
from rosenblatt.lab.dataset import MAX_PENDING_UPLOADS, MAX_UPLOAD_BYTES, Uploads
from rosenblatt.lab.guard import Guard
from rosenblatt.lab.server import log_in_sentences

SOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


class Place:
    """A lab that is open, and requests to it."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.port, self.home = parts.port, parts.path
        self.origin = {"Origin": f"http://127.0.0.1:{parts.port}"}

    def ask(
        self, path: str, headers: dict[str, str] | None = None, *, body: bytes | None = None
    ) -> tuple[int, str, http.client.HTTPMessage]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request("GET" if body is None else "POST", path, body, headers or {})
        answer = line.getresponse()
        text = "" if answer.status == 101 else answer.read().decode("utf-8", "replace")
        line.close()
        return answer.status, text, answer.headers

    def send(self, text: bytes, *, ends: bool = False, abruptly: bool = False) -> bytes:
        """Send bytes, which end there or not; the first line of the answer, if there is one."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as line:
            line.sendall(text)
            if abruptly:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return b""
            if ends:
                line.shutdown(socket.SHUT_WR)
            try:
                return line.makefile("rb").readline().rstrip()
            except ConnectionResetError:  # it hung up with something unread
                return b""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    scratch = tmp_path_factory.mktemp("scratch")
    with open_lab(scratch=scratch) as address:
        yield Place(address)
    assert list(scratch.iterdir()) == []  # it leaves nothing behind


def test_the_page_loads_everything_from_itself(place: Place) -> None:
    status, text, headers = place.ask(place.home)
    assert status == 200
    assert "https://" not in text.replace("https://www.w3.org", "")
    assert place.home + "static/js/bokeh.min.js" in text
    assert place.ask(place.home + "static/js/bokeh.min.js")[0] == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/", "/wrong/", "/ws", "/static/js/bokeh.min.js", "/favicon.ico"])
def test_without_the_token_nothing_is_answered(place: Place, path: str) -> None:
    status, text, _ = place.ask(path)
    assert status == 403
    assert text.startswith("The token is missing or wrong")


def test_a_token_cut_short_is_wrong(place: Place) -> None:
    assert place.ask(place.home[:-2] + "/")[0] == 403
    assert place.ask(place.home[:-1] + "x/")[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{0}", "127.0.0.1", "127.0.0.1:1"])
def test_another_host_is_refused(place: Place, host: str) -> None:
    for path in (place.home, place.home + "ws", place.home + "static/js/bokeh.min.js"):
        status, text, _ = place.ask(path, {"Host": host.format(place.port), **SOCKET})
        assert (status, "127.0.0.1 and localhost" in text) == (403, True)


def test_localhost_is_another_name_of_the_page(place: Place) -> None:
    path = place.home + "static/js/bokeh.min.js"
    assert place.ask(path, {"Host": f"localhost:{place.port}"})[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:{0}", "http://127.0.0.1:1", "null"]
)
def test_another_origin_is_refused(place: Place, origin: str) -> None:
    headers = {"Origin": origin.format(place.port)}
    assert place.ask(place.home + "ws", {**SOCKET, **headers})[0] == 403
    assert place.ask(place.home + "upload", headers, body=b"x")[0] == 403


def test_a_socket_must_say_where_it_comes_from(place: Place) -> None:
    status, text, _ = place.ask(place.home + "ws", SOCKET)
    assert (status, text) == (403, "A socket must say which page it belongs to.")
    assert place.ask(place.home + "ws", {**SOCKET, **place.origin})[0] != 403


def test_a_file_that_is_too_large_is_refused_before_it_comes(place: Place) -> None:
    for headers in ({}, place.origin):
        line = http.client.HTTPConnection("127.0.0.1", place.port, timeout=30)
        line.putrequest("POST", place.home + "upload")
        line.putheader("Content-Length", str(MAX_UPLOAD_BYTES + 1))
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        answer = line.getresponse()
        assert answer.status == 413
        assert answer.read().decode().startswith("The file is larger than 50 MB")
        line.close()


def test_a_file_that_does_not_tell_its_size_is_cut_off(place: Place) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(MAX_UPLOAD_BYTES // 2**20 + 2):
            yield b"0" * 2**20

    line = http.client.HTTPConnection("127.0.0.1", place.port, timeout=30)
    try:
        line.request("POST", place.home + "upload", pieces(), encode_chunked=True)
        assert line.getresponse().status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # it hung up, which refuses as well
    finally:
        line.close()


def test_an_upload_is_answered_with_a_key(place: Place) -> None:
    status, key, _ = place.ask(place.home + "upload", place.origin, body=b"a,b\n1,2\n")
    assert status == 200
    assert len(key) > 15
    assert place.ask(place.home + "upload", place.origin)[0] == 405


def session(**fields: object) -> str:
    """The token of a session as Bokeh would write it, had it these fields."""
    return urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


REFUSED, HUNG_UP = b"HTTP/1.1 400 Bad Request", b""
UPLOAD, GET, SOCKETS = b"POST {upload} HTTP/1.1\r\n{own}", b"GET {home}", b"GET {home}ws"
MALFORMED = {
    "no number": (UPLOAD + b"Content-Length: abc\r\n\r\nabc", REFUSED),
    "a negative length": (UPLOAD + b"Content-Length: -3\r\n\r\nabc", REFUSED),
    "other digits": (UPLOAD + b"Content-Length: \xd9\xa3\r\n\r\nabc", REFUSED),
    "an empty length": (UPLOAD + b"Content-Length: \r\n\r\nabc", REFUSED),
    "two lengths": (UPLOAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", REFUSED),
    "a long length": (UPLOAD + b"Content-Length: " + b"9" * 9000 + b"\r\n\r\nabc", REFUSED),
    "a huge length": (
        UPLOAD + b"Content-Length: " + b"9" * 20 + b"\r\n\r\nabc",
        b"HTTP/1.1 413 Request Entity Too Large",
    ),
    "a length of no upload": (GET + b" HTTP/1.1\r\n{own}Content-Length: abc\r\n\r\n", REFUSED),
    "no length": (UPLOAD + b"\r\n", b"HTTP/1.1 200 OK"),
    "a body cut short": (UPLOAD + b"Content-Length: 9\r\n\r\nabc", HUNG_UP),
    "a chunk of no size": (UPLOAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", REFUSED),
    "nothing": (b"", HUNG_UP),
    "half a line": (b"GET /half", HUNG_UP),
    "no version": (b"GET /\r\n\r\n", REFUSED),
    "bytes": (bytes(range(256)) + b"\r\n\r\n", REFUSED),
    "TLS": (bytes.fromhex("16030100c8010000c40303") + bytes(range(180)), HUNG_UP),
    "another method": (b"BREW {home} HTTP/1.1\r\n{own}\r\n", b"HTTP/1.1 405 Method Not Allowed"),
    "a long header": (GET + b" HTTP/1.1\r\n{own}X: " + b"x" * 100_000 + b"\r\n\r\n", HUNG_UP),
    "a long line": (GET + b"x" * 100_000 + b" HTTP/1.1\r\n{own}\r\n", HUNG_UP),
    "a zero byte": (GET + b"static/js/%00 HTTP/1.1\r\n{own}\r\n", REFUSED),
    "a socket of no session": (SOCKETS + b" HTTP/1.1\r\n{own}{socket}\r\n", REFUSED),
}
SESSIONS = [
    "%",
    "abc",
    session(),
    session(session_id=1, session_expiry=1),
    session(session_id="x"),
    session(session_id="x", session_expiry="tomorrow"),
]


def headers(named: dict[str, str]) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in named.items()).encode()


def filled(place: Place, text: bytes) -> bytes:
    """A request to a place, with its path and the headers that it wants."""
    own = headers({"Host": f"127.0.0.1:{place.port}", **place.origin})
    text = text.replace(b"{upload}", b"{home}upload").replace(b"{home}", place.home.encode())
    return text.replace(b"{own}", own).replace(b"{socket}", headers(SOCKET))


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_malformed_is_refused_and_logged_nowhere(place: Place, case: str) -> None:
    """That nothing is logged is seen where the lab is closed, by what it has printed."""
    text, answer = MALFORMED[case]
    assert place.send(filled(place, text), ends=answer == HUNG_UP) == answer
    place.send(filled(place, text), abruptly=True)


@pytest.mark.parametrize("token", SESSIONS)
def test_a_socket_names_a_session(place: Place, token: str) -> None:
    text = SOCKETS + b" HTTP/1.1\r\n{own}{socket}Sec-WebSocket-Protocol: bokeh, "
    assert place.send(filled(place, text) + token.encode() + b"\r\n\r\n") == REFUSED


def test_a_session_that_has_expired_is_logged_nowhere(place: Place) -> None:
    own = {"Sec-WebSocket-Protocol": "bokeh, " + session(session_id="x", session_expiry=1)}
    assert place.ask(place.home + "ws", {**SOCKET, **place.origin, **own})[0] == 101


def test_errors_of_the_lab_are_told_in_a_sentence() -> None:
    told: list[str] = []
    with log_in_sentences(told.append):
        try:
            raise ValueError("too few")
        except ValueError:
            logging.getLogger("tornado.application").exception("Uncaught exception")
        logging.getLogger("bokeh.core").warning("one\ntwo")
        logging.getLogger("tornado.access").warning("404 GET /")
    assert told == ["Internal error, please report it: ValueError: too few", "one"]


def test_guard_compares_every_part() -> None:
    guard = Guard("token", 5006)
    good = {"Host": "127.0.0.1:5006"}
    assert guard.refusal("/token/", good) is None
    assert guard.refusal("/token", good) is None
    assert guard.refusal("token/", good) is not None
    assert guard.refusal("/tokens/", good) is not None
    assert guard.refusal("//token/", good) is not None
    assert guard.refusal("/token/", {}) is not None


def test_uploads_are_read_once_and_deleted(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    key, path = uploads.open("../../etc/points.csv")
    assert path.parent == tmp_path
    path.write_text("u,v,kind\n0,1,a\n1,0,b\n")
    file = uploads.take(key)
    assert (file.data.X.tolist(), file.data.y.tolist()) == ([[0, 1], [1, 0]], ["a", "b"])
    assert (file.name, file.target, file.columns) == ("points.csv", "kind", ("u", "v", "kind"))
    assert list(tmp_path.iterdir()) == []
    other = file.predicting("u")  # which needs the file no more
    assert (other.data.y.tolist(), other.target) == ([0, 1], "u")
    with pytest.raises(SourceError, match=r"^points\.csv has no column 'w'"):
        file.predicting("w")
    with pytest.raises(SourceError, match="choose the file again"):
        uploads.take(key)


def test_a_file_that_cannot_be_read_is_named_as_the_user_knows_it(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    key, path = uploads.open("bad.csv")
    path.write_text("x,y,kind\n0,1,a\n1,b\n")
    with pytest.raises(SourceError, match=r"bad\.csv") as caught:
        uploads.take(key)
    assert str(tmp_path) not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_uploads_that_nobody_reads_do_not_pile_up(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    for turn in range(MAX_PENDING_UPLOADS + 3):
        _, path = uploads.open(f"{turn}.csv")
        path.write_text("x")
    assert len(list(tmp_path.iterdir())) == MAX_PENDING_UPLOADS


@pytest.mark.parametrize(
    "name", ["", "a/b", "x.csv/../..", "a\\b.csv", "é.csv", "x.c\x00sv", "." * 300]
)
def test_names_of_uploads_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    _, path = Uploads(tmp_path).open(name)
    assert path.resolve().parent == tmp_path.resolve()
    path.write_text("x")
