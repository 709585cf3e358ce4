"""How changes go to the browser: those of one act together, and at once.

Bokeh sends a message for each change, and a browser may draw between two of them: a step of a run
has dozens, and would be drawn in part before it is drawn whole. TCP in turn holds a small message
back until the one before it is acknowledged, with which the other side takes its time (Nagle's
algorithm meets delayed acknowledgement, about 40 ms).

Up to Bokeh 3.9 a session hands each change to its connections, and awaits what they return at the
end of an act. From 3.10 on it keeps the changes itself and then sends them one by one: it is made
to do as before.
"""

from collections.abc import Awaitable
from typing import Any

from bokeh.document.events import DocumentPatchedEvent
from bokeh.models import ColumnDataSource
from bokeh.server.connection import ServerConnection


class Together(ServerConnection):
    """A connection that sends what one act has changed as one message."""

    def __init__(self, protocol: Any, socket: Any, context: Any, session: Any) -> None:
        super().__init__(protocol, socket, context, session)
        self._wire, self._changes = socket, list[DocumentPatchedEvent]()
        socket.set_nodelay(True)
        if hasattr(session, "_send_pending_patches"):  # Bokeh 3.10
            session._send_pending_patches = _send_pending_patches  # noqa: SLF001

    def send_patch_document(self, event: DocumentPatchedEvent) -> Awaitable[None]:
        """Note a change. A session does so at each, and awaits what is returned after the last."""
        self._changes.append(event)
        return self._send()

    async def _send(self) -> None:
        """Send all changes there are: those awaited later find none left."""
        changes, self._changes = self._changes, []
        if changes:
            # data go last: a change of the layout draws at once, and a figure cannot be drawn
            # before the browser is done with its data
            changes.sort(key=_of_data)
            await self._wire.send_message(self.protocol.create("PATCH-DOC", changes))


async def _send_pending_patches(pending: list[Any]) -> None:
    """Hand the changes that a session has kept to its connections, and await what they return."""
    writes = [
        connection.send_patch_document(patch.event)
        for patch in pending
        for connection in patch.connections
    ]
    for write in writes:
        await write


def _of_data(change: DocumentPatchedEvent) -> bool:
    return isinstance(getattr(change, "model", None), ColumnDataSource)
