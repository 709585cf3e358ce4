"""One page in one tab: three rooms, the way between them, and the address."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bokeh.document import Document
from bokeh.models import Column, Div, RadioButtonGroup
from bokeh.themes import Theme
from jinja2 import Template

from rosenblatt.lab import theme
from rosenblatt.lab.desk import Desk
from rosenblatt.lab.panels.hearing import hear
from rosenblatt.lab.panels.wires import Wires
from rosenblatt.lab.rooms.gates import GatesRoom
from rosenblatt.lab.rooms.mark_i import MarkIRoom
from rosenblatt.lab.rooms.plane import Files, PlaneRoom
from rosenblatt.lab.state import ROOMS, Opened
from rosenblatt.lab.words import hints

TEMPLATE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
ROOM_WORDS = ["Plane", "Gates", "Mark I"]


class Page:
    """Fills a document with the rooms, and opens the one that is set up."""

    def __init__(self, doc: Document, files: Files, upload_place: str, opened: Opened) -> None:
        self._wires = Wires(upload_place, self._pressed, self._uploaded)
        self._desk = Desk(doc, opened.setup, self._wires.keep)
        desk, upload = self._desk, self._wires.upload
        self._plans: dict[str, Callable[[], Any]] = {
            "plane": lambda: PlaneRoom(desk, files, upload, opened.complaints),
            "gates": lambda: GatesRoom(desk),
            "mark-i": lambda: MarkIRoom(desk),
        }
        self._rooms: dict[str, Any] = {}  # a room is built when somebody enters it
        doors = RadioButtonGroup(
            name="rooms",
            labels=ROOM_WORDS,
            active=ROOMS.index(opened.setup.room),
            css_classes=["lab-rooms"],
        )
        hear(doors, "active", lambda new: self._enter(ROOMS[new]))
        self._hall = Column(name="hall", children=[], sizing_mode="stretch_both")
        self._keys = Div(name="keys_here", stylesheets=[theme.WORDS, theme.KEYS])
        self._enter(opened.setup.room)
        doc.title = "rosenblatt lab"
        doc.template = TEMPLATE
        doc.theme = Theme(json=theme.LOOK)
        self._wires.tell_the_end(doc)
        for root in (doors, self._keys, self._hall, self._wires.view):
            doc.add_root(root)

    def _enter(self, name: str) -> None:
        self._desk.change(room=name)
        if name not in self._rooms:
            self._rooms[name] = self._plans[name]()
            self._hall.children = [*self._hall.children, self._rooms[name].view]
        for each, room in self._rooms.items():
            room.view.visible = each == name
        self._keys.text = hints(self._rooms[name].KEYS)
        self._rooms[name].enter()

    def _pressed(self, key: str) -> None:
        self._rooms[self._desk.setup.room].pressed(key)

    def _uploaded(self, key: str, trouble: str) -> None:
        self._rooms["plane"].uploaded(key, trouble)
