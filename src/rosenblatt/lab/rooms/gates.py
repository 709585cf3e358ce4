"""The room of the gates: a truth table, and what computes it."""

from rosenblatt.lab.desk import Desk
from rosenblatt.lab.panels.gates import GatesPanel


class GatesRoom:
    """Shows the truth table that is set up."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._panel = GatesPanel(self._choose)
        self.view = self._panel.view
        self._panel.update(desk.setup.table)

    def enter(self) -> None:
        """Nothing waits for a visitor: the table is always there."""

    def pressed(self, key: str) -> None:
        """No key means anything here."""

    def _choose(self, table: str) -> None:
        self._desk.change(table=table)
        self._panel.update(table)
