"""Classes whose rows all have weight 0: they cost nothing, so the best model never chooses them.

With a free intercept that of such a class falls without end, and the objective with it, towards the
objective of the other classes alone. So these are fitted without it; it gets zero weights, and an
intercept so low that what it adds to the objective is lost in rounding. Against the rest such a
class has all rows on one side; there a hinge has no loss from −1 on.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.rows import n_cols
from rosenblatt.linalg.multi_output import scores
from rosenblatt.online.result import Ending
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.solve import Step, primal_of_weights, unproved
from rosenblatt.types import Floats, Ints

FAR_BELOW = 100.0  # the other scores: a probability below e⁻¹⁰⁰


def class_sizes(problem: TrainingData) -> Floats:
    """Weight of all rows of each class."""
    counts = np.bincount(problem.codes, problem.weights, problem.n_classes)
    return np.asarray(counts * problem.class_weights)


def never_chosen(objective: BinaryObjective) -> Iterator[Step]:
    """The run of an absent class against the rest: one step, which is its end."""
    w = np.zeros(n_cols(objective.blocks.problem.rows) + 1)
    w[-1] = -FAR_BELOW
    step = unproved(w, np.zeros_like(objective.sample_C), primal_of_weights(objective, w))
    yield replace(step, ending=Ending.CERTIFIED)


def present_only(problem: TrainingData, present: Ints) -> tuple[TrainingData, Ints]:
    """The problem of the classes present alone, and the numbers of its rows."""
    codes = np.full(problem.n_classes, -1, problem.codes.dtype)
    codes[present] = np.arange(len(present))
    rows = np.flatnonzero(codes[problem.codes] >= 0)
    part = problem.take(rows)
    part = part._replace(codes=codes[part.codes], class_weights=problem.class_weights[present])
    return part, rows


def with_absent(
    objective: SoftmaxObjective, step: Step, present: Ints, rows: Ints
) -> tuple[Floats, Floats]:
    """Weights and dual variables of all classes, from the last step of those present alone."""
    n, K = len(objective.sample_C), objective.n_classes
    W, alpha = np.zeros((K, step.w.shape[1])), np.zeros((n, K))
    W[present] = step.w
    alpha[np.ix_(rows, present)] = step.alpha
    lowest = scores(objective.blocks, np.ascontiguousarray(step.w.T)).max(axis=1).min()
    absent = np.setdiff1d(np.arange(K), present)
    W[absent, -1] = min(float(lowest), 0.0) - FAR_BELOW
    return W, alpha
