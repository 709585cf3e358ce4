"""What a report shows of a fit beyond the figures of `--json`: pictures, a replay, curves, rows.

All of it is plain data: numbers, words, lists. The page draws it.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.problem import entries_in
from rosenblatt.estimators.contract import iterations_of
from rosenblatt.estimators.replaying import Frame, from_the_start, replay
from rosenblatt.evidence.curves import curves_of, kinds_of, remark_on
from rosenblatt.evidence.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.fitting.fit import Fitted
from rosenblatt.fitting.recalling import Recalled, raw_rows, recalled
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import Boundary, View
from rosenblatt.maps.recipes import applied
from rosenblatt.models.model import linear_scores
from rosenblatt.report.metrics import calibration
from rosenblatt.report.weights import largest_features
from rosenblatt.sources.chunks import Source
from rosenblatt.tables.preparation import Preparation
from rosenblatt.tables.targets import written

WORK = 3e8  # entries that may be visited to play a run again
CERTIFIED_COST = 10  # passes that a step of a certified rule is worth
SHOWN_WEIGHTS = 8  # beside a replay
SHOWN_ROWS = 40  # of a proof
MOST_UNITS = 10  # whose weights stand beside a replay
SIDES = range(8, 257)  # of a picture, in pixels
FROM_ZERO = (
    "The run is shown from its start at the C that was chosen; the fit itself began near its end."
)
NUMBER = re.compile(r"[0-9]{1,9}")


def page_figures(fitted: Fitted, source: Source, names: Mapping[int, str]) -> dict[str, Any]:
    """All that is drawn; `names` are better names for some of the features."""
    preparation = fitted.learned.preparation
    classes = [written(label) for label in fitted.learned.classes]
    run = _run(fitted)
    return {
        "classes": classes,
        "picture": _picture(fitted, run, source, names),
        "curves": _curves(run, classes),
        "calibration": _calibration(fitted),
        "weights": _pixels(fitted.estimator, preparation),
        "proof_rows": _proof_rows(fitted.proof, source, fitted),
    }


def _run(fitted: Fitted) -> Any:
    """The estimator whose run is shown: the one fitted, or one that began at its chosen C."""
    assert fitted.built is not None
    return from_the_start(fitted.estimator, fitted.built.X, fitted.built.codes)


def _picture(fitted: Fitted, run: Any, source: Source, names: Mapping[int, str]) -> dict[str, Any]:
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
        "ringed_are": _ringed_are(fitted.proof) if kept else "",
        **_boundary(shown),
        "frames": [
            {
                "passes": frame.passes,
                "told": _told(run, frame),
                "weights": _weights_at(frame, estimator),
                **_boundary(scene.boundary(frame.coef, frame.intercept)),
            }
            for frame in frames
        ],
        "weight_names": _weight_names(fitted, names),
        "replayed": "" if run is estimator else FROM_ZERO,
    }


class _Scene:
    """Where rows are seen, and how weights are seen there.

    One or two features are shown as they were read, whatever was made of them; where curves cannot
    be drawn, what was made of them is projected.
    """

    def __init__(self, fitted: Fitted, source: Source) -> None:
        built, estimator = fitted.built, fitted.estimator
        assert built is not None
        self._preparation = fitted.learned.preparation
        few = self._preparation.n_encoded <= 2 and not self._preparation.has_text
        curved = bool(self._preparation.maps)
        drawable = not curved or find_spec("contourpy") is not None  # which comes with extras
        self._as_read = few and drawable and not fitted.on_disk
        self._curved = self._as_read and curved
        names = self._preparation.encoded_names
        X = raw_rows(source, self._preparation) if self._as_read else built.X
        if self._curved:
            coef, intercept = np.zeros((1, X.shape[1])), np.zeros(1)
        else:
            coef, intercept = self._units(estimator.coef_, estimator.intercept_)
        projection = Projection.of(X, coef, intercept, names if self._as_read else ())
        self.view = View.of(X, built.codes, projection, keep=_rows_of(fitted.proof))

    def boundary(self, coef: Floats, intercept: Floats) -> Boundary:
        """What some weights decide."""
        if not self._curved:
            return self.view.boundary(*self._units(coef, intercept))
        W = np.column_stack([coef, intercept])
        return self.view.curves(lambda points: linear_scores(self._features(points), W))

    def _features(self, points: Floats) -> Any:
        rows = np.array(points[:, : self._preparation.n_encoded])
        if self._preparation.scaling is not None:
            self._preparation.scaling.apply(rows)
        return applied(self._preparation.maps, rows)

    def _units(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """Weights for the rows that are shown: for those before scaling, if these are."""
        scaling = self._preparation.scaling
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


def _frames(fitted: Fitted, run: Any) -> list[Frame]:
    """The run played again, if that is little work."""
    built = fitted.built
    assert built is not None
    work = WORK / max(1, entries_in(built.rows))
    if hasattr(run, "gap_"):
        work /= CERTIFIED_COST
    return replay(run, built.X, built.codes, work=work)


def _told(run: Any, frame: Frame) -> str:
    """What there is to say about a pass."""
    if not hasattr(run, "gap_"):
        record = run.trace_[frame.passes - 1]
        return f"Pass {frame.passes} of {iterations_of(run)}: {record.mistakes:,} mistakes in it"
    latest = {r.unit: r.gap for r in run.trace_ if r.step <= frame.passes}
    gap = max(latest.values(), default=np.inf)  # some steps of the dual are not measured
    told = f"{gap:.1e}" if gap < np.inf else "not known yet"
    return f"Step {frame.passes} of {iterations_of(run)}: duality gap {told}"


def _weight_names(fitted: Fitted, names: Mapping[int, str]) -> list[str]:
    if len(fitted.estimator.coef_) > MOST_UNITS:
        return []
    usual = fitted.learned.preparation.feature_names
    return [*(names.get(j, usual[j]) for j in _shown(fitted.estimator)), "bias"]


def _weights_at(frame: Frame, estimator: Any) -> list[list[float]]:
    """The weights of a pass: a row a feature, the bias last, a column a unit."""
    if len(frame.coef) > MOST_UNITS:
        return []
    chosen = np.column_stack([frame.coef[:, _shown(estimator)], frame.intercept])
    return _plain(chosen.T)


def _shown(estimator: Any) -> list[int]:
    chosen: list[int] = largest_features(estimator.coef_)[:SHOWN_WEIGHTS].tolist()
    return chosen


def _curves(estimator: Any, classes: Sequence[str]) -> list[dict[str, Any]]:
    """Curves of the run; those in which nothing is known are left out."""
    trace = getattr(estimator, "trace_", None)
    if not trace:
        return []
    found = []
    for kind in kinds_of(trace):
        curves = [c._asdict() for c in curves_of(trace, kind, classes) if len(c.values) > 1]
        values = [value for curve in curves for value in curve["values"]]
        if kind != "norm" and any(values) and np.isfinite(values).all():
            found.append({"kind": kind, "remark": remark_on(estimator, kind), "curves": curves})
    return found


def _calibration(fitted: Fitted) -> dict[str, Any] | None:
    estimate = fitted.estimate
    if estimate is None or estimate.sure is None:
        return None
    told = calibration(np.abs(estimate.sure), estimate.sure > 0)
    return {**told, "method": estimate.method}


def _pixels(estimator: Any, preparation: Preparation) -> dict[str, Any] | None:
    """Weights as pictures, where the features are the pixels of a square."""
    side = int(np.sqrt(preparation.n_features))
    square = side * side == preparation.n_features and side in SIDES
    if (
        not square
        or preparation.sparse
        or preparation.maps
        or not _pixel_by_pixel(preparation.feature_names, side)
    ):
        return None
    return {"side": side, "units": _plain(estimator.coef_)}


def _pixel_by_pixel(names: Sequence[str], side: int) -> bool:
    """Whether names are one word and numbers that count pixels: 1, 2, …, or row and column."""
    if len({NUMBER.sub("#", name) for name in names}) != 1:
        return False
    numbers = np.array([[int(n) for n in NUMBER.findall(name)] for name in names])
    places = np.arange(len(names))
    counted = {1: places[:, None], 2: np.column_stack(np.divmod(places, side))}
    expected = counted.get(numbers.shape[1])
    return expected is not None and bool((numbers - numbers[0] == expected).all())


def _rows_of(proof: Proof | None) -> tuple[int, ...]:
    """Rows of a proof that are pointed out; too many would hide the others."""
    rows: tuple[int, ...] = ()
    if isinstance(proof, Separable):
        rows = proof.support
    elif isinstance(proof, Inseparable):
        rows = tuple(dict.fromkeys(proof.rows))
    return rows if len(rows) <= SHOWN_ROWS else ()


def _ringed_are(proof: Proof | None) -> str:
    if isinstance(proof, Separable):
        return "nearest to the separating plane of the proof"
    return "the rows that prove that no plane separates the classes"


def _proof_rows(proof: Proof | None, source: Source, fitted: Fitted) -> list[dict[str, Any]]:
    """Rows that contradict each other, as they were read, with their exact weights."""
    if not isinstance(proof, Inseparable):
        return []
    shown = range(min(SHOWN_ROWS, len(proof.rows)))
    wanted = {proof.rows[t] for t in shown}
    found = recalled(source, wanted, fitted.learned.preparation)
    return [_proof_row(proof, t, found, fitted) for t in shown]


def _proof_row(
    proof: Inseparable, t: int, found: Mapping[int, Recalled], fitted: Fitted
) -> dict[str, Any]:
    assert fitted.built is not None
    row = proof.rows[t]
    return {
        "row": row,
        "place": found[row].place,
        "class": str(fitted.learned.classes[int(fitted.built.codes[row])]),
        "rival": proof.classes[proof.rivals[t]],
        "weight": str(proof.weights[t]),
        "share": float(proof.weights[t]),
        "cells": {name: "" if v is None else str(v) for name, v in found[row].cells.items()},
    }
