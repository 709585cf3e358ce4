"""Linear classifiers with proofs.

Names are loaded when they are first used, so that `import rosenblatt` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.version import __version__ as __version__

if TYPE_CHECKING:
    from rosenblatt import features, plotting
    from rosenblatt.data.builtin import builtin
    from rosenblatt.data.corruptions import corrupted
    from rosenblatt.estimators.arow import AROW
    from rosenblatt.estimators.batch_perceptron import BatchPerceptron
    from rosenblatt.estimators.choosing import regularisation_path
    from rosenblatt.estimators.fisher_discriminant import FisherDiscriminant
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
    from rosenblatt.estimators.least_squares import LeastSquares
    from rosenblatt.estimators.linear_discriminant import LinearDiscriminant
    from rosenblatt.estimators.linear_svm import LinearSVM
    from rosenblatt.estimators.lms import LMS
    from rosenblatt.estimators.logistic_regression import LogisticRegression
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.estimators.second_order import SecondOrderPerceptron
    from rosenblatt.estimators.sentence_ranker import SentenceRanker
    from rosenblatt.estimators.tanh_perceptron import TanhPerceptron
    from rosenblatt.evidence.proof.certificate import verify
    from rosenblatt.evidence.proof.prooffile import load_proof
    from rosenblatt.evidence.search.noise import label_noise_bounds
    from rosenblatt.evidence.separability import separability
    from rosenblatt.fitting.reading import read
    from rosenblatt.logic import gates
    from rosenblatt.logic.realize import realize
    from rosenblatt.logic.region import solution_region
    from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit
    from rosenblatt.models.modelfile import load, save
    from rosenblatt.report.naming import named_weights
    from rosenblatt.studies.bias_variance import bias_variance
    from rosenblatt.studies.comparing import compare
    from rosenblatt.studies.curves import capacity_curve, learning_curve

_HOMES = {
    "AROW": "rosenblatt.estimators.arow",
    "LMS": "rosenblatt.estimators.lms",
    "BatchPerceptron": "rosenblatt.estimators.batch_perceptron",
    "FisherDiscriminant": "rosenblatt.estimators.fisher_discriminant",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "LeastSquares": "rosenblatt.estimators.least_squares",
    "LinearDiscriminant": "rosenblatt.estimators.linear_discriminant",
    "LinearSVM": "rosenblatt.estimators.linear_svm",
    "LogisticRegression": "rosenblatt.estimators.logistic_regression",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "SecondOrderPerceptron": "rosenblatt.estimators.second_order",
    "SentenceRanker": "rosenblatt.estimators.sentence_ranker",
    "TanhPerceptron": "rosenblatt.estimators.tanh_perceptron",
    "ThresholdNetwork": "rosenblatt.logic.units",
    "ThresholdUnit": "rosenblatt.logic.units",
    "bias_variance": "rosenblatt.studies.bias_variance",
    "builtin": "rosenblatt.data.builtin",
    "capacity_curve": "rosenblatt.studies.curves",
    "compare": "rosenblatt.studies.comparing",
    "corrupted": "rosenblatt.data.corruptions",
    "label_noise_bounds": "rosenblatt.evidence.search.noise",
    "learning_curve": "rosenblatt.studies.curves",
    "load": "rosenblatt.models.modelfile",
    "load_proof": "rosenblatt.evidence.proof.prooffile",
    "named_weights": "rosenblatt.report.naming",
    "read": "rosenblatt.fitting.reading",
    "realize": "rosenblatt.logic.realize",
    "regularisation_path": "rosenblatt.estimators.choosing",
    "save": "rosenblatt.models.modelfile",
    "separability": "rosenblatt.evidence.separability",
    "solution_region": "rosenblatt.logic.region",
    "verify": "rosenblatt.evidence.proof.certificate",
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
    "KernelPerceptron",
    "LeastSquares",
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
    "corrupted",
    "features",
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
