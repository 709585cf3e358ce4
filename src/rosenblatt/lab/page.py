"""One page in one browser tab: its three controllers and the switch between them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bokeh.document import Document
from bokeh.models import Column, Div, RadioButtonGroup
from bokeh.themes import Theme
from jinja2 import Template

from rosenblatt.lab import theme
from rosenblatt.lab.plane import Files, PlaneController
from rosenblatt.lab.session import Session
from rosenblatt.lab.state import TABS, Opened
from rosenblatt.lab.theme import hints
from rosenblatt.lab.views.bindings import on_change
from rosenblatt.lab.views.bridge import Bridge
from rosenblatt.lab.views.gates import GatesController
from rosenblatt.lab.views.mark_i import MarkIController

TEMPLATE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
ROOM_LABELS = ["Plane", "Gates", "Mark I"]


class Page:
    """Fills a document with the controls, and opens the controller of the set-up."""

    def __init__(self, doc: Document, files: Files, upload_url: str, opened: Opened) -> None:
        self._bridge = Bridge(upload_url, self._pressed, self._uploaded)
        self._session = Session(doc, opened.setup, self._bridge.keep)
        session, upload = self._session, self._bridge.upload
        self._factories: dict[str, Callable[[], Any]] = {
            "plane": lambda: PlaneController(session, files, upload, opened.errors),
            "gates": lambda: GatesController(session),
            "mark-i": lambda: MarkIController(session),
        }
        self._controllers: dict[str, Any] = {}  # built when first opened
        switch = RadioButtonGroup(
            name="tabs",
            labels=ROOM_LABELS,
            active=TABS.index(opened.setup.tab),
            css_classes=["lab-tabs"],
        )
        on_change(switch, "active", lambda new: self._enter(TABS[new]))
        self._column = Column(name="content", children=[], sizing_mode="stretch_both")
        self._keys = Div(name="keys_here", stylesheets=[theme.WORDS, theme.KEYS])
        self._enter(opened.setup.tab)
        doc.title = "rosenblatt lab"
        doc.template = TEMPLATE
        doc.theme = Theme(json=theme.LOOK)
        self._bridge.show_lost_connection(doc)
        for root in (switch, self._keys, self._column, self._bridge.view):
            doc.add_root(root)

    def _enter(self, name: str) -> None:
        self._session.change(tab=name)
        if name not in self._controllers:
            self._controllers[name] = self._factories[name]()
            self._column.children = [*self._column.children, self._controllers[name].view]
        for each, controller in self._controllers.items():
            controller.view.visible = each == name
        self._keys.text = hints(self._controllers[name].KEYS)
        self._controllers[name].enter()

    def _pressed(self, key: str) -> None:
        self._controllers[self._session.setup.tab].pressed(key)

    def _uploaded(self, key: str, error: str) -> None:
        self._controllers["plane"].uploaded(key, error)
