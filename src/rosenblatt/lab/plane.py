"""Controller of the plane: data, features, rule, and the run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from bokeh.models import Button, Column, Row, TabPanel, Tabs

from rosenblatt.errors import RosenblattError
from rosenblatt.geometry.plane import Box
from rosenblatt.lab.dataset import File, LabDataset, Uploads, dataset_of
from rosenblatt.lab.plot_data import EMPTY_BOX, box_around, chosen, picture
from rosenblatt.lab.runs import Run, run_of
from rosenblatt.lab.session import Session
from rosenblatt.lab.state import DRAWN, FILE, MAX_POINTS, VIEWS, Point, start_of
from rosenblatt.lab.views.bindings import on_change
from rosenblatt.lab.views.controls import ControlsView
from rosenblatt.lab.views.curves import CurvesView, charts
from rosenblatt.lab.views.plane import PlaneView
from rosenblatt.lab.views.playback import PlaybackView
from rosenblatt.lab.views.proof import ProofView, Witness, verdict_on, witnesses
from rosenblatt.lab.views.weights import WeightsView, refusal, weight_names, weight_picture
from rosenblatt.separation.proof.verdict import Proof

if TYPE_CHECKING:
    from rosenblatt.geometry.view import Sample

MIN_POINTS = 4  # with fewer, the empty box is shown
EMPTY_CORNERS = ((0.0, 0.0), (1.0, 1.0))
MAX_PLAYED_STEPS = 150  # a longer run plays several at a time
VIEW_LABELS = {"proof": "Proof", "weights": "Weight space", "curves": "Curves"}


@dataclass(frozen=True)
class Files:
    """A file opened at the start, and uploads."""

    opened: File | None
    uploads: Uploads


class PlaneController:
    """Acts on the controls, trains in the background, and shows every step."""

    KEYS: ClassVar = {
        "space": "play",
        "← →": "step",
        "↑ ↓": "epoch",
        "1 2 3": "class",
        "delete": "point",
    }

    def __init__(
        self, session: Session, files: Files, upload: Button, address_errors: tuple[str, ...]
    ) -> None:
        self._session, self._files, self._address_errors = session, files, address_errors
        self._file = files.opened
        self._dataset: LabDataset | None = None
        self._run: Run | None = None
        self._proof: Proof | None = None
        self._witnesses: tuple[Witness, ...] = ()
        self._rows: Sample | None = None
        self._end_playing: Callable[[], None] | None = None
        self._reader, self._trainer, self._prover = (session.worker() for _ in range(3))
        self._plane = PlaneView(self._points_edited, self._show)
        self._playback = PlaybackView(self._go, self._play_or_pause)
        self._proofs, self._curves = ProofView(), CurvesView()
        self._weights = WeightsView(self._show_view)
        self._controls = ControlsView(self, upload)
        self._plane.set_class_control(self._controls.marks)
        self.view = self._composed()
        self._load_data()
        if self._file is not None and session.setup.data == FILE and session.setup.target:
            self.choose_target(session.setup.target)

    def _composed(self) -> Row:
        middle = Column(
            children=[self._plane.figure, self._playback.bar, self._playback.readout],
            sizing_mode="stretch_both",
            margin=(0, 12, 0, 12),
        )
        shown = (self._proofs.view, self._weights.view, self._curves.view)
        tabs = [
            TabPanel(child=view, title=VIEW_LABELS[name])
            for name, view in zip(VIEWS, shown, strict=True)
        ]
        active = VIEWS.index(self._session.setup.view)
        views = Tabs(tabs=tabs, sizing_mode="stretch_both", active=active)
        on_change(views, "active", lambda new: self._choose_view(VIEWS[new]))
        right = Column(children=[views], width=420, sizing_mode="stretch_height")
        return Row(children=[self._controls.view, middle, right], sizing_mode="stretch_both")

    def enter(self) -> None:
        """Show everything again, as the size may have changed."""
        self._show()

    def pressed(self, key: str) -> None:
        """Act on a key."""
        actions: dict[str, Callable[[], None]] = {
            " ": self._play_or_pause,
            "ArrowRight": partial(self._playback.move, 1),
            "ArrowLeft": partial(self._playback.move, -1),
            "ArrowUp": self._playback.to_next_epoch,
            "ArrowDown": self._playback.to_last_epoch,
            "Delete": self.delete_points,
            "Backspace": self.delete_points,
            **{str(mark + 1): partial(self.choose_class, mark) for mark in range(3)},
        }
        if key in actions:
            actions[key]()

    def uploaded(self, key: str, error: str) -> None:
        """Open a file that was uploaded, or show why it was not."""
        if error:
            self._controls.say(error)
            return
        self._read(partial(self._files.uploads.take, key), "")

    def choose_target(self, name: str) -> None:
        """Choose another target column of the file."""
        if self._file is not None:
            self._read(partial(self._file.predicting, name), name)

    def _read(self, work: Callable[[], File], target: str) -> None:
        self._controls.wait("Reading the file…")
        self._session.run_in_background(
            self._reader, work, partial(self._file_read, target), self._not_read
        )

    def _file_read(self, target: str, file: File) -> None:
        self._file = file
        self._session.change(data=FILE, target=target, points=(), step=None)
        self._load_data()

    def _not_read(self, error: str) -> None:
        self._show_errors(error)
        self._show()  # the data so far

    # actions of the controls

    def choose_data(self, name: str) -> None:
        """Choose other data; drawn points begin with the current ones, if these can be edited."""
        points = self._plane.points() if name == DRAWN and self._editable else ()
        self._session.change(data=name, points=tuple(points), step=None)
        self._load_data()

    def choose_class(self, mark: int) -> None:
        """Choose the class of new points, and of those selected."""
        selected = set(self._plane.selected) if self._editable else set()
        if selected:
            points = enumerate(self._plane.points())
            self._plane.put(
                [p._replace(label=mark) if place in selected else p for place, p in points]
            )
        self._controls.show_class(mark)

    def clear_points(self) -> None:
        """Remove all points."""
        self._session.take(self._session.setup.with_points(()))
        self._load_data()

    def delete_points(self) -> None:
        """Remove the selected points."""
        selected = set(self._plane.selected)
        if selected and self._editable:
            points = self._plane.points()
            self._plane.put([p for place, p in enumerate(points) if place not in selected])

    def choose_scaling(self, on: bool) -> None:  # noqa: FBT001 (Bokeh hands it over)
        """Turn standardisation on or off."""
        self._session.change(scaled=on, step=None)
        self._load_data()

    def choose_features(self, name: str, degree: int) -> None:
        """Choose another feature map."""
        self._session.change(features=name, degree=degree, step=None)
        self._update_data()

    def choose_rule(self, name: str) -> None:
        """Choose another rule."""
        self._session.take(self._session.setup.with_rule(name))
        self._retrain()

    def choose_setting(self, name: str, value: Any) -> None:
        """Change a setting of the rule."""
        self._session.take(self._session.setup.with_setting(name, value))
        self._retrain()

    def choose_start(self, text: str) -> None:
        """Choose other initial weights."""
        try:
            self._session.change(start=start_of(text), step=None)
        except ValueError as error:
            self._controls.say(f"These initial weights cannot be used: {error}.")
            return
        self._retrain()

    def _choose_view(self, name: str) -> None:
        self._session.change(view=name)
        self._show_view()

    def _points_edited(self, points: list[Point]) -> None:
        self._session.take(self._session.setup.with_points(points[:MAX_POINTS]))
        if len(points) > MAX_POINTS:
            self._address_errors = (
                f"The plane holds up to {MAX_POINTS} points; further ones are ignored.",
            )
        self._update_data()

    # computations in the background

    @property
    def _editable(self) -> bool:
        return self._dataset is None or self._dataset.editable

    def _load_data(self) -> None:
        """Show other data, and train on them."""
        self._take_dataset()
        dataset = self._dataset
        if dataset is not None:
            self._plane.load(dataset.points() if dataset.editable else None, _box_of(dataset))
        self._compute()

    def _update_data(self) -> None:
        """Train on points or features that have changed."""
        self._take_dataset()
        self._compute()

    def _take_dataset(self) -> None:
        try:
            data = None if self._file is None else self._file.data
            self._dataset = dataset_of(self._session.setup, data)
        except RosenblattError as error:
            self._dataset = None
            self._show_errors(str(error))

    def _compute(self) -> None:
        self._proof, self._witnesses = None, ()
        dataset = self._dataset
        self._rows = None if dataset is None else chosen(dataset, ())
        self._retrain()
        if dataset is not None and len(dataset.classes) > 1:
            self._proofs.wait()
            self._run_in_background(self._prover, partial(verdict_on, dataset), self._proved)
        else:
            self._prover.forget()
            self._proofs.update(None, (), None, None)

    def _retrain(self) -> None:
        self._pause()
        self._run = None
        self._show()
        if self._dataset is None:
            self._trainer.forget()
        else:
            work = partial(run_of, self._dataset, self._session.setup)
            self._run_in_background(self._trainer, work, self._trained)

    def _run_in_background(
        self, worker: Any, work: Callable[[], Any], done: Callable[[Any], None]
    ) -> None:
        self._session.run_in_background(worker, work, done, self._show_errors)

    def _show_errors(self, *errors: str) -> None:
        """Show errors, after those of the address."""
        self._controls.say(*self._address_errors, *errors)
        self._address_errors = ()

    def _trained(self, run: Run) -> None:
        self._run = run
        self._show_errors()
        self._show()
        self._show_proof()

    def _proved(self, proof: Proof | None) -> None:
        self._proof = proof
        if self._dataset is not None and proof is not None:
            self._witnesses = witnesses(proof, self._dataset)
            self._rows = chosen(self._dataset, tuple(w.row for w in self._witnesses))
        self._show()
        self._show_proof()

    # display

    @property
    def _step(self) -> int:
        run, step = self._run, self._session.setup.step
        if run is None:
            return 0
        return run.n_steps if step is None else min(step, run.n_steps)

    def _go(self, step: int) -> None:
        last = self._run is not None and step >= self._run.n_steps
        self._session.change(step=None if last else step)
        if last:
            self._pause()
        self._show()

    def _show(self) -> None:
        dataset, run, setup = self._dataset, self._run, self._session.setup
        self._controls.update(setup, dataset, self._file)
        if dataset is None or self._rows is None:
            self._playback.update(None, None, ())
            return
        moment = None if run is None else run.at(self._step)
        weights = None if moment is None else moment.kept
        seen = picture(dataset, weights, setup.rule, self._rows, self._plane.shown)
        self._plane.update(seen, weights, dataset, editable=self._editable)
        self._plane.ring(() if moment is None else moment.update_rows, self._witnesses)
        self._playback.update(run, moment, dataset.classes, seen.caption)
        self._show_view()

    def _show_view(self) -> None:
        """Update the open tab."""
        dataset, run = self._dataset, self._run
        if dataset is None or run is None:
            return
        if self._session.setup.view == "curves":
            self._curves.update(charts(run, self._proof))
            self._curves.move(-(-self._step // run.steps_per_epoch))
        elif self._session.setup.view == "weights":
            self._show_weights(dataset, run)

    def _show_weights(self, dataset: LabDataset, run: Run) -> None:
        refused = refusal(dataset)
        if refused:
            self._weights.refuse(refused)
            return
        self._weights.name_weights(weight_names(dataset))
        at = run.at(self._step).after[0]
        path, followed = run.path
        self._weights.update(
            weight_picture(dataset, at, path, self._weights.chosen, followed), dataset.marks
        )

    def _show_proof(self) -> None:
        if self._proof is None:
            return
        model = None if self._run is None else self._run.model
        bounded = getattr(model, "margin_bounds_", None) is not None
        mistakes = int(model.mistakes_) if bounded and model is not None else None
        self._proofs.update(self._proof, self._witnesses, self._dataset, mistakes)

    # playback

    def _play_or_pause(self) -> None:
        if self._end_playing is not None:
            self._pause()
        elif self._run is not None:
            if self._step >= self._run.n_steps:
                self._go(0)
            self._end_playing = self._session.every_tick(self._tick)
            self._playback.set_playing(playing=True)

    def _pause(self) -> None:
        if self._end_playing is not None:
            self._end_playing()
            self._end_playing = None
            self._playback.set_playing(playing=False)

    def _tick(self) -> None:
        if self._run is not None:
            self._playback.move(-(-self._run.n_steps // MAX_PLAYED_STEPS))


def _box_of(dataset: LabDataset) -> Box:
    """The initial box of the plane, which is larger than that of a few points."""
    if dataset.X.shape[1] != 2:
        return EMPTY_BOX
    few = len(dataset.X) < MIN_POINTS
    return box_around(np.vstack([dataset.X, EMPTY_CORNERS]) if few else dataset.X)
