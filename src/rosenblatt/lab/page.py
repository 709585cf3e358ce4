"""One page in one tab: hears what is chosen, works it out beside the page, and shows it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.document import Document
from bokeh.models import Column, RadioButtonGroup, Row, TabPanel, Tabs
from bokeh.themes import Theme
from jinja2 import Template

from rosenblatt.arrays import Floats
from rosenblatt.data.builtin import Dataset
from rosenblatt.errors import RosenblattError
from rosenblatt.evidence.proof.verdict import Proof
from rosenblatt.geometry.plane import Box
from rosenblatt.lab import theme
from rosenblatt.lab.curves import charts
from rosenblatt.lab.letters import Machine, as_hex, from_hex, machine, some_letter, votes
from rosenblatt.lab.panels.controls import ControlsPanel
from rosenblatt.lab.panels.curves import CurvesPanel
from rosenblatt.lab.panels.gates import GatesPanel
from rosenblatt.lab.panels.hearing import hear
from rosenblatt.lab.panels.letters import LettersPanel
from rosenblatt.lab.panels.plane import PlanePanel
from rosenblatt.lab.panels.proof import ProofPanel
from rosenblatt.lab.panels.transport import TransportPanel
from rosenblatt.lab.panels.weights import WeightsPanel
from rosenblatt.lab.panels.wires import Wires
from rosenblatt.lab.pictures import EMPTY, box_around, chosen, picture
from rosenblatt.lab.runs import Run, run_of
from rosenblatt.lab.state import DRAWN, FILE, MOST_POINTS, ROOMS, VIEWS, Opened, Point, start_of
from rosenblatt.lab.subject import Subject, subject_of
from rosenblatt.lab.uploads import Uploads
from rosenblatt.lab.verdicts import Witness, verdict_on, witnesses
from rosenblatt.lab.weightspace import refusal, weight_names, weight_picture
from rosenblatt.lab.worker import Answer, Worker

if TYPE_CHECKING:
    from rosenblatt.geometry.sampling import Sample

TICK = 120  # milliseconds between the steps of a run that plays
FEW = 4  # points
EMPTY_CORNERS = ((0.0, 0.0), (1.0, 1.0))
PLAYED = 150  # steps a run is played in, if it has more
TEMPLATE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
ROOM_WORDS = ["Plane", "Gates", "Mark I"]
VIEW_WORDS = {"proof": "Proof", "weights": "Weight space", "curves": "Curves"}


@dataclass(frozen=True)
class Surroundings:
    """What all pages of a lab share: a file opened at the start, and where uploads lie."""

    file: Dataset | None
    uploads: Uploads
    upload_place: str


class Page:
    """The plane with its controls, and what happened beside it."""

    def __init__(self, doc: Document, around: Surroundings, opened: Opened) -> None:
        self._doc, self._around = doc, around
        self._setup, self._complaints = opened
        self._file = around.file
        self._subject: Subject | None = None
        self._run: Run | None = None
        self._proof: Proof | None = None
        self._witnesses: tuple[Witness, ...] = ()
        self._rows: Sample | None = None
        self._playing: Any = None
        self._trainer, self._prover = Worker(), Worker()
        self._plane = PlanePanel(self._points_edited, self._show)
        self._transport = TransportPanel(self._go, self._play_or_pause)
        self._proofs, self._curves = ProofPanel(), CurvesPanel()
        self._weights = WeightsPanel(self._show_view)
        self._wires = Wires(around.upload_place, self._pressed, self._uploaded)
        self._controls = ControlsPanel(self, self._wires.upload)
        self._plane.drawn_in(self._controls.marks)
        self._gates = GatesPanel(self._choose_table)
        self._letters = LettersPanel(self._draw_cells, self._choose_machine, self._ask_letter)
        self._asked_letters = count()
        self._views = self._make_views()
        self._compose()
        doc.on_session_destroyed(self._close)
        self._load_data()
        self._enter(self._setup.room)

    def _make_views(self) -> Tabs:
        shown = (self._proofs.view, self._weights.view, self._curves.view)
        tabs = [
            TabPanel(child=view, title=VIEW_WORDS[name])
            for name, view in zip(VIEWS, shown, strict=True)
        ]
        views = Tabs(tabs=tabs, sizing_mode="stretch_both", active=VIEWS.index(self._setup.view))
        hear(views, "active", lambda new: self._choose_view(VIEWS[new]))
        return views

    def _compose(self) -> None:
        middle = Column(
            children=[self._plane.figure, self._transport.bar, self._transport.readout],
            sizing_mode="stretch_both",
            margin=(0, 12, 0, 12),
        )
        right = Column(children=[self._views], width=420, sizing_mode="stretch_height")
        plane = Row(children=[self._controls.view, middle, right], sizing_mode="stretch_both")
        self._rooms = (plane, self._gates.view, self._letters.view)
        hall = Column(name="hall", children=list(self._rooms), sizing_mode="stretch_both")
        active = ROOMS.index(self._setup.room)
        rooms = RadioButtonGroup(
            name="rooms", labels=ROOM_WORDS, active=active, css_classes=["lab-rooms"]
        )
        hear(rooms, "active", lambda new: self._enter(ROOMS[new]))
        self._doc.title = "rosenblatt lab"
        self._doc.template = TEMPLATE
        self._doc.theme = Theme(json=theme.LOOK)
        for root in (rooms, hall, self._wires.view):
            self._doc.add_root(root)

    # what is heard

    def choose_data(self, name: str) -> None:
        """Take other data; drawing goes on from the points there are."""
        points = self._plane.points() if name == DRAWN and self._editable else ()
        self._setup = replace(self._setup, data=name, points=tuple(points), step=None)
        self._load_data()

    def choose_class(self, mark: int) -> None:
        """Draw points of another class, or give it to those selected."""
        selected = set(self._plane.selected) if self._editable else set()
        if selected:
            self._plane.put(
                [
                    p._replace(label=mark) if place in selected else p
                    for place, p in enumerate(self._plane.points())
                ]
            )
        self._controls.show_class(mark)

    def clear_points(self) -> None:
        """Begin with an empty plane."""
        self._setup = self._setup.with_points(())
        self._load_data()

    def delete_points(self) -> None:
        """Take the points selected away."""
        selected = set(self._plane.selected)
        if selected and self._editable:
            points = self._plane.points()
            self._plane.put([p for place, p in enumerate(points) if place not in selected])

    def choose_features(self, name: str, degree: int) -> None:
        """Draw the line in other features."""
        self._setup = replace(self._setup, features=name, degree=degree, step=None)
        self._learn_anew()

    def choose_rule(self, name: str) -> None:
        """Train by another rule."""
        self._setup = self._setup.with_rule(name)
        self._retrain()

    def choose_setting(self, name: str, value: Any) -> None:
        """Change a setting of the rule."""
        self._setup = self._setup.with_setting(name, value)
        self._retrain()

    def choose_start(self, text: str) -> None:
        """Start from other weights."""
        try:
            self._setup = replace(self._setup, start=start_of(text), step=None)
        except ValueError as error:
            self._controls.say(f"The start is not taken: {error}.")
            return
        self._retrain()

    def _choose_view(self, name: str) -> None:
        self._setup = replace(self._setup, view=name)
        self._show_view()
        self._keep_address()

    def _points_edited(self, points: list[Point]) -> None:
        self._setup = self._setup.with_points(points[:MOST_POINTS])
        self._learn_anew()
        if len(points) > MOST_POINTS:
            self._controls.say(f"The plane takes {MOST_POINTS} points; later ones do not count.")

    def _pressed(self, key: str) -> None:
        actions: dict[str, Callable[[], None]] = {
            " ": self._play_or_pause,
            "ArrowRight": partial(self._transport.move, 1),
            "ArrowLeft": partial(self._transport.move, -1),
            "ArrowUp": self._transport.to_next_pass,
            "ArrowDown": self._transport.to_last_pass,
            "Delete": self.delete_points,
            "Backspace": self.delete_points,
        }
        if key in {"1", "2", "3"}:
            self.choose_class(int(key) - 1)
        elif key in actions:
            actions[key]()

    def _uploaded(self, key: str, trouble: str) -> None:
        if trouble:
            self._controls.say(trouble)
            return
        self._controls.say()
        self._beside(self._trainer, partial(self._around.uploads.take, key), self._file_read)

    def _file_read(self, found: tuple[Dataset, str]) -> None:
        data, name = found
        self._file = replace(data, name=name, description=name)
        self._setup = replace(self._setup, data=FILE, points=(), step=None)
        self._load_data()

    # the other rooms

    def _enter(self, room: str) -> None:
        self._setup = replace(self._setup, room=room)
        for name, view in zip(ROOMS, self._rooms, strict=True):
            view.visible = name == room
        if room == "gates":
            self._gates.update(self._setup.table)
        elif room == "letters":
            self._choose_machine(self._setup.machine)
        self._keep_address()

    def _choose_table(self, table: str) -> None:
        self._setup = replace(self._setup, table=table)
        self._gates.update(table)
        self._keep_address()

    def _choose_machine(self, rule: str) -> None:
        self._setup = replace(self._setup, machine=rule)
        self._letters.wait()
        self._letters.show_cells(from_hex(self._setup.cells))
        self._beside(self._trainer, partial(machine, rule), self._machine_trained)
        self._keep_address()

    def _machine_trained(self, units: Machine) -> None:
        self._letters.show_machine(self._setup.machine, units)
        self._letters.show_votes(units, votes(units, from_hex(self._setup.cells)))

    def _draw_cells(self, cells: Floats) -> None:
        self._setup = replace(self._setup, cells=as_hex(cells))
        self._letters.show_cells(cells)
        units = machine(self._setup.machine)
        self._letters.show_votes(units, votes(units, cells))
        self._keep_address()

    def _ask_letter(self) -> None:
        turn = next(self._asked_letters)
        letters = machine(self._setup.machine).letters
        self._draw_cells(some_letter(letters[7 * turn % len(letters)], turn))

    # what is worked out

    @property
    def _editable(self) -> bool:
        return self._subject is None or self._subject.editable or not len(self._subject.X)

    def _load_data(self) -> None:
        """Show other data, and learn from them."""
        self._take_subject()
        subject = self._subject
        if subject is not None:
            self._plane.load(subject.points() if self._editable else None, _box_of(subject))
        self._work()

    def _learn_anew(self) -> None:
        """Learn from points that have moved, or features that have changed."""
        self._take_subject()
        self._work()

    def _take_subject(self) -> None:
        try:
            self._subject = subject_of(self._setup, self._file)
        except RosenblattError as error:
            self._subject = None
            self._controls.say(*self._complaints, str(error))

    def _work(self) -> None:
        self._proof, self._witnesses = None, ()
        subject = self._subject
        self._rows = None if subject is None else chosen(subject, ())
        self._retrain()
        if subject is not None and len(subject.classes) > 1:
            self._proofs.wait()
            self._beside(self._prover, partial(verdict_on, subject), self._proved)
        else:
            self._prover.forget()
            self._proofs.update(None, (), None, None)

    def _retrain(self) -> None:
        self._pause()
        self._run = None
        self._show()
        if self._subject is None:
            self._trainer.forget()
        else:
            self._beside(self._trainer, partial(run_of, self._subject, self._setup), self._trained)

    def _beside(self, worker: Worker, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Work in a thread, and go on here when it is done."""

        def arrived(answer: Answer) -> None:
            if answer.trouble:
                self._controls.say(answer.trouble)
            else:
                done(answer.found)

        worker.ask(work, lambda answer: self._doc.add_next_tick_callback(partial(arrived, answer)))

    def _trained(self, run: Run) -> None:
        self._run = run
        self._controls.say(*self._complaints)
        self._complaints = ()
        step = self._setup.step
        if step is not None and step >= run.n_steps:
            self._setup = replace(self._setup, step=None)
        self._show()
        self._show_proof()

    def _proved(self, proof: Proof | None) -> None:
        self._proof = proof
        if self._subject is not None and proof is not None:
            self._witnesses = witnesses(proof, self._subject)
            self._rows = chosen(self._subject, tuple(w.row for w in self._witnesses))
        self._show()
        self._show_proof()

    # what is shown

    def _go(self, step: int) -> None:
        last = self._run is not None and step >= self._run.n_steps
        self._setup = replace(self._setup, step=None if last else step)
        if last:
            self._pause()
        self._show()

    def _show(self) -> None:
        subject, run = self._subject, self._run
        self._controls.update(self._setup, subject, None if self._file is None else self._file.name)
        self._keep_address()
        if subject is None or self._rows is None:
            self._transport.update(None, None, ())
            return
        moment = None if run is None else run.at(self._step)
        weights = None if moment is None else moment.kept
        seen = picture(subject, weights, self._setup.rule, self._rows, self._plane.shown)
        at_work = None if moment is None else moment.row
        named = (subject.classes, subject.marks)
        self._plane.update(seen, weights, named, at_work, self._witnesses, editable=self._editable)
        self._transport.update(run, moment, subject.classes, seen.caption)
        self._show_view()

    @property
    def _step(self) -> int:
        run, step = self._run, self._setup.step
        if run is None:
            return 0
        return run.n_steps if step is None else min(step, run.n_steps)

    def _show_view(self) -> None:
        """Show what the open tab has to show."""
        subject, run = self._subject, self._run
        if subject is None or run is None:
            return
        if self._setup.view == "curves":
            self._curves.update(charts(run, self._proof))
            self._curves.move(-(-self._step // run.steps_a_pass))
        elif self._setup.view == "weights":
            self._show_weights(subject, run)

    def _show_weights(self, subject: Subject, run: Run) -> None:
        refused = refusal(subject)
        if refused:
            self._weights.refuse(refused)
            return
        self._weights.name_weights(weight_names(subject))
        at = run.at(self._step).after[0]
        path, followed = run.path()
        self._weights.update(
            weight_picture(subject, at, path, self._weights.chosen, followed), subject.marks
        )

    def _show_proof(self) -> None:
        if self._proof is None:
            return
        model = None if self._run is None else self._run.model
        bounded = getattr(model, "margin_bounds_", None) is not None
        mistakes = int(model.mistakes_) if bounded and model is not None else None
        self._proofs.update(self._proof, self._witnesses, self._subject, mistakes)

    def _keep_address(self) -> None:
        self._wires.keep(self._setup.to_query())

    # playing

    def _play_or_pause(self) -> None:
        if self._playing is not None:
            self._pause()
        elif self._run is not None:
            if self._step >= self._run.n_steps:
                self._go(0)
            self._playing = self._doc.add_periodic_callback(self._tick, TICK)
            self._transport.set_playing(playing=True)

    def _pause(self) -> None:
        if self._playing is not None:
            self._doc.remove_periodic_callback(self._playing)
            self._playing = None
            self._transport.set_playing(playing=False)

    def _tick(self) -> None:
        if self._run is not None:
            self._transport.move(-(-self._run.n_steps // PLAYED))

    def _close(self, _context: Any) -> None:
        self._trainer.close()
        self._prover.close()


def _box_of(subject: Subject) -> Box:
    """What of the plane is shown at first; few points are seen in the empty plane."""
    if subject.X.shape[1] != 2:
        return EMPTY
    few = len(subject.X) < FEW
    return box_around(np.vstack([subject.X, EMPTY_CORNERS]) if few else subject.X)
