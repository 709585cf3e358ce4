"""Training runs that can be shown after any step: a sample, an epoch, or the whole solution."""

from abc import abstractmethod
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.estimators.base import iterations_of
from rosenblatt.estimators.replay import Replay
from rosenblatt.lab.catalogue import LAB_RULES, Stepping, estimator_for
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.lab.state import Setup
from rosenblatt.linalg.scores import margins_of
from rosenblatt.types import Floats

MAX_PATH_STEPS = 20_000  # the path of a longer run has one point for each epoch


class Moment(NamedTuple):
    """A run after some steps: weights (w, b) before and after the last of them.

    `kept` are the weights of the boundary that is drawn. `epoch` is the epoch of the step, 0 before
    the first; `row` is its sample, if it has one, and `update_rows` are all that changed w.
    """

    step: int
    epoch: int
    row: int | None
    update_rows: tuple[int, ...]
    before: Floats
    after: Floats
    kept: Floats
    mistake: bool
    changed: bool


class Run:
    """A training run; subclasses define a step."""

    def __init__(self, model: Any, n_epochs: int, steps_per_epoch: int) -> None:
        self.model, self.n_epochs, self.steps_per_epoch = model, n_epochs, steps_per_epoch

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return self.n_epochs * self.steps_per_epoch

    @property
    def by_samples(self) -> bool:
        """Whether one step is one sample."""
        return self.steps_per_epoch > 1

    @property
    def final(self) -> Floats:
        """The final weights."""
        return _weights(self.model)

    @abstractmethod
    def at(self, step: int) -> Moment:
        """The run after some steps."""

    @cached_property
    def path(self) -> tuple[Floats, str]:
        """Weights of the first class wherever they changed, and a description of the points."""
        return self._compute_path()

    @abstractmethod
    def _compute_path(self) -> tuple[Floats, str]:
        """The path."""


class SampleRun(Run):
    """A rule that updates on single samples."""

    def __init__(self, model: Any, replay: Replay) -> None:
        super().__init__(model, replay.n_epochs, replay.n_rows)
        self._replay = replay

    def at(self, step: int) -> Moment:
        """The run after `step` samples."""
        if step == 0:
            W = self._replay.start()
            return Moment(0, 0, None, (), W, W, W, mistake=False, changed=False)
        epoch, place = (step - 1) // self.steps_per_epoch + 1, (step - 1) % self.steps_per_epoch
        seen = self._replay.visit(epoch, place)
        kept = self.final if step == self.n_steps else seen.kept
        return Moment(
            step,
            epoch,
            seen.row,
            seen.rows,
            seen.before,
            seen.after,
            kept,
            mistake=seen.mistake,
            changed=seen.changed,
        )

    def _compute_path(self) -> tuple[Floats, str]:
        """After each sample or, in a long run, after each epoch."""
        replay = self._replay
        if self.n_steps > MAX_PATH_STEPS:
            return _distinct([W[0] for W in replay.ends()]), "w after every epoch"
        seen = [W[0] for epoch in range(1, self.n_epochs + 1) for W in replay.path(epoch)]
        return _distinct([replay.start()[0], *seen]), "w after every change"


class PassRun(Run):
    """A rule that updates on all samples at once, in one or several steps."""

    def __init__(self, dataset: LabDataset, setup: Setup) -> None:
        self._dataset, self._setup = dataset, setup
        self._refit = lru_cache(maxsize=256)(self._weights_after)
        model = self._fitted({})
        super().__init__(model, iterations_of(model) or 1, 1)

    def at(self, step: int) -> Moment:
        """The run after `step` epochs: a fit with that limit."""
        after = self._after(step)
        before = self._after(step - 1) if step else after
        changed = not np.array_equal(before, after)
        wrong = self._mistakes(before) if step and self._setup.rule == "batch-perceptron" else ()
        return Moment(
            step, step, None, wrong, before, after, after, mistake=bool(wrong), changed=changed
        )

    def _mistakes(self, W: Floats) -> tuple[int, ...]:
        """Misclassified samples, ties included: those that a batch update adds."""
        dataset = self._dataset
        scores = dataset.Z @ W[:, :-1].T + W[:, -1]
        return tuple(np.flatnonzero(margins_of(scores, dataset.codes) <= 0).tolist())

    def _compute_path(self) -> tuple[Floats, str]:
        """After each epoch."""
        last = min(self.n_epochs, 100)
        return _distinct([self._after(step)[0] for step in range(last + 1)]), "w after every step"

    def _after(self, step: int) -> Floats:
        if step == 0:
            return _start(self._setup, self.final.shape)
        return self.final if step == self.n_epochs else self._refit(step)

    def _weights_after(self, step: int) -> Floats:
        return _weights(self._fitted({"max_iter": step}))

    def _fitted(self, limit: dict[str, int]) -> Any:
        setup, dataset = self._setup, self._dataset
        model = estimator_for(setup.rule, {**dict(setup.settings), **limit})
        return model.fit(dataset.Z, dataset.labels, **_initial_weights(setup, dataset))


def run_of(dataset: LabDataset, setup: Setup) -> Run:
    """The run of a set-up's rule on the data."""
    if len(dataset.classes) < 2:
        raise DataError(NO_DATA_MESSAGE if not len(dataset.X) else SINGLE_CLASS_MESSAGE)
    if LAB_RULES[setup.rule].stepping is not Stepping.SAMPLES:
        return PassRun(dataset, setup)
    model = estimator_for(setup.rule, dict(setup.settings))
    return SampleRun(
        model, model.replay(dataset.Z, dataset.labels, **_initial_weights(setup, dataset))
    )


NO_DATA_MESSAGE = "Nothing to learn from yet: choose data, or click in the plane to draw points."
SINGLE_CLASS_MESSAGE = (
    "All points are of one class: draw some of another (keys 1, 2 and 3 choose it)."
)


def _initial_weights(setup: Setup, dataset: LabDataset) -> dict[str, Any]:
    """The initial weights of a set-up as arguments of `fit`, if its rule takes them."""
    if not setup.start or not LAB_RULES[setup.rule].starts:
        return {}
    units = len(dataset.classes) if len(dataset.classes) > 2 else 1
    shape = (units, dataset.Z.shape[1] + 1)
    if len(setup.start) != shape[0] * shape[1]:
        raise DataError(
            f"{len(setup.start)} initial weights were given, but this model has"
            f" {' × '.join(map(str, shape)) if units > 1 else shape[1]}: those of the features,"
            " then the intercept."
        )
    W = np.array(setup.start).reshape(shape)
    return {"coef_init": W[:, :-1], "intercept_init": W[:, -1]}


def _start(setup: Setup, shape: tuple[int, ...]) -> Floats:
    fits = len(setup.start) == np.prod(shape) and LAB_RULES[setup.rule].starts
    return np.array(setup.start).reshape(shape) if fits else np.zeros(shape)


def _weights(model: Any) -> Floats:
    return np.column_stack([model.coef_, model.intercept_])


def _distinct(path: list[Floats]) -> Floats:
    """The path without repeated points."""
    points = np.array(path)
    moved = np.append(True, (points[1:] != points[:-1]).any(axis=1))
    kept: Floats = points[moved]
    return kept
