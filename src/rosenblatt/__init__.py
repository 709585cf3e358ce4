"""Linear classifiers with proofs.

Names are loaded when they are first used, so that `import rosenblatt` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.data.builtin import builtin
    from rosenblatt.estimators.batch_perceptron import BatchPerceptron
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.evidence.certificate import verify
    from rosenblatt.evidence.prooffile import load_proof
    from rosenblatt.evidence.separability import separability

_HOMES = {
    "BatchPerceptron": "rosenblatt.estimators.batch_perceptron",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "builtin": "rosenblatt.data.builtin",
    "load_proof": "rosenblatt.evidence.prooffile",
    "separability": "rosenblatt.evidence.separability",
    "verify": "rosenblatt.evidence.certificate",
}

__all__ = [
    "BatchPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "builtin",
    "load_proof",
    "separability",
    "verify",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
