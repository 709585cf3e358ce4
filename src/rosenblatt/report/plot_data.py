"""Data that a report plots beyond `--json`: boundary, replay, curves, calibration, rows of a proof.

All of it is plain data: numbers, text, lists.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.estimators.base import iterations_of
from rosenblatt.estimators.replay import Frame, from_the_start, replay
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import Boundary, View
from rosenblatt.io.chunks import Source
from rosenblatt.online.result import counted
from rosenblatt.persist.model import linear_scores
from rosenblatt.pipeline.evaluate import calibration
from rosenblatt.pipeline.fit import FitResult
from rosenblatt.pipeline.read_dataset import SourceRow, raw_rows, source_rows
from rosenblatt.preprocess.target import label_text
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.report.json import largest_features
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.trace.trace import curve_caption, curve_kinds, curves_of
from rosenblatt.types import Floats

MAX_REPLAY_ENTRIES = 3e8  # read to replay a run
EPOCHS_PER_STEP = 10  # cost of a step of a certified rule
SHOWN_WEIGHTS = 8  # next to a replay
SHOWN_ROWS = 40  # of a proof
MAX_OUTPUTS = 10  # whose weights are shown next to a replay
IMAGE_SIDES = range(8, 257)  # pixels
FROM_ZERO = (
    "The replay starts from zero at the selected C; the fit itself was warm-started near its end."
)
NUMBER = re.compile(r"[0-9]{1,9}")


def page_data(fitted: FitResult, source: Source, names: Mapping[int, str]) -> dict[str, Any]:
    """All data of the plots; `names` replace the names of some features."""
    transformer = fitted.learned.transformer
    classes = [label_text(label) for label in fitted.learned.classes]
    run = _run(fitted)
    return {
        "classes": classes,
        "picture": _picture(fitted, run, source, names),
        "curves": _curves(run, classes, scaled=transformer.scaling is not None),
        "calibration": _calibration(fitted),
        "weights": _pixels(fitted.estimator, transformer),
        "proof_rows": _proof_rows(fitted.proof, source, fitted),
    }


def _run(fitted: FitResult) -> Any:
    """The estimator whose run is shown: the fitted one, or one fitted from zero at its C."""
    assert fitted.encoded is not None
    return from_the_start(fitted.estimator, fitted.encoded.X, fitted.encoded.codes)


def _picture(
    fitted: FitResult, run: Any, source: Source, names: Mapping[int, str]
) -> dict[str, Any]:
    """Rows, boundary and replay in a plane."""
    estimator = fitted.estimator
    scene = _Scene(fitted, source)
    view = scene.view
    frames = _frames(fitted, run)
    shown = scene.boundary(estimator.coef_, estimator.intercept_)
    kept = _rows_of(fitted.proof)
    return {
        "box": list(view.box),
        "axes": list(view.projection.names),
        "flat": view.flat,
        "exact": view.projection.exact,
        "drawn": str(view.drawn),
        "points": _plain(view.points),
        "codes": view.codes.tolist(),
        "ringed": _plain(view.at(kept)),
        "ringed_are": _highlighted(fitted.proof) if kept else "",
        **_boundary(shown),
        "frames": [
            {
                "n_iter": frame.n_iter,
                "text": _caption(run, frame),
                "weights": _weights_at(frame, estimator),
                **_boundary(scene.boundary(frame.coef, frame.intercept)),
            }
            for frame in frames
        ],
        "weight_names": _weight_names(fitted, names),
        "replayed": "" if run is estimator else FROM_ZERO,
    }


class _Scene:
    """The plane in which rows and boundaries are shown.

    One or two features are shown as they were read, also after feature maps; where curves cannot
    be drawn, the mapped features are projected.
    """

    def __init__(self, fitted: FitResult, source: Source) -> None:
        encoded, estimator = fitted.encoded, fitted.estimator
        assert encoded is not None
        self._transformer = fitted.learned.transformer
        few = self._transformer.n_encoded_features <= 2 and not self._transformer.has_text
        curved = bool(self._transformer.maps)
        drawable = not curved or find_spec("contourpy") is not None  # which comes with extras
        self._as_read = few and drawable and not fitted.on_disk
        self._curved = self._as_read and curved
        names = self._transformer.encoded_feature_names
        X = raw_rows(source, self._transformer) if self._as_read else encoded.X
        if self._curved:
            coef, intercept = np.zeros((1, X.shape[1])), np.zeros(1)
        else:
            coef, intercept = self._for_shown_rows(estimator.coef_, estimator.intercept_)
        projection = Projection.of(X, coef, intercept, names if self._as_read else ())
        self.view = View.of(X, encoded.codes, projection, keep=_rows_of(fitted.proof))

    def boundary(self, coef: Floats, intercept: Floats) -> Boundary:
        """The decision boundary of some weights."""
        if not self._curved:
            return self.view.boundary(*self._for_shown_rows(coef, intercept))
        W = np.column_stack([coef, intercept])
        return self.view.curved_boundary(lambda points: linear_scores(self._features(points), W))

    def _features(self, points: Floats) -> Any:
        rows = np.array(points[:, : self._transformer.n_encoded_features])
        if self._transformer.scaling is not None:
            self._transformer.scaling.apply(rows)
        return self._transformer.apply_maps(rows)

    def _for_shown_rows(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """Weights for the rows as shown: for unscaled rows, if these are."""
        scaling = self._transformer.scaling
        if not self._as_read or scaling is None:
            return coef, intercept
        unscaled = coef * scaling.factor
        return unscaled, intercept - unscaled @ scaling.shift


def _boundary(found: Boundary) -> dict[str, Any]:
    return {
        "cells": [_plain(cell) for cell in found.cells],
        "lines": [_plain(line) for line in found.lines],
        "shade": None if found.shade is None else found.shade.astype(int).tolist(),
    }


def _plain(points: Floats) -> list[list[float]]:
    plain: list[list[float]] = np.asarray(points, dtype=float).tolist()
    return plain


def _frames(fitted: FitResult, run: Any) -> list[Frame]:
    """A replay of the run, if it takes little work."""
    encoded = fitted.encoded
    assert encoded is not None
    work = MAX_REPLAY_ENTRIES / max(1, entries_in(encoded.rows))
    if hasattr(run, "gap_"):
        work /= EPOCHS_PER_STEP
    given = fitted.initial_weights or {}
    frames = replay(run, encoded.X, encoded.codes, work=work, **given)
    return [frame for frame in frames if frame.n_iter]  # the start has no record in the trace


def _caption(run: Any, frame: Frame) -> str:
    """The caption of an epoch or step."""
    if not hasattr(run, "gap_"):
        record = run.trace_[frame.n_iter - 1]
        mistakes = counted(record.mistakes, "mistake", "mistakes")
        return f"Epoch {frame.n_iter} of {iterations_of(run)}: {mistakes}"
    latest = {r.output: r.gap for r in run.trace_ if r.step <= frame.n_iter}
    gap = max(latest.values(), default=np.inf)  # some steps of the dual are not measured
    known = f"{gap:.1e}" if gap < np.inf else "not known yet"
    return f"Step {frame.n_iter} of {iterations_of(run)}: duality gap {known}"


def _weight_names(fitted: FitResult, names: Mapping[int, str]) -> list[str]:
    if len(fitted.estimator.coef_) > MAX_OUTPUTS:
        return []
    usual = fitted.learned.transformer.feature_names
    return [*(names.get(j, usual[j]) for j in _shown(fitted.estimator)), "intercept"]


def _weights_at(frame: Frame, estimator: Any) -> list[list[float]]:
    """The weights of an epoch: one row per feature, the intercept last, one column per output."""
    if len(frame.coef) > MAX_OUTPUTS:
        return []
    chosen = np.column_stack([frame.coef[:, _shown(estimator)], frame.intercept])
    return _plain(chosen.T)


def _shown(estimator: Any) -> list[int]:
    chosen: list[int] = largest_features(estimator.coef_)[:SHOWN_WEIGHTS].tolist()
    return chosen


def _curves(estimator: Any, classes: Sequence[str], *, scaled: bool) -> list[dict[str, Any]]:
    """Curves of the run; empty ones are left out."""
    of_scaled = " (γ and R of the scaled features; the verdict's are of the rows as read)"
    bounded = scaled and getattr(estimator, "mistake_bound_", None) is not None
    trace = getattr(estimator, "trace_", None)
    if not trace:
        return []
    found = []
    for kind in curve_kinds(trace):
        curves = [c._asdict() for c in curves_of(trace, kind, classes) if len(c.values) > 1]
        values = [value for curve in curves for value in curve["values"]]
        if kind != "norm" and any(values) and np.isfinite(values).all():
            remark = curve_caption(estimator, kind)
            remark += of_scaled if bounded and kind in {"mistakes", "margin"} else ""
            found.append({"kind": kind, "remark": remark, "curves": curves})
    return found


def _calibration(fitted: FitResult) -> dict[str, Any] | None:
    evaluation = fitted.evaluation
    if evaluation is None or evaluation.probabilities is None:
        return None
    confidence = evaluation.probabilities.max(axis=1)
    return {**calibration(confidence, evaluation.correct), "method": evaluation.method}


def _pixels(estimator: Any, transformer: ColumnTransformer) -> dict[str, Any] | None:
    """Weights as images, where the features are the pixels of a square."""
    side = int(np.sqrt(transformer.n_features))
    square = side * side == transformer.n_features and side in IMAGE_SIDES
    if (
        not square
        or transformer.sparse
        or transformer.maps
        or not _pixel_by_pixel(transformer.feature_names, side)
    ):
        return None
    return {"side": side, "units": _plain(estimator.coef_)}


def _pixel_by_pixel(names: Sequence[str], side: int) -> bool:
    """Whether the names are one word and running numbers: 1, 2, …, or row and column."""
    if len({NUMBER.sub("#", name) for name in names}) != 1:
        return False
    numbers = np.array([[int(n) for n in NUMBER.findall(name)] for name in names])
    places = np.arange(len(names))
    counted = {1: places[:, None], 2: np.column_stack(np.divmod(places, side))}
    expected = counted.get(numbers.shape[1])
    return expected is not None and bool((numbers - numbers[0] == expected).all())


def _rows_of(proof: Proof | None) -> tuple[int, ...]:
    """Rows of a proof to highlight; too many would hide the others."""
    rows: tuple[int, ...] = ()
    if isinstance(proof, Separable):
        rows = proof.support
    elif isinstance(proof, Inseparable):
        rows = tuple(dict.fromkeys(proof.rows))
    return rows if len(rows) <= SHOWN_ROWS else ()


def _highlighted(proof: Proof | None) -> str:
    if isinstance(proof, Separable):
        return "the rows nearest to the separating plane of the proof"
    return "the rows that prove that no plane separates the classes"


def _proof_rows(proof: Proof | None, source: Source, fitted: FitResult) -> list[dict[str, Any]]:
    """Contradicting rows, as they were read, with their exact weights."""
    if not isinstance(proof, Inseparable):
        return []
    shown = range(min(SHOWN_ROWS, len(proof.rows)))
    wanted = {proof.rows[t] for t in shown}
    found = source_rows(source, wanted, fitted.learned.transformer)
    return [_proof_row(proof, t, found, fitted) for t in shown]


def _proof_row(
    proof: Inseparable, t: int, found: Mapping[int, SourceRow], fitted: FitResult
) -> dict[str, Any]:
    assert fitted.encoded is not None
    row = proof.rows[t]
    return {
        "row": row,
        "place": found[row].place,
        "class": str(fitted.learned.classes[int(fitted.encoded.codes[row])]),
        "rival": proof.classes[proof.rivals[t]],
        "weight": str(proof.weights[t]),
        "share": float(proof.weights[t]),
        "cells": {name: "" if v is None else str(v) for name, v in found[row].cells.items()},
    }
