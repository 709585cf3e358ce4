"""Learning rules by their names on the command line, and the one that is chosen by default."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.registry import RULES

# parameters that only make sense in Python, or do nothing
PYTHON_ONLY = {
    *(
        "average",
        "dual",
        "intercept_scaling",
        "n_components",
        "priors",
        "store_covariance",
        "verbose",
    ),
    "warm_start",
}


class Rule(StrEnum):
    """Learning rules by their names on the command line."""

    AUTO = "auto"
    PERCEPTRON = "perceptron"
    BATCH_PERCEPTRON = "batch-perceptron"
    PASSIVE_AGGRESSIVE = "passive-aggressive"
    AROW = "arow"
    SECOND_ORDER_PERCEPTRON = "second-order-perceptron"
    LMS = "lms"
    TANH_PERCEPTRON = "tanh-perceptron"
    LEAST_SQUARES = "least-squares"
    FISHER_DISCRIMINANT = "fisher-discriminant"
    LINEAR_DISCRIMINANT = "linear-discriminant"
    LINEAR_SVM = "linear-svm"
    LOGISTIC_REGRESSION = "logistic-regression"

    @property
    def estimator(self) -> str:
        """Name of the estimator."""
        return RULES[Rule.LOGISTIC_REGRESSION if self is Rule.AUTO else self].estimator


def estimator_of(rule: Rule, settings: Mapping[str, Any]) -> Any:
    """An estimator with its settings; one that the rule does not have is refused."""
    import rosenblatt  # noqa: PLC0415 (late: estimators are slow to import)

    model = getattr(rosenblatt, rule.estimator)()
    known = set(model.get_params())
    if "max_iter" not in known:
        settings = _without_limit(settings)
    for name in settings:
        if name not in known:
            has = ", ".join(_flag(parameter) for parameter in sorted(known - PYTHON_ONLY))
            raise ParameterError(
                f"{_flag(name)} has no meaning for --rule {rule}, which has {has}."
            )
    return model.set_params(**settings)


def _without_limit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a closed form: one reading of the rows has no place to stop at."""
    parameter_checks.number("time_limit", settings.get("time_limit"), above=0, optional=True)
    return {name: value for name, value in settings.items() if name != "time_limit"}


def _flag(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"
