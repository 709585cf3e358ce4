"""Controller of the Mark I: a drawn image, its scores, and the rule."""

from functools import partial
from typing import ClassVar

import numpy as np

from rosenblatt.lab.mark_i import CELLS, Machine, as_hex, from_hex, machine, sample_glyph, votes
from rosenblatt.lab.session import Session
from rosenblatt.lab.views.mark_i import MarkIView
from rosenblatt.types import Floats

GLYPH_STRIDE = 7  # from one sample to the next


class MarkIController:
    """Trains a classifier when the tab is opened."""

    KEYS: ClassVar = {"space": "show one", "delete": "clear"}

    def __init__(self, session: Session) -> None:
        self._session, self._trainer = session, session.worker()
        self._panel = MarkIView(self)
        self._units: Machine | None = None
        self._shown = 0
        self.view = self._panel.view

    def enter(self) -> None:
        """Show the image of the set-up, and train the classifier if necessary."""
        self._panel.show_cells(from_hex(self._session.setup.cells))
        if self._units is None:
            self._train()

    def pressed(self, key: str) -> None:
        """Act on a key."""
        if key == " ":
            self.show_some()
        elif key in {"Delete", "Backspace"}:
            self.draw(np.zeros(CELLS))

    def choose_rule(self, rule: str) -> None:
        """Train by another rule."""
        self._session.change(machine=rule)
        self._train()

    def choose_alphabet(self, alphabet: str) -> None:
        """Train on letters, or on digits."""
        self._session.change(alphabet=alphabet)
        self._train()

    def _train(self) -> None:
        self._units = None
        setup = self._session.setup
        self._panel.wait(setup.machine, setup.alphabet)
        work = partial(machine, setup.machine, setup.alphabet)
        self._session.run_in_background(self._trainer, work, self._trained, self._panel.say)

    def _trained(self, units: Machine) -> None:
        self._units = units
        self._panel.show_machine(units)
        self._vote()

    def draw(self, cells: Floats) -> None:
        """Classify another image."""
        self._session.change(cells=as_hex(cells))
        self._panel.show_cells(cells)
        self._vote()

    def _vote(self) -> None:
        if self._units is not None:
            cells = from_hex(self._session.setup.cells)
            self._panel.show_votes(self._units, votes(self._units, cells))

    def show_some(self) -> None:
        """Show a letter or digit from outside the training set."""
        self.draw(
            sample_glyph(self._session.setup.alphabet, GLYPH_STRIDE * self._shown, self._shown)
        )
        self._shown += 1
