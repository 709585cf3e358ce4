"""Sends the changes of one event to the browser as one message, without delay.

Bokeh sends a message for each change, and a browser may draw between two of them: a step of a run
has dozens, and would be drawn in parts. TCP in turn delays a small message until the one before it
is acknowledged (Nagle's algorithm with delayed acknowledgement, about 40 ms).

Up to Bokeh 3.9 a session hands each change to its connections, and awaits what they return at the
end of an event. From 3.10 on it collects the changes itself and sends them one by one; the earlier
behaviour is restored here.
"""

from collections.abc import Awaitable
from typing import Any

from bokeh.document.events import DocumentPatchedEvent
from bokeh.models import ColumnDataSource
from bokeh.server.connection import ServerConnection


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
