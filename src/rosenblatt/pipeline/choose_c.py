"""The default rule: maximum a posteriori logistic regression, C chosen on rows left out.

C is the prior variance of the weights, which does not depend on how many rows there are. So where
cross-validation on all rows would take long, a sample of them is enough to choose it, along a path
of rising C that ends where the log loss on rows left out has risen twice.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, n_cols, n_rows, rows_take
from rosenblatt.data.training_data import entries_in
from rosenblatt.model_selection.split import held_out
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.pipeline.rule import Rule, estimator_of
from rosenblatt.types import Ints

CS = tuple(10.0**power for power in np.arange(-2, 4.5, 0.5))
MAX_CV_ENTRIES = 1 << 17  # entries, or features, times units: cross-validation on all rows is quick
MAX_SAMPLE_ENTRIES = 1 << 25  # entries times units of a sample
MAX_SAMPLE_ROWS = 20_000  # of a sample
WIDE = 4096  # features
TOL = 1e-4  # gap of the fit itself: nearer is not better on new rows
PATH_TOL = 1e-3  # gap of fits that only choose
PATIENCE = 2


def auto_settings(
    encoded: EncodedData, n_classes: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings of the default rule, where they are not given: tol, C and, for words, the units.

    For thousands of sparse features, one class against the rest is as good and much quicker.
    """
    wide = isinstance(encoded.rows, CSR) and n_cols(encoded.rows) > WIDE
    apart = {"multi_class": "ovr"} if wide and n_classes > 2 else {}
    chosen = {"tol": TOL, **apart, **settings}
    if "C" not in chosen:
        chosen["C"] = choose_C(encoded, n_classes, chosen)
    return chosen


def choose_C(encoded: EncodedData, n_classes: int, settings: Mapping[str, Any]) -> Any:  # noqa: N802
    """The C to fit with: "cv" for few rows, else the best on a part of a sample left out.

    It is 1 where a class has a single row, which cannot be left out.
    """
    units = 1 if n_classes == 2 else n_classes
    if np.bincount(encoded.codes, minlength=n_classes).min() < 2:
        return 1.0
    work = max(entries_in(encoded.rows), 1) * units
    if max(work, n_cols(encoded.rows) * units) <= MAX_CV_ENTRIES:
        return "cv"
    n = n_rows(encoded.rows)
    wanted = int(min(n, MAX_SAMPLE_ROWS, MAX_SAMPLE_ENTRIES * n / work))
    sample = np.linspace(0, n - 1, wanted).astype(np.int64)
    left_out = held_out(1)(sample)
    train, test = _part(encoded, sample[~left_out]), _part(encoded, sample[left_out])
    return _best_on_path(train, test, settings) if _covers(train, n_classes) else 1.0


def _part(encoded: EncodedData, rows: Ints) -> EncodedData:
    return EncodedData(rows_take(encoded.rows, rows), encoded.codes[rows], on_disk=False)


def _covers(encoded: EncodedData, n_classes: int) -> bool:
    return len(np.unique(encoded.codes)) == n_classes


def _best_on_path(train: EncodedData, test: EncodedData, settings: Mapping[str, Any]) -> float:
    model = estimator_of(
        Rule.LOGISTIC_REGRESSION, {**settings, "tol": PATH_TOL, "warm_start": True}
    )
    best, least, waited = 1.0, np.inf, 0
    for C in CS:
        p = model.set_params(C=C).fit(train.X, train.codes).predict_proba(test.X)
        loss = -float(np.log(np.maximum(p[np.arange(len(test.codes)), test.codes], 1e-300)).mean())
        if loss < least:
            best, least, waited = C, loss, 0
        else:
            waited += 1
        if waited == PATIENCE:
            break
    return best
