"""One row a rule: read by `import rosenblatt`, the command line, model files and the lab."""

from typing import NamedTuple


class RuleEntry(NamedTuple):
    """A rule: its name on the command line and in files, its class, and how it learns."""

    name: str
    estimator: str
    module: str
    title: str
    update: str


_ROWS = (
    RuleEntry(
        "perceptron",
        "Perceptron",
        "estimators.perceptron",
        "Perceptron",
        "w ← w + η y x  on a mistake",
    ),
    RuleEntry(
        "batch-perceptron",
        "BatchPerceptron",
        "estimators.batch_perceptron",
        "Batch perceptron",
        "w ← w + η Σ y x  over all mistakes",
    ),
    RuleEntry(
        "passive-aggressive",
        "PassiveAggressive",
        "estimators.passive_aggressive",
        "Passive-aggressive",
        "w ← w + min(C, loss / |x|²) y x",
    ),
    RuleEntry(
        "arow",
        "AROW",
        "estimators.arow",
        "AROW",
        "w ← w + β max(0, 1 − y w·x) Σ y x,  Σ ← Σ − β Σ x xᵀ Σ,  β = 1 / (xᵀ Σ x + r)",
    ),
    RuleEntry(
        "second-order-perceptron",
        "SecondOrderPerceptron",
        "estimators.second_order_perceptron",
        "Second-order perceptron",
        "w = (a I + Σ x xᵀ)⁻¹ Σ y x  over all mistakes",
    ),
    RuleEntry("lms", "LMS", "estimators.lms", "LMS (Widrow–Hoff)", "w ← w + η (y − w·x) x"),
    RuleEntry(
        "tanh-perceptron",
        "TanhPerceptron",
        "estimators.tanh_perceptron",
        "Tanh perceptron",
        "w ← w + η (y − f)(1 − f²) x,  f = tanh(w·x)",
    ),
    RuleEntry(
        "least-squares",
        "LeastSquares",
        "estimators.least_squares",
        "Least squares",
        "w = (XᵀX)⁻¹ Xᵀ y",
    ),
    RuleEntry(
        "fisher-discriminant",
        "FisherDiscriminant",
        "estimators.fisher_discriminant",
        "Fisher's discriminant",
        "w = S⁻¹ (m₁ − m₂)",
    ),
    RuleEntry(
        "linear-discriminant",
        "LinearDiscriminant",
        "estimators.linear_discriminant",
        "Linear discriminant analysis",
        "w = Σ⁻¹ (m₁ − m₂), b from priors",
    ),
    RuleEntry(
        "linear-svm",
        "LinearSVM",
        "estimators.linear_svm",
        "Support vector machine",
        "minimise ½|w|² + C Σ max(0, 1 − y w·x)",
    ),
    RuleEntry(
        "logistic-regression",
        "LogisticRegression",
        "estimators.logistic_regression",
        "Logistic regression",
        "minimise ½|w|² + C Σ log(1 + exp(−y w·x))",
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
