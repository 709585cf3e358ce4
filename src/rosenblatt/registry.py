"""The learning rules, one row each: what the package, commands, model files and the lab read."""

from enum import StrEnum
from typing import NamedTuple


class Rule(StrEnum):
    """The rules that `fit` and `compare` train, by their names on the command line."""

    AUTO = "auto"
    PERCEPTRON = "perceptron"
    BATCH_PERCEPTRON = "batch-perceptron"
    PASSIVE_AGGRESSIVE = "passive-aggressive"
    AROW = "arow"
    SECOND_ORDER_PERCEPTRON = "second-order-perceptron"
    LMS = "lms"
    TANH_PERCEPTRON = "tanh-perceptron"
    GRADIENT_DESCENT = "gradient-descent"
    LEAST_SQUARES = "least-squares"
    FISHER_DISCRIMINANT = "fisher-discriminant"
    LINEAR_DISCRIMINANT = "linear-discriminant"
    LINEAR_SVM = "linear-svm"
    LOGISTIC_REGRESSION = "logistic-regression"

    @property
    def estimator(self) -> str:
        """The name of the rule's estimator; `auto` is logistic regression with C selected."""
        return RULES[Rule.LOGISTIC_REGRESSION if self is Rule.AUTO else self].estimator


class RuleEntry(NamedTuple):
    """A rule: its name on the command line and in files, its class, and its update."""

    name: str
    estimator: str
    module: str
    title: str
    update: str


_ROWS = (
    RuleEntry(
        Rule.PERCEPTRON.value,
        "Perceptron",
        "estimators.perceptron",
        "Perceptron",
        "w ← w + η y x  on a mistake",
    ),
    RuleEntry(
        Rule.BATCH_PERCEPTRON.value,
        "BatchPerceptron",
        "estimators.batch_perceptron",
        "Batch perceptron",
        "w ← w + η Σ y x  over all mistakes",
    ),
    RuleEntry(
        Rule.PASSIVE_AGGRESSIVE.value,
        "PassiveAggressive",
        "estimators.passive_aggressive",
        "Passive-aggressive",
        "w ← w + min(C, loss / |x|²) y x",
    ),
    RuleEntry(
        Rule.AROW.value,
        "AROW",
        "estimators.second_order",
        "AROW",
        "w ← w + β max(0, 1 − y w·x) Σ y x,  Σ ← Σ − β Σ x xᵀ Σ,  β = 1 / (xᵀ Σ x + r)",
    ),
    RuleEntry(
        Rule.SECOND_ORDER_PERCEPTRON.value,
        "SecondOrderPerceptron",
        "estimators.second_order",
        "Second-order perceptron",
        "w = (a I + Σ x xᵀ)⁻¹ Σ y x  over all mistakes",
    ),
    RuleEntry(
        Rule.LMS.value, "LMS", "estimators.lms", "LMS (Widrow–Hoff)", "w ← w + η (y − w·x) x"
    ),
    RuleEntry(
        Rule.TANH_PERCEPTRON.value,
        "TanhPerceptron",
        "estimators.tanh_perceptron",
        "Tanh perceptron",
        "w ← w + η (y − f)(1 − f²) x,  f = tanh(w·x)",
    ),
    RuleEntry(
        Rule.GRADIENT_DESCENT.value,
        "GradientDescent",
        "estimators.gradient_descent",
        "Gradient descent",
        "w ← w − η Σ ℓ′(y w·x) y x",
    ),
    RuleEntry(
        Rule.LEAST_SQUARES.value,
        "LeastSquares",
        "estimators.least_squares",
        "Least squares",
        "w = (XᵀX)⁻¹ Xᵀ y",
    ),
    RuleEntry(
        Rule.FISHER_DISCRIMINANT.value,
        "FisherDiscriminant",
        "estimators.fisher_discriminant",
        "Fisher's discriminant",
        "w = S⁻¹ (m₁ − m₂)",
    ),
    RuleEntry(
        Rule.LINEAR_DISCRIMINANT.value,
        "LinearDiscriminant",
        "estimators.linear_discriminant",
        "Linear discriminant analysis",
        "w = Σ⁻¹ (m₁ − m₂), b from priors",
    ),
    RuleEntry(
        Rule.LINEAR_SVM.value,
        "LinearSVM",
        "estimators.linear_svm",
        "Support vector machine",
        "minimise ½|w|² + C Σ max(0, 1 − y w·x)",
    ),
    RuleEntry(
        Rule.LOGISTIC_REGRESSION.value,
        "LogisticRegression",
        "estimators.logistic_regression",
        "Logistic regression",
        "minimise ½|w|² + C Σ log(1 + exp(−y w·x))",
    ),
    RuleEntry(
        "least-squares-regressor",
        "LeastSquaresRegressor",
        "estimators.least_squares_regressor",
        "Least squares regression",
        "w = (XᵀX)⁻¹ Xᵀ y",
    ),
    RuleEntry(
        "lms-regressor",
        "LMSRegressor",
        "estimators.lms_regressor",
        "LMS regression (Widrow–Hoff)",
        "w ← w + η (y − w·x) x",
    ),
    RuleEntry(
        "kernel-perceptron",
        "KernelPerceptron",
        "estimators.kernel_perceptron",
        "Kernel perceptron",
        "δ_j ← δ_j + y  on a mistake,  w = Σ δ_j Φ(x_j)",
    ),
    RuleEntry(
        "sentence-ranker",
        "SentenceRanker",
        "estimators.sentence_ranker",
        "Sentence ranker",
        "w ← w + η (x⁺ − x⁻)  on a mistake",
    ),
    RuleEntry(
        "fixed-weights",
        "FixedWeightsClassifier",
        "estimators.fixed_weights",
        "Given weights",
        "w and b as they are given",
    ),
    RuleEntry(
        "threshold-unit",
        "ThresholdUnit",
        "logic.units",
        "Threshold unit",
        "1 where w·x + b ≥ 0, else 0",
    ),
    RuleEntry(
        "threshold-network",
        "ThresholdNetwork",
        "logic.units",
        "Threshold network",
        "threshold units in two layers",
    ),
)
RULES = {row.name: row for row in _ROWS}
NAMES = {row.estimator: row.name for row in _ROWS}  # of estimators, in files
