"""Estimators that minimise a squared error, sample by sample or in batches."""

from abc import abstractmethod
from collections.abc import Iterator

from rosenblatt.data.training_data import TrainingData
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import parameter_checks
from rosenblatt.estimators.online_base import OnlineClassifier
from rosenblatt.losses.margin_losses import NEVER_FLAT
from rosenblatt.online.batch import batch_epochs
from rosenblatt.online.divergence import DivergenceGuard, row_norms, smaller_eta, zero_loss
from rosenblatt.online.result import Ending, EpochResult
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.stopping import Stop, max_epochs, no_change, no_mistake
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats

RATES = ("constant", "1/n", "normalised")


class SquaredErrorClassifier(OnlineClassifier):
    """A linear classifier that minimises the squared error of its output, or the hard error."""

    # parameters that these rules have beyond those of every online rule
    eta0: float
    learning_rate: str
    batch_size: int | None

    multi_class = "ovr"  # a squared error aims at ±1 and knows no rival

    @abstractmethod
    def _algorithm(self) -> str:
        """Name in the table of algorithms, but for the step size."""

    def _is_hard(self) -> bool:
        return self._algorithm() == "perceptron"

    def _check(self) -> None:
        super()._check()
        parameter_checks.number("eta0", self.eta0, above=0)
        parameter_checks.one_of("learning_rate", self.learning_rate, RATES)
        parameter_checks.whole("batch_size", self.batch_size, least=1, optional=True)

    def _weights_are_repetitions(self) -> bool:
        return self.batch_size != 1

    def _check_replay(self) -> None:
        super()._check_replay()
        if self.batch_size != 1:
            raise ParameterError(f"A replay needs batch_size=1; got {self.batch_size}.")

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        step = "" if self.learning_rate == "constant" else f" {self.learning_rate}"
        name = self._algorithm() + step
        return self._rule_of(name, n_classes, eta=self.eta0, balanced=balanced)

    def _epoch_results(
        self, data: TrainingData, rule: Rule, state: OptimiserState, seed: int | None
    ) -> Iterator[EpochResult]:
        if self.batch_size == 1:
            return super()._epoch_results(data, rule, state, seed)
        return batch_epochs(
            data,
            rule,
            state,
            batch_size=self.batch_size,
            seed=seed,
            n_jobs=self._threads(),
        )

    def _convergence_criterion(self) -> Stop:
        return no_mistake if self._is_hard() else no_change

    def _stalled_ending(self) -> Ending:
        return Ending.LOSS_STALLED if self._is_hard() else Ending.OUTPUT_ERROR_STALLED

    def _max_iter_criterion(self) -> Stop:
        return max_epochs(
            self.max_iter, None if self._is_hard() else Ending.MAX_DESCENT_EPOCHS_REACHED
        )

    def _guard(self, data: TrainingData, rule: Rule, W: Floats) -> DivergenceGuard | None:
        if rule.loss < NEVER_FLAT:
            return None
        zero = zero_loss(data, rule, len(W), by_weight=self.batch_size != 1)
        return DivergenceGuard(W, zero, lambda: self._advice(data, rule, self.batch_size))

    def _advice(self, data: TrainingData, rule: Rule, batch_size: int | None = 1) -> str:
        """Say which η keeps η ‖(x, 1)‖² well below 2, for each row or the sum over a batch."""
        longest, total, heaviest = row_norms(data, rule.bias)
        share = 0.1 if batch_size == 1 else 1.0  # single rows are noisy: safe is not yet good
        if self.learning_rate == "normalised":  # of batches, by their weight too
            better = smaller_eta(rule.eta, share / heaviest if batch_size == 1 else share)
            return f"eta0={rule.eta:g} is too large for normalised steps; try eta0={better:.1g}."
        summed = total if batch_size is None else min(total, batch_size * longest)
        better = smaller_eta(rule.eta, share / summed)
        return (
            f"eta0={rule.eta:g} is too large for these rows; try eta0={better:.1g},"
            " learning_rate='normalised', or standardise the features."
        )
