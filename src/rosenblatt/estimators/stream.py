"""Learning from a stream: rows come in chunks of any size, and classes when they come.

A class joins at its first row: a chunk is cut there, so that the weights after a row depend on the
rows up to it and on nothing else. Two classes share one unit (w, b). When a third joins, the first
becomes −(w, b), the second (w, b), and the new one starts at zero.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Codes, Floats
from rosenblatt.data.door import not_finite, require_finite
from rosenblatt.data.labels import check_same_kind, classes_joined, classes_of, codes_of
from rosenblatt.data.problem import Problem, no_weights
from rosenblatt.data.rows import Rows, n_rows
from rosenblatt.data.storage import rows_part
from rosenblatt.data.visits import Visit
from rosenblatt.data.weights import weights_by_label
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.rules.losses import NEVER_FLAT
from rosenblatt.solvers.correct import ALL_FINITE, Rule
from rosenblatt.solvers.memory import LAST_MISTAKE, ROWS, UPDATES, Memory
from rosenblatt.solvers.passes import learn
from rosenblatt.solvers.walk import walk

Settings = tuple[Any, ...]  # the values of all parameters


class Stream(NamedTuple):
    """The classes met so far, and the memory of the run over them."""

    classes: Array
    memory: Memory

    def copy(self) -> "Stream":
        """The same stream in arrays of its own."""
        return Stream(self.classes, self.memory.copy())

    def joined(
        self, newcomers: Array, memory_for: Callable[[int], Memory] | None = None
    ) -> "Stream":
        """The same stream after some classes have joined."""
        if not len(newcomers):
            return self
        classes = classes_joined(self.classes, newcomers)
        k = len(classes)
        old = len(self.classes)
        places = np.searchsorted(classes, self.classes) if old else np.zeros(0, np.int64)
        fresh = self.memory.anew(units(k), k) if memory_for is None else memory_for(k)
        return Stream(classes, self.memory.moved_into(fresh, places))


class Chunk(NamedTuple):
    """Rows of a stream with their labels and weights."""

    rows: Rows
    labels: Array
    weights: Floats


def learned(problem: Problem, rule: Rule, memory: Memory) -> Memory:
    """The memory after every row was learned from once."""
    learn(problem, rule, memory)
    return memory


def advance(
    stream: Stream,
    chunk: Chunk,
    rule_for: Callable[[int], Rule],
    class_weight: Any,
    after: Callable[[Problem, Rule, Memory], Memory] = learned,
    memory_for: Callable[[int], Memory] | None = None,
) -> Stream:
    """Learn from the rows of a chunk in order; classes join at their first row.

    `rule_for` gives the rule for a number of classes, `after` the memory after some rows, and
    `memory_for` the memory a run over more classes begins with, where weights are not all of it.
    """
    check_same_kind(chunk.labels, stream.classes)
    starts, newcomers = _arrivals(chunk.labels, stream.classes)
    for start, stop, new in zip(starts, [*starts[1:], len(chunk.labels)], newcomers, strict=True):
        stream = stream.joined(new, memory_for)
        part = Problem(
            rows_part(chunk.rows, start, stop),
            codes_of(chunk.labels[start:stop], stream.classes),
            chunk.weights[start:stop],
            _fixed_weights(class_weight, stream.classes),
        )
        try:
            if len(stream.classes) > 1:
                memory = after(part, rule_for(len(stream.classes)), stream.memory)
                stream = stream._replace(memory=memory)
            else:
                _only_count(part.rows, part.codes, stream.memory)
        except DataError:  # count rows from the beginning of the chunk
            raise not_finite(chunk.rows) from None
    return stream


class OneRow:
    """Learns one dense row at a time without any preparation, if the row is already right.

    It is made for a stream and for settings that were checked. What a row has begun to change that
    is then refused, is put back: the long way says what is wrong with it.
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
        self._visit = Visit(np.zeros(1, np.int64), np.zeros(1, np.int64))
        self._before = stream.memory.copy()
        pairs = zip(stream.memory, self._before, strict=True)
        self._to_keep = [(part, kept) for part, kept in pairs if part.size]

    def serves(self, stream: Stream, settings: Settings) -> bool:
        """Whether this was made for the stream and the settings as they are now."""
        try:
            return stream is self._stream and settings == self._settings
        except ValueError:  # an array is among them, which a check refuses
            return False

    def learn(self, X: Any, y: Any) -> bool:
        """Learn from the only row of X, or tell that it takes the long way."""
        memory = self._stream.memory
        if type(X) is not np.ndarray or X.shape != (1, memory.W.shape[1] - 1):
            return False
        if not (_is_float(X) and X.flags.c_contiguous and 1 < len(self._codes) < MOST_CODES):
            return False
        code = self._code_of(y)
        if code is None:
            return False
        self._code[0] = code
        for part, kept in self._to_keep:
            kept[...] = part
        problem = Problem(X, self._code, self._weight, self._class_weights)
        if walk(problem, self._visit, self._rule, memory) == ALL_FINITE and self._went_well():
            return True
        memory.put_back(self._before)
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

    def _went_well(self) -> bool:
        memory = self._stream.memory
        if self._rule.loss >= NEVER_FLAT:
            return not memory.ran_away()
        changed = memory.clock[UPDATES] != self._before.clock[UPDATES]
        return not changed or memory.is_finite()


def check_same_keep(memory: Memory, keep: str) -> None:
    """Refuse to keep other weights than a stream began to."""
    if memory.keep != keep:
        raise ParameterError(
            f"keep={keep!r} cannot be asked of a stream that began with keep={memory.keep!r}."
            " Use a new estimator."
        )


MOST_CODES = np.iinfo(np.int8).max


def _is_float(X: Array) -> bool:
    return X.dtype.char in "fd" and X.dtype.isnative


def units(n_classes: int) -> int:
    """How many rows of weights some classes need: one for two, else one each."""
    return n_classes if n_classes > 2 else 1


def _arrivals(labels: Array, known: Array) -> tuple[list[int], list[Array]]:
    """Where in the labels new classes come up, and which; the first place is always 0."""
    strangers = [c for c in classes_of(labels) if not np.any(known == c)] if len(labels) else []
    first = sorted((int(np.flatnonzero(labels == c)[0]), c) for c in strangers)
    cuts = {0: labels[:0]} | {place: labels[place : place + 1] for place, _ in first}
    return list(cuts), list(cuts.values())


def _fixed_weights(class_weight: Any, classes: Array) -> Floats:
    """Class weights given by label; "balanced" is counted by the kernel as the rows come."""
    given = class_weight if isinstance(class_weight, dict) else {}
    weights, _ = weights_by_label(given, classes)  # other labels may still come
    return weights


def _only_count(rows: Rows, codes: Codes, memory: Memory) -> None:
    """A single class teaches nothing yet, but its rows count (as ties: they are no correct run)."""
    require_finite(rows)
    memory.clock[ROWS] += n_rows(rows)
    memory.clock[LAST_MISTAKE] = memory.clock[ROWS]
    memory.counts[:] += np.bincount(codes, minlength=len(memory.counts))
