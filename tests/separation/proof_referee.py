"""Referees that share no code with the package: a few lines of fractions, or another solver."""

from fractions import Fraction

import numpy as np
from scipy.optimize import linprog


def vectors(X, y, fit_intercept):
    """Kesler's vectors in fractions, one for every row and rival; K blocks even for K = 2."""
    labels = sorted(set(y))
    out = {}
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        z = [Fraction(v) for v in x] + [Fraction(1)] * fit_intercept
        for r, rival in enumerate(labels):
            if rival != label:
                zero = [Fraction(0)] * len(z)
                blocks = [zero] * len(labels)
                blocks[labels.index(label)] = z
                blocks[r] = [-v for v in z]
                out[i, r] = [v for block in blocks for v in block]
    return out


def sum_is_zero(proof, X, y):
    """Whether the certificate's weighted vectors sum to zero, in fractions."""
    table = vectors(X, y, proof.fit_intercept)
    chosen = [table[pair] for pair in zip(proof.rows, proof.rivals, strict=True)]
    return all(
        sum(w * v[j] for w, v in zip(proof.weights, chosen, strict=True)) == 0
        for j in range(len(chosen[0]))
    )


def separates(proof, X, y):
    """Whether the weights give every row a strictly positive slack, in fractions."""
    W = [[Fraction(w) for w in unit] for unit in proof.W.tolist()]
    if len(W) == 1:
        W = [[Fraction(0)] * len(W[0]), W[0]]
    flat = [w for unit in W for w in unit]
    table = vectors(X, y, proof.fit_intercept).values()
    return all(sum(w * v for w, v in zip(flat, vector, strict=True)) > 0 for vector in table)


def linear_program(X, y, fit_intercept):
    """Whether small integer data are separable, and if not whether they touch, by HiGHS."""
    A = np.array([[float(v) for v in row] for row in vectors(X, y, fit_intercept).values()])
    k, m = A.shape
    free = [(None, None)] * m
    strict = linprog(np.zeros(m), A_ub=-A, b_ub=-np.ones(k), bounds=free, method="highs")
    weak = linprog(
        np.r_[np.zeros(m), -np.ones(k)],
        A_ub=np.hstack([-A, np.eye(k)]),
        b_ub=np.zeros(k),
        bounds=[*free, *[(0, 1)] * k],
        method="highs",
    )
    return strict.status == 0, weak.fun < -0.5
