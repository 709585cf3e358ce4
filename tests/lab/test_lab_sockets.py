"""What one act changes goes to the browser as one message, without delay, its data last."""

import asyncio
import json
from typing import Any

from bokeh.core.types import ID
from bokeh.document import Document
from bokeh.models import ColumnDataSource, Div
from bokeh.protocol import Protocol
from bokeh.server.session import ServerSession

from rosenblatt.lab.server import BatchingConnection


class Socket:
    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.nodelay = False

    def set_nodelay(self, value: bool) -> None:  # noqa: FBT001 (Tornado's signature)
        self.nodelay = value

    async def send_message(self, message: Any) -> None:
        self.sent.append(json.loads(message.content_json)["events"])


def test_changes_of_one_act_are_one_message() -> None:
    doc, words = Document(), Div(text="before")
    points = ColumnDataSource({"x": [0.0], "y": [0.0]})
    doc.add_root(words)
    doc.add_root(points)
    session = ServerSession(ID("1"), doc)
    socket = Socket()
    BatchingConnection(Protocol(), socket, None, session)
    assert socket.nodelay

    def act() -> None:
        points.data = {"x": [1.0, 2.0], "y": [3.0, 4.0]}
        words.text = "after"
        points.data.update(x=[5.0, 6.0])
        assert socket.sent == []

    async def acts() -> None:
        await session.with_document_locked(act)
        await session.with_document_locked(lambda: words.update(text="later"))

    asyncio.run(acts())
    changes, later = socket.sent
    assert [change["model"]["id"] for change in changes] == [words.id, points.id, points.id]
    assert changes[0]["new"] == "after"
    assert [change["new"] for change in later] == ["later"]
