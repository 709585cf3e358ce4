"""Controller of the gates: a truth table, and the unit or network that computes it."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from rosenblatt.lab.gates import constant_false, neighbouring_preset
from rosenblatt.lab.session import Session
from rosenblatt.lab.state import MAX_INPUTS
from rosenblatt.lab.views.gates import GatesView


class GatesController:
    """Shows the truth table of the set-up."""

    KEYS: ClassVar = {"↑ ↓": "function", "1 2 3 4": "inputs"}

    def __init__(self, session: Session) -> None:
        self._session = session
        self._panel = GatesView(self._choose)
        self.view = self._panel.view
        self._panel.update(session.setup.table)

    def enter(self) -> None:
        """Nothing to do: the table is always shown."""

    def pressed(self, key: str) -> None:
        """Act on a key."""
        actions: dict[str, Callable[[], str]] = {
            "ArrowUp": partial(neighbouring_preset, self._session.setup.table, -1),
            "ArrowDown": partial(neighbouring_preset, self._session.setup.table, 1),
            **{str(n): partial(constant_false, n) for n in range(1, MAX_INPUTS + 1)},
        }
        if key in actions:
            self._choose(actions[key]())

    def _choose(self, table: str) -> None:
        self._session.change(table=table)
        self._panel.update(table)
