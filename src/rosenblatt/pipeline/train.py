"""Training: an estimator of a rule with its settings, those of the default rule chosen from data.

The default rule, auto, is maximum a posteriori logistic regression. C is the prior variance of the
weights, which does not depend on how many rows there are. So where cross-validation on all rows
would take long, C is chosen by a hold-out of a sample.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, n_cols, n_rows, rows_take
from rosenblatt.data.training_data import entries_in
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.model_selection.choose_c import SAMPLE_CS, best_on_path
from rosenblatt.model_selection.split import held_out
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.registry import Rule
from rosenblatt.text import listed
from rosenblatt.types import Ints

Progress = Callable[[str], None]

# parameters that only make sense in Python, or do nothing
PYTHON_ONLY = {
    "average",
    "dual",
    "intercept_scaling",
    "n_components",
    "priors",
    "store_covariance",
    "verbose",
    "warm_start",
}
MAX_CV_ENTRIES = 1 << 17  # entries or features, times outputs: cross-validation on all rows is fast
MAX_SAMPLE_ENTRIES = 1 << 25  # entries times outputs of a sample
MAX_SAMPLE_ROWS = 20_000
MAX_MULTINOMIAL_FEATURES = 4096  # sparse; beyond, one-vs-rest is as accurate and much faster
TOL = 1e-4  # duality gap of the fit: a smaller one does not improve accuracy
PATH_TOL = 1e-3  # duality gap of fits that only select C
DEFAULT_C = 1.0  # where no row of some class can be held out


def estimator_of(rule: Rule, settings: Mapping[str, Any]) -> Any:
    """An estimator with its settings; one that the rule does not have is refused."""
    import rosenblatt  # noqa: PLC0415 (late: estimators are slow to import)

    model = getattr(rosenblatt, rule.estimator)()
    known = set(model.get_params())
    if "max_iter" not in known:
        settings = _without_time_limit(settings)
    for name in settings:
        if name not in known:
            has = listed(_flag(parameter) for parameter in sorted(known - PYTHON_ONLY))
            raise ParameterError(f"--rule {rule} has no option {_flag(name)}; it has {has}.")
    return model.set_params(**settings)


def train_estimator(
    rule: Rule,
    settings: Mapping[str, Any],
    encoded: EncodedData,
    n_classes: int,
    progress: Progress = lambda _: None,
    initial_weights: Mapping[str, Any] | None = None,
) -> Any:
    """An estimator fitted to the rows; the settings of the default rule are chosen from them.

    `initial_weights` are those arguments of `fit`.
    """
    if rule is Rule.AUTO:
        progress("Selecting C")
        settings = auto_settings(encoded, n_classes, settings)
    progress("Training")
    return estimator_of(rule, settings).fit(encoded.X, encoded.codes, **(initial_weights or {}))


def check_initial_weights(rule: Rule, given: Mapping[str, Any]) -> None:
    """Refuse weights to start from where a rule takes none."""
    if not given:
        return
    name = _flag(next(iter(given)))
    if rule is Rule.AUTO:
        raise ParameterError(
            f"{name} goes with a rule by name, such as --rule perceptron: auto selects C along a"
            " path of starts of its own."
        )
    if "coef_init" not in inspect.signature(estimator_of(rule, {}).fit).parameters:
        raise ParameterError(
            f"--rule {rule} has no option {name}: it solves for its weights in one step."
        )


def auto_settings(
    encoded: EncodedData, n_classes: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings of the default rule: tol, multi_class and C, where they are not given."""
    sparse = isinstance(encoded.rows, CSR)
    wide = sparse and n_cols(encoded.rows) > MAX_MULTINOMIAL_FEATURES
    one_vs_rest = {"multi_class": "ovr"} if wide and n_classes > 2 else {}
    chosen = {"tol": TOL, **one_vs_rest, **settings}
    if "C" not in chosen:
        chosen["C"] = choose_C(encoded, n_classes, chosen)
    return chosen


def choose_C(encoded: EncodedData, n_classes: int, settings: Mapping[str, Any]) -> Any:  # noqa: N802
    """The C to fit with: "cv" for few rows, else the best on a hold-out of a sample."""
    n_outputs = 1 if n_classes == 2 else n_classes
    if np.bincount(encoded.codes, minlength=n_classes).min() < 2:
        return DEFAULT_C
    work = max(entries_in(encoded.rows), 1) * n_outputs
    if max(work, n_cols(encoded.rows) * n_outputs) <= MAX_CV_ENTRIES:
        return "cv"
    n = n_rows(encoded.rows)
    sample_size = int(min(n, MAX_SAMPLE_ROWS, MAX_SAMPLE_ENTRIES * n / work))
    sample = np.linspace(0, n - 1, sample_size).astype(np.int64)
    left_out = held_out(1)(sample)
    train, test = _part(encoded, sample[~left_out]), _part(encoded, sample[left_out])
    if len(np.unique(train.codes)) < n_classes:
        return DEFAULT_C
    return best_on_path(_hold_out_loss(train, test, settings), SAMPLE_CS, DEFAULT_C)


def _hold_out_loss(
    train: EncodedData, test: EncodedData, settings: Mapping[str, Any]
) -> Callable[[float], float]:
    """The log loss on test rows as a function of C; each fit starts from the one before."""
    model = estimator_of(
        Rule.LOGISTIC_REGRESSION, {**settings, "tol": PATH_TOL, "warm_start": True}
    )

    def log_loss(C: float) -> float:
        p = model.set_params(C=C).fit(train.X, train.codes).predict_proba(test.X)
        return -float(np.log(np.maximum(p[np.arange(len(test.codes)), test.codes], 1e-300)).mean())

    return log_loss


def _part(encoded: EncodedData, rows: Ints) -> EncodedData:
    return EncodedData(rows_take(encoded.rows, rows), encoded.codes[rows], on_disk=False)


def _without_time_limit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a closed form, which reads the rows once and cannot stop early."""
    parameters.number("time_limit", settings.get("time_limit"), above=0, optional=True)
    return {name: value for name, value in settings.items() if name != "time_limit"}


def _flag(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"
