"""The sentence of an outcome."""

import pytest

from rosenblatt.online.result import Ending, Outcome


@pytest.mark.parametrize("gap", [0.0, -6.5e-16])
def test_a_gap_that_only_rounding_has_left_is_told_as_rounding(gap: float) -> None:
    outcome = Outcome(Ending.CERTIFIED, 3, 10, gap=gap)
    assert "within 2.2e-16 (relative) of the optimum, after 3 steps" in str(outcome)
