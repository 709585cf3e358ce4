"""A summary may be any JSON object: what it says of the training is told, and the rest left out."""

from typing import Any

import pytest

from rosenblatt import LogisticRegression, builtin
from rosenblatt.persist.model import model_of
from rosenblatt.report.json import model_json
from rosenblatt.report.text import model_text

TOLD = {
    "source": "rows.csv",
    "n_rows": 4,
    "outcome": "Certified.",
    "evaluation": {"accuracy": 0.75, "accuracy_interval": [0.5, 0.875], "method": "two folds"},
}
WHOLE = (
    "Trained on rows.csv, 4 rows.\nCertified.\nAccuracy (two folds): 75.00 %, 95 % CI 50.0–87.5 %."
)


def words_of(summary: dict[str, Any]) -> str:
    data = builtin("and")
    model = model_of(LogisticRegression().fit(data.X, data.y), summary=summary)
    return model_text(model_json("m", model))


@pytest.mark.parametrize("key", TOLD)
@pytest.mark.parametrize("value", [None, "x", 3, [1], {}, {"accuracy": "high"}])
def test_a_summary_of_another_form_is_left_out(key: str, value: Any) -> None:
    assert WHOLE in words_of(TOLD)
    without = words_of({name: told for name, told in TOLD.items() if name != key})
    told = words_of({**TOLD, key: value})
    proper = (key in {"source", "outcome"} and isinstance(value, str)) or (key, value) == (
        "n_rows",
        3,
    )
    assert (told == without) is not proper
