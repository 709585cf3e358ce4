"""A summary may be any JSON object: what it says of the training is told, and the rest left out."""

from typing import Any

import pytest

from rosenblatt import LogisticRegression, builtin
from rosenblatt.models.model import fitted
from rosenblatt.report.models import model_figures, model_words

TOLD = {
    "source": "rows.csv",
    "rows": 4,
    "outcome": "Certified.",
    "test": {"accuracy": 0.75, "interval": [0.5, 0.875], "method": "two folds"},
}
WHOLE = (
    "Trained on rows.csv, 4 rows.\nCertified.\n"
    "Right on new rows: 75.00% (95 % interval 50.00% to 87.50%, by two folds)."
)


def words_of(summary: dict[str, Any]) -> str:
    data = builtin("and")
    model = fitted(LogisticRegression().fit(data.X, data.y), summary=summary)
    return model_words(model_figures("m", model))


@pytest.mark.parametrize("key", TOLD)
@pytest.mark.parametrize("value", [None, "x", 3, [1], {}, {"accuracy": "high"}])
def test_a_summary_of_another_form_is_left_out(key: str, value: Any) -> None:
    assert WHOLE in words_of(TOLD)
    without = words_of({name: told for name, told in TOLD.items() if name != key})
    told = words_of({**TOLD, key: value})
    proper = (key in {"source", "outcome"} and isinstance(value, str)) or (key, value) == (
        "rows",
        3,
    )
    assert (told == without) is not proper
