"""Write the golden files of the present format version; those of earlier versions stay as they are.

Run once a version: `python tests/persist/golden/make.py`. Never write over a file that is there.
"""

import json
from pathlib import Path

import numpy as np
import polars as pl

from rosenblatt import LogisticRegression, builtin, save
from rosenblatt.persist.file import VERSION
from rosenblatt.persist.model import as_chunk, model_of
from rosenblatt.preprocess.column_encoders import CategoryColumn, NumberColumn
from rosenblatt.preprocess.transformer import ColumnTransformer, Scaling

HERE = Path(__file__).parent
ROWS = {
    "age": [22.0, None, 35.0, 58.0, 41.0, 19.0, None, 64.0],
    "town": ["Ulm", "Bonn", None, "Ulm", "Bonn", "Ulm", "Kiel", "Bonn"],
    "member": [True, False, True, False, False, True, None, False],
}
BOUGHT = [0, 1, 0, 1, 1, 0, 1, 1]


def main() -> None:
    """Fit, save and record the answers."""
    iris = builtin("iris")
    model = LogisticRegression().fit(iris.X, iris.y)
    save(model, new(f"iris-{VERSION}.rosenblatt"))
    answers = {
        "decision_function": model.decision_function(iris.X[::10]).tolist(),
        "predict": model.predict(iris.X[::10]).tolist(),
    }
    new(f"iris-{VERSION}.json").write_text(json.dumps(answers, indent=1))

    columns = (
        NumberColumn("age", 38.0, indicator=True),
        CategoryColumn("town", ("Bonn", "Ulm"), indicator=True),
        NumberColumn("member", 0.0, indicator=False),
    )
    scaling = Scaling(np.array([38.0, 0, 0, 0, 0, 0]), np.array([0.0625, 1, 1, 1, 1, 1]))
    transformer = ColumnTransformer(columns, 6, sparse=False, scaling=scaling, target="bought")
    frame = pl.DataFrame(ROWS)
    estimator = LogisticRegression().fit(transformer.transform(as_chunk(frame)), BOUGHT)
    summary = {"rows": len(BOUGHT), "outcome": str(estimator.outcome_)}
    table = model_of(estimator, transformer, summary, classes=["no", "yes"], fingerprint="0" * 64)
    save(table, new(f"table-{VERSION}.rosenblatt"))
    answers = {
        "rows": ROWS,
        "decision_function": table.decision_function(frame).tolist(),
        "predict": table.predict(frame).tolist(),
        "predict_proba": table.predict_proba(frame).tolist(),
    }
    new(f"table-{VERSION}.json").write_text(json.dumps(answers, indent=1))


def new(name: str) -> Path:
    """A file that is not there yet."""
    path = HERE / name
    if path.exists():
        raise SystemExit(f"{path} is there, and stays as it is.")
    return path


if __name__ == "__main__":
    main()
