"""Estimators that descend a squared error: row by row, or batch by batch."""

from abc import abstractmethod
from collections.abc import Iterator

from rosenblatt.arrays import Floats
from rosenblatt.data.problem import Problem
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import checks
from rosenblatt.estimators.online import OnlineClassifier
from rosenblatt.rules.losses import NEVER_FLAT
from rosenblatt.solvers.batch import batchwise
from rosenblatt.solvers.correct import Rule
from rosenblatt.solvers.divergence import Guard, lengths_of, smaller_step, zero_loss
from rosenblatt.solvers.memory import Memory
from rosenblatt.solvers.run import Stop, no_change, no_mistake, passes_spent
from rosenblatt.solvers.state import Ending, State

RATES = ("constant", "1/n", "normalised")


class SquaredErrorClassifier(OnlineClassifier):
    """A line that descends half the squared error of its output, or corrects by the hard error."""

    # parameters that these rules have beyond those of every online rule
    eta0: float
    learning_rate: str
    batch_size: int | None

    multi_class = "ovr"  # a squared error aims at ±1 and knows no rival

    @abstractmethod
    def _machine(self) -> str:
        """Row of the table of machines, but for the step."""

    def _is_hard(self) -> bool:
        return self._machine() == "perceptron"

    def _check(self) -> None:
        super()._check()
        checks.number("eta0", self.eta0, above=0)
        checks.one_of("learning_rate", self.learning_rate, RATES)
        checks.whole("batch_size", self.batch_size, least=1, optional=True)

    def _repeats(self) -> bool:
        return self.batch_size != 1

    def _check_replay(self) -> None:
        super()._check_replay()
        if self.batch_size != 1:
            raise ParameterError(f"A replay needs batch_size=1; got {self.batch_size}.")

    def _rule(self, n_classes: int, *, balanced: bool = False) -> Rule:
        step = "" if self.learning_rate == "constant" else f" {self.learning_rate}"
        name = self._machine() + step
        return self._rule_of(name, n_classes, eta=self.eta0, balanced=balanced)

    def _states(
        self, problem: Problem, rule: Rule, memory: Memory, seed: int | None
    ) -> Iterator[State]:
        if self.batch_size == 1:
            return super()._states(problem, rule, memory, seed)
        return batchwise(
            problem,
            rule,
            memory,
            batch_size=self.batch_size,
            seed=seed,
            n_jobs=self._threads(),
        )

    def _at_rest(self) -> Stop:
        return no_mistake if self._is_hard() else no_change

    def _when_stalled(self) -> Ending:
        return Ending.LOSS_STALLED if self._is_hard() else Ending.OUTPUTS_LEVELLED

    def _when_spent(self) -> Stop:
        return passes_spent(self.max_iter, None if self._is_hard() else Ending.DESCENT_SPENT)

    def _guard(self, problem: Problem, rule: Rule, W: Floats) -> Guard | None:
        if rule.loss < NEVER_FLAT:
            return None
        zero = zero_loss(problem, rule, len(W), by_weight=self.batch_size != 1)
        return Guard(W, zero, lambda: self._advice(problem, rule, self.batch_size))

    def _advice(self, problem: Problem, rule: Rule, batch_size: int | None = 1) -> str:
        """Say which η keeps η ‖(x, 1)‖² well below 2, for each row or the sum over a batch."""
        longest, total, heaviest = lengths_of(problem, rule.bias)
        share = 0.1 if batch_size == 1 else 1.0  # single rows are noisy: safe is not yet good
        if self.learning_rate == "normalised":  # of batches, by their weight too
            better = smaller_step(rule.eta, share / heaviest if batch_size == 1 else share)
            return f"eta0={rule.eta:g} is too large for normalised steps; try eta0={better:.1g}."
        summed = total if batch_size is None else min(total, batch_size * longest)
        better = smaller_step(rule.eta, share / summed)
        return (
            f"eta0={rule.eta:g} is too large for these rows; try eta0={better:.1g},"
            " learning_rate='normalised', or standardise the features."
        )
