"""Linear classifiers with proofs.

Names are loaded when they are first used, so that `import rosenblatt` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.registry import RULES

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rosenblatt import features, plotting
    from rosenblatt.comparison.bias_variance import bias_variance
    from rosenblatt.comparison.compare import compare
    from rosenblatt.comparison.learning_curves import capacity_curve, learning_curve
    from rosenblatt.datasets.builtin import builtin
    from rosenblatt.datasets.corruptions import corrupted
    from rosenblatt.estimators.batch_perceptron import BatchPerceptron
    from rosenblatt.estimators.convergence_table import convergence_table
    from rosenblatt.estimators.convex_base import regularisation_path
    from rosenblatt.estimators.fisher_discriminant import FisherDiscriminant
    from rosenblatt.estimators.fixed_weights import FixedWeightsClassifier, from_weights
    from rosenblatt.estimators.gradient_descent import GradientDescent
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
    from rosenblatt.estimators.least_squares import LeastSquares
    from rosenblatt.estimators.least_squares_regressor import LeastSquaresRegressor
    from rosenblatt.estimators.linear_discriminant import LinearDiscriminant
    from rosenblatt.estimators.linear_svm import LinearSVM
    from rosenblatt.estimators.lms import LMS
    from rosenblatt.estimators.lms_regressor import LMSRegressor
    from rosenblatt.estimators.logistic_regression import LogisticRegression
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.estimators.second_order import AROW, SecondOrderPerceptron
    from rosenblatt.estimators.sentence_ranker import SentenceRanker
    from rosenblatt.estimators.tanh_perceptron import TanhPerceptron
    from rosenblatt.lectures.scene import scene
    from rosenblatt.lectures.scene_table import scene_names
    from rosenblatt.logic import gates
    from rosenblatt.logic.realize import realize
    from rosenblatt.logic.solution_region import solution_region
    from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit
    from rosenblatt.persist.file import load, save
    from rosenblatt.pipeline.read_dataset import read
    from rosenblatt.report.json import named_weights
    from rosenblatt.separation.decide import separability
    from rosenblatt.separation.label_noise import label_noise_bounds
    from rosenblatt.separation.proof.reader import load_proof
    from rosenblatt.separation.proof.verify import verify

_HOMES = {
    **{rule.estimator: f"rosenblatt.{rule.module}" for rule in RULES.values()},
    "bias_variance": "rosenblatt.comparison.bias_variance",
    "builtin": "rosenblatt.datasets.builtin",
    "capacity_curve": "rosenblatt.comparison.learning_curves",
    "compare": "rosenblatt.comparison.compare",
    "convergence_table": "rosenblatt.estimators.convergence_table",
    "corrupted": "rosenblatt.datasets.corruptions",
    "from_weights": "rosenblatt.estimators.fixed_weights",
    "label_noise_bounds": "rosenblatt.separation.label_noise",
    "learning_curve": "rosenblatt.comparison.learning_curves",
    "load": "rosenblatt.persist.file",
    "load_proof": "rosenblatt.separation.proof.reader",
    "named_weights": "rosenblatt.report.json",
    "read": "rosenblatt.pipeline.read_dataset",
    "realize": "rosenblatt.logic.realize",
    "regularisation_path": "rosenblatt.estimators.convex_base",
    "save": "rosenblatt.persist.file",
    "scene": "rosenblatt.lectures.scene",
    "scene_names": "rosenblatt.lectures.scene_table",
    "separability": "rosenblatt.separation.decide",
    "solution_region": "rosenblatt.logic.solution_region",
    "verify": "rosenblatt.separation.proof.verify",
}
_MODULES = {
    "features": "rosenblatt.features",
    "gates": "rosenblatt.logic.gates",
    "plotting": "rosenblatt.plotting",
}

__all__ = [
    "AROW",
    "LMS",
    "BatchPerceptron",
    "FisherDiscriminant",
    "FixedWeightsClassifier",
    "GradientDescent",
    "KernelPerceptron",
    "LMSRegressor",
    "LeastSquares",
    "LeastSquaresRegressor",
    "LinearDiscriminant",
    "LinearSVM",
    "LogisticRegression",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrderPerceptron",
    "SentenceRanker",
    "TanhPerceptron",
    "ThresholdNetwork",
    "ThresholdUnit",
    "bias_variance",
    "builtin",
    "capacity_curve",
    "compare",
    "convergence_table",
    "corrupted",
    "features",
    "from_weights",
    "gates",
    "label_noise_bounds",
    "learning_curve",
    "load",
    "load_proof",
    "named_weights",
    "plotting",
    "read",
    "realize",
    "regularisation_path",
    "save",
    "scene",
    "scene_names",
    "separability",
    "solution_region",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
