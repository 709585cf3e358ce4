"""The perceptron criterion by gradient descent, on the whole set or in batches."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.estimators import parameters
from rosenblatt.estimators.fit_loop import (
    Monitoring,
    error_on,
    given_weights,
    log_epoch,
    run_solver,
    start_weights,
)
from rosenblatt.estimators.linear_base import LinearClassifier, WarmStart, unchanged_by_failure
from rosenblatt.estimators.partial_fit import count_outputs
from rosenblatt.estimators.replay import Replay, StateHistory, with_history
from rosenblatt.estimators.sklearn_interface import warn_unless_converged
from rosenblatt.online.epochs import batch_epochs
from rosenblatt.online.result import Ending
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.stopping import Stalled, Stop, comparable_loss, max_epochs, no_mistake
from rosenblatt.online.update import Rule


@dataclass(eq=False, repr=False)
class BatchPerceptron(LinearClassifier):
    """Batch perceptron: w ← w + η Σ y x over all mistakes of a batch, until there are none.

    Gradient descent on the perceptron criterion Σ max(0, −y (w·x)), with the whole set at each step
    (lecture 003) or in batches (lecture 001). `sample_weight` means repetition.

    Parameters
    ----------
    eta0 : float, default=1.0
        Learning rate η. The updates of a batch are summed, not averaged.
    learning_rate : {"constant", "1/n"}, default="constant"
        "constant" is η at every step, "1/n" is η/n at the n-th.
    batch_size : int or None, default=None
        Number of rows in a batch; None is all rows.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    max_iter : int, default=1000
        Maximum number of epochs (passes over the rows).
    tol : float or None, default=None
        Stop when the mean loss has not fallen by `tol` for `n_iter_no_change` epochs. None runs
        until an epoch has no mistake.
    n_iter_no_change : int, default=5
        Number of epochs without improvement to wait for before stopping.
    shuffle : bool, default=True
        Whether to visit the rows in a new order in each epoch. It makes no difference if there is a
        single batch.
    n_jobs : int or None, default=None
        Number of threads, which does not affect the result: None is one, −1 is all cores.
    random_state : int, RandomState or None, default=0
        Seed of the shuffle. It also determines random initial weights.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes; "balanced" gives all classes the same total weight.
    warm_start : bool, default=False
        Whether to start from the weights of the previous fit.
    multi_class : {"kesler", "ovr"}, default="kesler"
        For more than two classes: Kesler's construct, or one-vs-rest.
    start : {"zero", "random", "means"}, default="zero"
        Initial weights of `fit`: "means" is the mean of (x, 1) over the positive class, or over
        each class.
    track_error : bool, default=False
        Whether to measure the training error after each epoch, which takes another pass over the
        rows.
    time_limit : float or None, default=None
        Time limit of `fit` in seconds. Training stops at the end of the current epoch.

    Attributes
    ----------
    classes_, coef_, intercept_, trace_, outcome_, mistakes_, n_iter_ :
        As in `Perceptron`.

    Examples
    --------
    The worked example of lecture 003:

    >>> from rosenblatt import BatchPerceptron, builtin
    >>> points = builtin("4f10")
    >>> model = BatchPerceptron().fit(points.X, points.y, coef_init=[0, 1], intercept_init=-0.5)
    >>> model.coef_.round(4), model.intercept_
    (array([[ 1.45, -0.6 ]]), array([-0.5]))
    """

    _: KW_ONLY
    eta0: float = 1.0
    learning_rate: str = "constant"
    batch_size: int | None = None
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = None
    n_iter_no_change: int = 5
    shuffle: bool = True
    n_jobs: int | None = None
    random_state: Any = 0
    class_weight: Any = None
    warm_start: bool = False
    multi_class: str = "kesler"
    start: str = "zero"
    track_error: bool = False
    time_limit: float | None = None

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Train epoch by epoch, until one has no mistakes or `max_iter` is reached.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels of any type.
        coef_init, intercept_init : array-like, optional
            Initial weights and intercepts, instead of `start`.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.
        X_val, y_val : array-like, optional
            Validation rows: each record of `trace_` has the error on them.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            warm = self._warm_start()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            self._check_warm(warm)
            given, validation = (coef_init, intercept_init), (X_val, y_val)
            self._run_solver(data, given, warm, validation=validation)
        warn_unless_converged(self.outcome_, self.tol)
        return self

    def replay(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Replay:
        """Fit, and keep what is needed to show every step of every epoch again.

        Parameters
        ----------
        X, y, coef_init, intercept_init, sample_weight :
            As in `fit`.

        Returns
        -------
        Replay
            Iterating yields the weights (w, b) at the start, then after each batch.
            `visit(epoch, place)` gives the rows and mistakes of one step, and the weights before
            and after it. The estimator is fitted.

        Examples
        --------
        >>> from rosenblatt import BatchPerceptron, builtin
        >>> points = builtin("4f10")
        >>> run = BatchPerceptron().replay(points.X, points.y, [0, 1], -0.5)
        >>> run.visit(1, 0).mistakes
        (0, 3, 5, 6)
        >>> [weights[0].round(2).tolist() for weights in run]
        [[0.0, 1.0, -0.5], [1.45, -0.6, -0.5], [1.45, -0.6, -0.5]]
        """
        history = StateHistory()
        with unchanged_by_failure(self):
            self._check()
            data = self._training_data(X, y, sample_weight, self.class_weight)
            rule, seed = self._run_solver(data, (coef_init, intercept_init), None, history)
        return Replay(data, rule, history, seed, self.batch_size, self._threads())

    def _run_solver(
        self,
        data: TrainingData,
        given: tuple[Any, Any],
        warm: WarmStart | None,
        history: StateHistory | None = None,
        validation: tuple[Any, Any] = (None, None),
    ) -> tuple[Rule, int | None]:
        """The rule, and the seed of the shuffle, of a run whose result is stored.

        States between epochs are added to `history`, if it is given.
        """
        seed, rule = self._seed(), self._rule(data.n_classes)
        W = warm.W if warm else start_weights(data, count_outputs(data.n_classes), self.start, seed)
        W = given_weights(*given, W, rule.constant)
        state = OptimiserState.from_weights(W, data.n_classes, keep="last", l1=False)
        shuffled_by = seed if self.shuffle else None
        results = batch_epochs(
            data,
            rule,
            state,
            batch_size=self.batch_size,
            seed=shuffled_by,
            n_jobs=self._threads(),
        )
        if history is not None:
            results = with_history(results, state, history)
        monitoring = Monitoring(
            criteria=self._stopping_criteria(),
            track_error=self.track_error,
            validation=error_on(self._validation(*validation), self._threads()),
            progress=partial(log_epoch, max_iter=self.max_iter),
            time_limit=self.time_limit,
        )
        fit = run_solver(results, Blocks(data, self._threads()), rule, monitoring)
        self._W, self.trace_, self.outcome_ = fit.W, fit.trace, fit.outcome
        self.mistakes_, self.n_iter_ = fit.mistakes, len(fit.trace)
        return rule, shuffled_by

    def _stopping_criteria(self) -> list[Stop]:
        criteria: list[Stop] = [no_mistake]
        if self.tol is not None:
            ending, patience = Ending.LOSS_STALLED, self.n_iter_no_change
            criteria.append(Stalled(comparable_loss, self.tol, patience, ending))
        return [*criteria, max_epochs(self.max_iter)]

    def _check(self) -> None:
        self._check_common()
        parameters.number("eta0", self.eta0, above=0)
        parameters.one_of("learning_rate", self.learning_rate, ("constant", "1/n"))
        parameters.whole("batch_size", self.batch_size, least=1, optional=True)
        parameters.flag("track_error", self.track_error)
        parameters.number("time_limit", self.time_limit, above=0, optional=True)

    def _weights_are_repetitions(self) -> bool:
        return True

    def _rule(self, n_classes: int) -> Rule:
        name = "perceptron" if self.learning_rate == "constant" else "perceptron 1/n"
        return self._rule_of(name, n_classes, eta=self.eta0)
