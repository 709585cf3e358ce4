"""The error of an estimator that was asked before it was fitted."""

from sklearn.exceptions import NotFittedError


class UnfittedError(NotFittedError, AttributeError):
    """Not fitted: an AttributeError too, so that hasattr(model, "coef_") is False."""
