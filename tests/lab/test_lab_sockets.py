"""What one act changes goes to the browser as one message, without delay, its data last."""

import asyncio
import json
from typing import Any

from bokeh.document import Document
from bokeh.models import ColumnDataSource, Div
from bokeh.protocol import Protocol

from rosenblatt.lab.sockets import Together


class Socket:
    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.nodelay = False

    def set_nodelay(self, value: bool) -> None:  # noqa: FBT001 (Tornado's signature)
        self.nodelay = value

    async def send_message(self, message: Any) -> None:
        self.sent.append(json.loads(message.content_json)["events"])


class Session:
    def subscribe(self, connection: Together) -> None:
        pass


def test_changes_of_one_act_are_one_message() -> None:
    doc, words = Document(), Div(text="before")
    points = ColumnDataSource({"x": [0.0], "y": [0.0]})
    doc.add_root(words)
    doc.add_root(points)
    socket = Socket()
    connection = Together(Protocol(), socket, None, Session())
    assert socket.nodelay
    writes: list[Any] = []
    doc.on_change(lambda event: writes.append(connection.send_patch_document(event)))

    async def written() -> None:
        for write in writes:
            await write
        writes.clear()

    points.data = {"x": [1.0, 2.0], "y": [3.0, 4.0]}
    words.text = "after"
    points.data.update(x=[5.0, 6.0])
    assert socket.sent == []
    asyncio.run(written())
    (changes,) = socket.sent
    assert [change["model"]["id"] for change in changes] == [words.id, points.id, points.id]
    assert changes[0]["new"] == "after"
    words.text = "later"
    asyncio.run(written())
    assert [change["new"] for change in socket.sent[1]] == ["later"]
