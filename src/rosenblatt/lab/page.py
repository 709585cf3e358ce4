"""One page in one tab: three rooms, the way between them, and the address."""

from pathlib import Path
from typing import Any

from bokeh.document import Document
from bokeh.models import Column, RadioButtonGroup
from bokeh.themes import Theme
from jinja2 import Template

from rosenblatt.lab import theme
from rosenblatt.lab.desk import Desk
from rosenblatt.lab.panels.hearing import hear
from rosenblatt.lab.panels.wires import Wires
from rosenblatt.lab.rooms.gates import GatesRoom
from rosenblatt.lab.rooms.letters import LettersRoom
from rosenblatt.lab.rooms.plane import Files, PlaneRoom
from rosenblatt.lab.state import ROOMS, Opened

TEMPLATE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
ROOM_WORDS = ["Plane", "Gates", "Mark I"]


class Page:
    """Fills a document with the rooms, and opens the one that is set up."""

    def __init__(self, doc: Document, files: Files, upload_place: str, opened: Opened) -> None:
        self._wires = Wires(upload_place, self._pressed, self._uploaded)
        self._desk = Desk(doc, opened.setup, self._wires.keep)
        self._plane = PlaneRoom(self._desk, files, self._wires.upload, opened.complaints)
        rooms: tuple[Any, ...] = (self._plane, GatesRoom(self._desk), LettersRoom(self._desk))
        self._rooms = dict(zip(ROOMS, rooms, strict=True))
        doors = RadioButtonGroup(
            name="rooms",
            labels=ROOM_WORDS,
            active=ROOMS.index(opened.setup.room),
            css_classes=["lab-rooms"],
        )
        hear(doors, "active", lambda new: self._enter(ROOMS[new]))
        hall = Column(
            name="hall", children=[room.view for room in rooms], sizing_mode="stretch_both"
        )
        doc.title = "rosenblatt lab"
        doc.template = TEMPLATE
        doc.theme = Theme(json=theme.LOOK)
        for root in (doors, hall, self._wires.view):
            doc.add_root(root)
        self._enter(opened.setup.room)

    def _enter(self, name: str) -> None:
        self._desk.change(room=name)
        for each, room in self._rooms.items():
            room.view.visible = each == name
        self._rooms[name].enter()

    def _pressed(self, key: str) -> None:
        self._rooms[self._desk.setup.room].pressed(key)

    def _uploaded(self, key: str, trouble: str) -> None:
        self._plane.uploaded(key, trouble)
