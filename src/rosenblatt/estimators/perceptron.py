"""The perceptron: Rosenblatt's rule, as in the lectures."""

from dataclasses import KW_ONLY, dataclass

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameters
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.online.stopping import Stop, no_mistake
from rosenblatt.online.update import Rule


@dataclass(eq=False, repr=False)
class Perceptron(OnlineClassifier):
    """Perceptron: w ← w + η y x at every mistake, until an epoch has none.

    On separable data, the convergence theorem guarantees at most (R/γ)² mistakes, and by default
    training runs until an epoch has none (scikit-learn's default stops earlier and may leave
    mistakes). Ties are mistakes. The signature extends scikit-learn's.

    Parameters
    ----------
    penalty : {None, "l2", "l1", "elasticnet"}, default=None
        Penalty on the weights, applied after every row; requires `keep="last"`. The l1 penalty is
        cumulative (Tsuruoka et al. 2009), the same for dense and sparse rows.
    alpha : float, default=0.0001
        Strength of the penalty.
    l1_ratio : float, default=0.15
        Share of l1 in the elastic net.
    fit_intercept : bool, default=True
        Whether to fit an intercept. It is the weight of a constant 1 at the end of each row.
    max_iter : int, default=1000
        Maximum number of epochs (passes over the rows).
    tol : float or None, default=None
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch has no mistake.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch.
    verbose : int, default=0
        Above 0, each epoch is logged to the logger "rosenblatt" at the level INFO, otherwise at
        DEBUG.
    eta0 : float, default=1.0
        Learning rate η.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores. Threads
        score the training rows between epochs, for `keep="pocket"`, `track_error` and margin
        bounds.
    random_state : int, RandomState or None, default=0
        Seed of the shuffle. It also determines random initial weights and the validation split.
    early_stopping : bool, default=False
        Whether to stop when the accuracy on held-out rows no longer improves.
    validation_fraction : float, default=0.1
        Share of rows held out for early stopping, unless `fit` is given X_val and y_val.
    n_iter_no_change : int, default=5
        Number of epochs without improvement to wait for before stopping.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight. In
        `partial_fit`, it uses the counts so far.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit.
    learning_rate : {"constant", "1/n"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th. Every row counts as a step. On
        overlapping data 1/n steadies the last weights; a constant η with `keep="average"` or
        "pocket" does as well or better.
    keep : {"last", "average", "pocket"}, default="last"
        Which weights to keep: the last, the mean over all rows visited, or the best seen (in `fit`
        by training errors, in `partial_fit` by the longest run of correct rows).
    multi_class : {"kesler", "ovr"}, default="kesler"
        For more than two classes: Kesler's construct, or one-vs-rest. Both read the rows once per
        epoch.
    start : {"zero", "random", "means"}, default="zero"
        Initial weights of `fit`: "means" is the mean of (x, 1) over the positive class, or over
        each class. `partial_fit` starts from zero.
    track_error : bool, default=False
        Whether to measure the training error after each epoch, which takes another pass over the
        rows.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. Training stops at the end of the current epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels; for two classes the second is the positive one.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    trace_ : Trace
        One record per epoch of `fit`.
    outcome_ : Outcome
        How the run ended, as a sentence.
    mistakes_ : int
        Mistakes over all epochs.
    margin_bounds_ : MarginBounds or None
        lower ≤ γ* ≤ upper for the largest margin γ* of the vectors (x, 1), if the theorem's
        premises hold: start from zero, constant η, equal sample weights, no penalty, no rows held
        out.
    mistake_bound_ : float or None
        (R/γ)² with that lower bound: the theorem's limit on `mistakes_`; None without convergence.
    n_iter_ : int
        Number of epochs.
    t_ : int
        Rows visited.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> and_gate = Perceptron(shuffle=False).fit(X, y)
    >>> and_gate.coef_, and_gate.intercept_
    (array([[3., 2.]]), array([-4.]))
    >>> print(and_gate.outcome_)
    Converged after 9 epochs, the last without a mistake.
    """

    _: KW_ONLY
    penalty: str | None = None
    alpha: float = 0.0001
    l1_ratio: float = 0.15
    tol: float | None = None
    eta0: float = 1.0
    learning_rate: str = "constant"
    multi_class: str = "kesler"

    def _check(self) -> None:
        super()._check()
        parameters.one_of("penalty", self.penalty, (None, "l2", "l1", "elasticnet"))
        parameters.number("alpha", self.alpha, least=0)
        parameters.number("l1_ratio", self.l1_ratio, least=0, most=1)
        parameters.number("eta0", self.eta0, above=0)
        parameters.one_of("learning_rate", self.learning_rate, ("constant", "1/n"))
        if self.penalty is not None and self.keep != "last":
            raise ParameterError(
                f"penalty={self.penalty!r} goes with keep='last' only; got keep={self.keep!r}."
            )

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        name = "perceptron" if self.learning_rate == "constant" else "perceptron 1/n"
        l1_share = {None: 0.0, "l2": 0.0, "l1": 1.0}.get(self.penalty, self.l1_ratio)
        alpha = 0.0 if self.penalty is None else self.alpha
        return self._rule_of(
            name,
            n_classes,
            eta=self.eta0,
            balanced=balanced,
            l1=alpha * l1_share,
            l2=alpha * (1.0 - l1_share),
        )

    def _convergence_criterion(self) -> Stop:
        return no_mistake

    def _eta_if_bounded(self, data: TrainingData, rule: Rule) -> float | None:
        plain = self.learning_rate == "constant" and rule.l1 == 0 and rule.l2 == 0
        return rule.eta if data.all_weigh_one and plain else None
