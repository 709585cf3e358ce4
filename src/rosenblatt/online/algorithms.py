"""Table of the online algorithms: their loss, their source, the step size τ of w ← w + τ y x."""

from enum import IntEnum
from typing import NamedTuple

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import Loss


class Step(IntEnum):
    """The step sizes."""

    CONSTANT = 0
    INVERSE = 1
    PASSIVE_AGGRESSIVE_1 = 2
    PASSIVE_AGGRESSIVE_2 = 3
    NORMALISED = 4
    SECOND_ORDER = 5


ZERO_LOSS_TOLERANCE = 1e-12  # a loss that a step set to zero is a rounding error
CONSTANT, INVERSE, PASSIVE_AGGRESSIVE_1, PASSIVE_AGGRESSIVE_2, NORMALISED, SECOND_ORDER = (
    int(step) for step in Step
)


@njit(cache=True, forceinline=True)
def learning_rate(step: int, eta: float, n: int) -> float:
    """Learning rate at the n-th sample."""
    return eta / n if step == INVERSE else eta


@njit(cache=True, forceinline=True)
def passive_aggressive_step(step: int, cap: float, loss: float, squared_norm: float) -> float:
    """Smallest step that reduces the loss of a sample to 0, at most C."""
    # a row of zeros without an intercept has no step, nor has one whose weight underflows
    if loss <= ZERO_LOSS_TOLERANCE or squared_norm == 0.0 or cap == 0.0:
        return 0.0
    if step == PASSIVE_AGGRESSIVE_1:
        return min(cap, loss / squared_norm)
    return loss / (squared_norm + 0.5 / cap)


@njit(cache=True, forceinline=True)
def normalised_step(eta: float, derivative: float, squared_norm: float) -> float:
    """Gradient step by η for a sample scaled to norm 1."""
    return 0.0 if squared_norm == 0.0 else -eta * derivative / squared_norm


class Algorithm(NamedTuple):
    """An online algorithm: its loss and its step size."""

    loss: Loss
    step: Step
    source: str


ALGORITHMS = {
    "perceptron": Algorithm(Loss.PERCEPTRON, Step.CONSTANT, "lectures 000–004"),
    "perceptron 1/n": Algorithm(Loss.PERCEPTRON, Step.INVERSE, "lecture 004"),
    "perceptron normalised": Algorithm(Loss.PERCEPTRON, Step.NORMALISED, "as normalised LMS"),
    "LMS": Algorithm(Loss.SQUARE, Step.CONSTANT, "lecture 002 (Widrow and Hoff 1960)"),
    "LMS 1/n": Algorithm(Loss.SQUARE, Step.INVERSE, "lectures 002, 004"),
    "LMS normalised": Algorithm(Loss.SQUARE, Step.NORMALISED, "Nagumo and Noda 1967"),
    "hinge": Algorithm(Loss.HINGE, Step.CONSTANT, "lecture 000"),
    "hinge 1/n": Algorithm(Loss.HINGE, Step.INVERSE, "lectures 000, 004"),
    "hinge normalised": Algorithm(Loss.HINGE, Step.NORMALISED, "as normalised LMS"),
    "squared hinge": Algorithm(Loss.SQUARED_HINGE, Step.CONSTANT, "as the hinge"),
    "squared hinge 1/n": Algorithm(Loss.SQUARED_HINGE, Step.INVERSE, "as the hinge"),
    "squared hinge normalised": Algorithm(Loss.SQUARED_HINGE, Step.NORMALISED, "as normalised LMS"),
    "logistic": Algorithm(Loss.LOGISTIC, Step.CONSTANT, "lecture 003"),
    "logistic 1/n": Algorithm(Loss.LOGISTIC, Step.INVERSE, "lectures 003, 004"),
    "logistic normalised": Algorithm(Loss.LOGISTIC, Step.NORMALISED, "as normalised LMS"),
    "tanh": Algorithm(Loss.TANH, Step.CONSTANT, "lectures 002, 004"),
    "tanh 1/n": Algorithm(Loss.TANH, Step.INVERSE, "lecture 004"),
    "tanh normalised": Algorithm(Loss.TANH, Step.NORMALISED, "as normalised LMS"),
    "sigmoid": Algorithm(Loss.SIGMOID, Step.CONSTANT, "lecture 002"),
    "sigmoid 1/n": Algorithm(Loss.SIGMOID, Step.INVERSE, "lectures 002, 004"),
    "sigmoid normalised": Algorithm(Loss.SIGMOID, Step.NORMALISED, "as normalised LMS"),
    "passive-aggressive I": Algorithm(Loss.HINGE, Step.PASSIVE_AGGRESSIVE_1, "Crammer et al. 2006"),
    "passive-aggressive II": Algorithm(
        Loss.HINGE, Step.PASSIVE_AGGRESSIVE_2, "Crammer et al. 2006"
    ),
    "AROW": Algorithm(Loss.HINGE, Step.SECOND_ORDER, "Crammer, Kulesza and Dredze 2009"),
    "second-order perceptron": Algorithm(
        Loss.PERCEPTRON, Step.SECOND_ORDER, "Cesa-Bianchi, Conconi and Gentile 2005"
    ),
}
