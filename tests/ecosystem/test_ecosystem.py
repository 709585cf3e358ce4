"""The page of libraries: every block of it runs where its library is installed."""

import re
from pathlib import Path

import numpy as np
import pytest

import rosenblatt
from rosenblatt import LogisticRegression, builtin

PAGE = Path(__file__).parents[2] / "docs/ecosystem.md"
LIBRARIES = {  # sections of the page, and what they import
    "scikit-learn's callbacks": "sklearn.callback",
    "river": "river",
    "skops": "skops",
    "mlflow": "mlflow",
    "shap": "shap",
    "imbalanced-learn": "imblearn",
    "optuna": "optuna",
    "dask-ml": "dask_ml",
    "MAPIE": "mapie",
    "fairlearn": "fairlearn",
    "cleanlab": "cleanlab",
    "eli5": "eli5",
}
pytestmark = [
    pytest.mark.skipif(not PAGE.exists(), reason="tests run apart from the repository"),
    pytest.mark.filterwarnings("ignore"),  # of libraries that are not ours
]


def blocks() -> dict[str, str]:
    """The block of code in every section that has one."""
    sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    block = re.compile(r"```python\n(.*?)```", re.DOTALL)
    found = {text.partition("\n")[0]: block.findall(text) for text in sections}
    return {title: "\n".join(code) for title, code in found.items() if code}


def test_the_page_has_every_library() -> None:
    assert blocks().keys() == LIBRARIES.keys()


@pytest.mark.parametrize("title", LIBRARIES)
def test_what_the_page_shows(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(LIBRARIES[title])
    monkeypatch.chdir(tmp_path)  # mlflow writes a database
    exec(compile(blocks()[title], f"{PAGE.name}, {title}", "exec"), {"__name__": title})


def test_skops_takes_every_estimator() -> None:
    io = pytest.importorskip("skops.io")
    iris = builtin("iris")
    for name in rosenblatt.__all__:
        kind = getattr(rosenblatt, name)
        if not hasattr(kind, "decision_function"):
            continue
        model = kind().fit(iris.X, iris.y)
        file = io.dumps(model)
        again = io.loads(file, trusted=io.get_untrusted_types(data=file))
        np.testing.assert_array_equal(again.predict(iris.X), model.predict(iris.X))
        assert again.outcome_ == model.outcome_


def test_river_finds_its_wrapper_by_itself() -> None:
    compat = pytest.importorskip("river.compat")
    model = compat.convert_sklearn_to_river(rosenblatt.Perceptron(), classes=[False, True])
    assert isinstance(model, compat.SKL2RiverClassifier)


# --- what does not work: the page is to be corrected when one of these fails -------------------


def fitted() -> LogisticRegression:
    iris = builtin("iris")
    return LogisticRegression().fit(iris.X, iris.y)


def test_eli5_does_not_know_the_classes() -> None:
    eli5 = pytest.importorskip("eli5")
    assert "is not supported" in eli5.explain_weights(fitted()).error


def test_skl2onnx_has_no_converter() -> None:
    skl2onnx = pytest.importorskip("skl2onnx")
    with pytest.raises(Exception, match="Unable to find a shape calculator"):
        skl2onnx.to_onnx(fitted(), np.zeros((1, 4)))


def test_mlflow_logs_nothing_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri("sqlite:///mlflow.db")
    mlflow.sklearn.autolog()
    try:
        with mlflow.start_run() as run:
            fitted()
    finally:
        mlflow.sklearn.autolog(disable=True)
    assert mlflow.get_run(run.info.run_id).data.params == {}
