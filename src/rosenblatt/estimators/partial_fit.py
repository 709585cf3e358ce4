"""Learning from a stream: rows come in chunks of any size, and classes when they come.

A class joins at its first row: a chunk is cut there, so that the weights after a row depend on the
rows up to it and on nothing else. Two classes share one unit (w, b). When a third joins, the first
becomes −(w, b), the second (w, b), and the new one starts at zero.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import rows_part
from rosenblatt.data.labels import check_same_kind, classes_joined, classes_of, codes_of
from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData, no_weights
from rosenblatt.data.validation import not_finite, require_finite, weights_by_label
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.kernels.rows import Rows, n_rows
from rosenblatt.losses.margin_losses import may_diverge
from rosenblatt.online.epochs import fit_one_epoch, run_epoch
from rosenblatt.online.state import LAST_MISTAKE, ROWS, UPDATES, OptimiserState
from rosenblatt.online.update import ALL_FINITE, Rule
from rosenblatt.types import Array, Codes, Floats

Settings = tuple[Any, ...]  # the values of all parameters


class Stream(NamedTuple):
    """The classes seen so far, and the optimiser state of the run over them."""

    classes: Array
    state: OptimiserState

    def copy(self) -> "Stream":
        """The same stream in arrays of its own."""
        return Stream(self.classes, self.state.copy())

    def joined(
        self, unseen: Array, state_for: Callable[[int], OptimiserState] | None = None
    ) -> "Stream":
        """The same stream after some classes have joined."""
        if not len(unseen):
            return self
        classes = classes_joined(self.classes, unseen)
        k = len(classes)
        old = len(self.classes)
        places = np.searchsorted(classes, self.classes) if old else np.zeros(0, np.int64)
        fresh = self.state.zeros(count_outputs(k), k) if state_for is None else state_for(k)
        return Stream(classes, self.state.copied_into(fresh, places))


class Chunk(NamedTuple):
    """Rows of a stream with their labels and weights."""

    rows: Rows
    labels: Array
    weights: Floats


def learn_all(data: TrainingData, rule: Rule, state: OptimiserState) -> OptimiserState:
    """State after learning from every row once."""
    fit_one_epoch(data, rule, state)
    return state


def learn_chunk(
    stream: Stream,
    chunk: Chunk,
    rule_for: Callable[[int], Rule],
    class_weight: Any,
    after: Callable[[TrainingData, Rule, OptimiserState], OptimiserState] = learn_all,
    state_for: Callable[[int], OptimiserState] | None = None,
) -> Stream:
    """Learn from the rows of a chunk in order; classes join at their first row.

    `rule_for` gives the rule for a number of classes, `after` the state after some rows, and
    `state_for` the state a run over more classes starts with, where it is more than weights.
    """
    check_same_kind(chunk.labels, stream.classes)
    starts, unseen = _first_occurrences(chunk.labels, stream.classes)
    for start, stop, new in zip(starts, [*starts[1:], len(chunk.labels)], unseen, strict=True):
        stream = stream.joined(new, state_for)
        part = TrainingData(
            rows_part(chunk.rows, start, stop),
            codes_of(chunk.labels[start:stop], stream.classes),
            chunk.weights[start:stop],
            _fixed_weights(class_weight, stream.classes),
        )
        try:
            if len(stream.classes) > 1:
                state = after(part, rule_for(len(stream.classes)), stream.state)
                stream = stream._replace(state=state)
            else:
                _only_count(part.rows, part.codes, stream.state)
        except DataError:  # count rows from the beginning of the chunk
            raise not_finite(chunk.rows) from None
    return stream


class SingleRowUpdate:
    """Learns from one dense row without any validation, if the row needs no conversion.

    It is made for a stream and for settings that were checked. If a row is refused half-way, the
    state is restored: the usual path then says what is wrong with it.
    """

    def __init__(self, stream: Stream, rule: Rule, class_weight: Any, settings: Settings) -> None:
        self._stream, self._rule = stream, rule
        # a dict may be changed in place, and is compared with what it was
        self._settings = tuple(dict(s) if isinstance(s, dict) else s for s in settings)
        labels = stream.classes.tolist()
        self._codes = {label: code for code, label in enumerate(labels)}
        self._kind, self._type = stream.classes.dtype.kind, type(labels[0]) if labels else None
        self._code, self._weight = np.zeros(1, np.int8), no_weights(1)
        self._class_weights = _fixed_weights(class_weight, stream.classes)
        self._order = SampleOrder(np.zeros(1, np.int64), np.zeros(1, np.int64))
        self._before = stream.state.copy()
        pairs = zip(stream.state, self._before, strict=True)
        self._to_keep = [(part, kept) for part, kept in pairs if part.size]

    def is_valid_for(self, stream: Stream, settings: Settings) -> bool:
        """Whether this was made for the stream and the settings as they are now."""
        try:
            return stream is self._stream and settings == self._settings
        except ValueError:  # an array is among them, which a check refuses
            return False

    def learn(self, X: Any, y: Any) -> bool:
        """Update by the only row of X; False where it must take the usual path."""
        state = self._stream.state
        if type(X) is not np.ndarray or X.shape != (1, state.W.shape[1] - 1):
            return False
        if not (_is_float(X) and X.flags.c_contiguous and 1 < len(self._codes) < MAX_INT8_CODE):
            return False
        code = self._code_of(y)
        if code is None:
            return False
        self._code[0] = code
        for part, kept in self._to_keep:
            kept[...] = part
        data = TrainingData(X, self._code, self._weight, self._class_weights)
        if run_epoch(data, self._order, self._rule, state) == ALL_FINITE and self._state_is_valid():
            return True
        state.restore(self._before)
        return False

    def _code_of(self, y: Any) -> int | None:
        """Code of the only label of y, if it is just of the kind of the classes."""
        if type(y) is np.ndarray:
            if y.shape != (1,) or y.dtype.kind != self._kind:
                return None
        elif type(y) is not list or len(y) != 1:
            return None
        label = y[0]
        if (type(y) is list or self._kind == "O") and type(label) is not self._type:
            return None
        try:
            return self._codes.get(label)
        except TypeError:  # no label at all
            return None

    def _state_is_valid(self) -> bool:
        state = self._stream.state
        if may_diverge(self._rule.loss):
            return not state.has_diverged()
        changed = state.counters[UPDATES] != self._before.counters[UPDATES]
        return not changed or state.is_finite()


def check_same_keep(state: OptimiserState, keep: str) -> None:
    """Refuse to keep other weights than a stream began to."""
    if state.keep != keep:
        raise ParameterError(
            f"keep={keep!r} is impossible for a stream that began with keep={state.keep!r}."
            " Use a new estimator."
        )


MAX_INT8_CODE = np.iinfo(np.int8).max


def _is_float(X: Array) -> bool:
    return X.dtype.char in "fd" and X.dtype.isnative


def count_outputs(n_classes: int) -> int:
    """How many rows of weights some classes need: one for two, else one each."""
    return n_classes if n_classes > 2 else 1


def _first_occurrences(labels: Array, known: Array) -> tuple[list[int], list[Array]]:
    """Where in the labels new classes come up, and which; the first place is always 0."""
    unseen = [c for c in classes_of(labels) if not np.any(known == c)] if len(labels) else []
    first = sorted((int(np.flatnonzero(labels == c)[0]), c) for c in unseen)
    cuts = {0: labels[:0]} | {place: labels[place : place + 1] for place, _ in first}
    return list(cuts), list(cuts.values())


def _fixed_weights(class_weight: Any, classes: Array) -> Floats:
    """Class weights given by label; "balanced" is counted by the kernel as the rows come."""
    given = class_weight if isinstance(class_weight, dict) else {}
    weights, _ = weights_by_label(given, classes)  # other labels may still come
    return weights


def _only_count(rows: Rows, codes: Codes, state: OptimiserState) -> None:
    """Count the rows of a single class, from which nothing is learned (as ties: no correct run)."""
    require_finite(rows)
    state.counters[ROWS] += n_rows(rows)
    state.counters[LAST_MISTAKE] = state.counters[ROWS]
    state.counts[:] += np.bincount(codes, minlength=len(state.counts))
