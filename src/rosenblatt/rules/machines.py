"""The classical machines as rows of a table: which loss, which step, and where it stands.

An estimator looks its row up here and adds nothing of its own to the mathematics.
"""

from typing import NamedTuple

from rosenblatt.rules.losses import Loss
from rosenblatt.rules.steps import Step


class Machine(NamedTuple):
    """A learning rule: the loss it descends, by which step, after each sample or each batch."""

    loss: Loss
    step: Step
    source: str


MACHINES = {
    "perceptron": Machine(Loss.PERCEPTRON, Step.CONSTANT, "lectures 000–004"),
    "perceptron 1/n": Machine(Loss.PERCEPTRON, Step.INVERSE, "lecture 004"),
    "passive-aggressive I": Machine(Loss.HINGE, Step.CLOSING_1, "Crammer et al. 2006"),
    "passive-aggressive II": Machine(Loss.HINGE, Step.CLOSING_2, "Crammer et al. 2006"),
    "AROW": Machine(Loss.HINGE, Step.CONFIDENT, "Crammer, Kulesza and Dredze 2009"),
    "second-order perceptron": Machine(
        Loss.PERCEPTRON, Step.CONFIDENT, "Cesa-Bianchi, Conconi and Gentile 2005"
    ),
}
