"""JSON, ONNX and pipelines give the answers of the model, by readers that share no code with it."""

import json
import math
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline

from rosenblatt import (
    GradientDescent,
    KernelPerceptron,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    TanhPerceptron,
    builtin,
    load,
    save,
)
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import ModelError
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.persist.export import to_json, to_onnx
from rosenblatt.persist.model import Model, as_chunk, model_of
from rosenblatt.persist.sklearn_pipeline import to_pipeline
from rosenblatt.preprocess.column_encoders import CategoryColumn, NumberColumn, TextColumn
from rosenblatt.preprocess.transformer import ColumnTransformer, Scaling

IRIS = builtin("iris")
N, WIDTH = 400, 12
COLUMNS = (
    NumberColumn("age", 29.5, indicator=True),
    NumberColumn("far", 1e6, indicator=False),
    NumberColumn("near", -0.25, indicator=False),
    CategoryColumn("town", ("Bonn", "Köln", "Ulm"), indicator=True),
    CategoryColumn("label", ("x", "y"), indicator=False),  # as an output of ONNX is called
    NumberColumn("last", 0.0, indicator=True),
)
RULES = {
    "logistic": LogisticRegression(),
    "softmax": LogisticRegression(C=0.1),
    "ovr": LogisticRegression(multi_class="ovr"),
    "discriminant": LinearDiscriminant(),
    "svm": LinearSVM(tol=1e-3),
    "perceptron": Perceptron(max_iter=5, keep="average"),
    "descent": GradientDescent(max_iter=5, eta0=0.001),
    "sigmoid": TanhPerceptron(max_iter=5, activation="logistic"),
}
CLASSES = {
    "str": np.array(["nein", "ja", "wie bitte"]),
    "int": np.array([3, 5, 8]),
    "bool": np.array([False, True]),
    "float": np.array([0.5, 1.5, 2.5]),
}
SINGLE = 2.0**-24  # relative error of rounding to float32
ROUNDING = 1e-12  # of the sum of sizes: far more than float64 makes of a few numbers


def table(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)

    def gaps(values: Any) -> list[Any]:
        return [None if gone else v for v, gone in zip(values, rng.random(N) < 0.15, strict=True)]

    return pl.DataFrame(
        {
            "town": gaps(rng.choice(["Ulm", "Bonn", "Köln", "Kiel", ""], N).tolist()),
            "last": gaps(rng.normal(size=N).tolist()),
            "near": gaps((1e-3 * rng.normal(size=N)).tolist()),
            "age": gaps(rng.integers(1, 99, N).astype(float).tolist()),
            "label": gaps(rng.choice(["x", "y", "z"], N).tolist()),
            "far": gaps((1e6 + 1e3 * rng.normal(size=N)).tolist()),
        }
    )


def made(rule: str, kind: str, scaling: str) -> Model:
    """A model of the table whose rule has found something to learn."""
    transformer = ColumnTransformer(COLUMNS, WIDTH, sparse=False)
    rows = transformer.encode(as_chunk(table()))
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    if scaling != "none":
        scale = Scaling(mean, 1.0 / spread, unit_norm=scaling == "unit rows")
        transformer = ColumnTransformer(COLUMNS, WIDTH, sparse=False, scaling=scale)
    rng = np.random.default_rng(1)
    n_classes = min(len(CLASSES[kind]), 2 if rule in {"logistic", "sigmoid"} else 3)
    hidden = (rows - mean) / spread @ rng.normal(size=(WIDTH, n_classes))
    codes = (hidden + rng.normal(size=hidden.shape)).argmax(axis=1)
    estimator = clone(RULES[rule]).fit(transformer.transform(as_chunk(table())), codes)
    return model_of(estimator, transformer, classes=CLASSES[kind][:n_classes])


CASES = [
    *product(RULES, ["str"], ["standard"]),
    *product(["softmax"], CLASSES, ["none"]),
    *product(["logistic", "svm"], ["str"], ["none", "unit rows"]),
]
EVERY = pytest.mark.parametrize(("rule", "kind", "scaling"), CASES)


def sizes(model: Model, chunk: Any) -> Any:
    """Σ |w x| + |b| of each score: the scale of rounding errors."""
    rows = np.abs(model.transformer.encode(chunk))
    scaling = model.transformer.scaling
    if scaling is not None:
        rows = (rows + np.abs(scaling.shift)) * np.abs(scaling.factor)
    return rows @ np.abs(model.W[:, :-1].T) + np.abs(model.W[:, -1])


# --- JSON, scored by a stranger -----------------------------------------------------------------


def features_of(plain: dict[str, Any], row: dict[str, Any]) -> list[float]:
    found: list[float] = []
    for column in plain["columns"]:
        cell = row[column["name"]]
        if column["kind"] == "number":
            found.append(column["fill"] if cell is None else cell)
            found += [float(cell is None)] if column["indicator"] else []
        else:
            found += [float(cell == value) for value in column["values"]]
            found += [float(cell in (None, ""))] if column["indicator"] else []
    return found


def stranger(plain: dict[str, Any], x: list[float]) -> tuple[list[float], Any, list[float]]:
    """Score a row as the file's own words have it, in plain Python."""
    if plain["sublinear_tf"]:
        x = [1 + math.log(v) if v > 0 else v for v in x]
    if plain["shift"] is not None:
        x = [(v - s) * f for v, s, f in zip(x, plain["shift"], plain["factor"], strict=True)]
    if plain["unit_norm"]:
        length = math.sqrt(sum(v * v for v in x)) or 1.0
        x = [v / length for v in x]
    scores = [
        sum(w * v for w, v in zip(unit, x, strict=True)) + b
        for unit, b in zip(plain["weights"], plain["intercept"], strict=True)
    ]
    code = int(scores[0] >= 0) if len(scores) == 1 else scores.index(max(scores))
    chances: list[float] = []
    if plain["link"] == "logistic":
        chances = [1 / (1 + math.exp(scores[0])), 1 / (1 + math.exp(-scores[0]))]
    elif plain["link"] is not None:
        soft = plain["link"] == "softmax"
        chances = [math.exp(s) if soft else 1 / (1 + math.exp(-s)) for s in scores]
        chances = [c / sum(chances) for c in chances]
    return scores, plain["classes"][code], chances


@EVERY
def test_a_stranger_scores_with_the_json(rule: str, kind: str, scaling: str) -> None:
    model, frame = made(rule, kind, scaling), table(5)
    plain = json.loads(to_json(model))
    answers = [stranger(plain, features_of(plain, row)) for row in frame.iter_rows(named=True)]
    scores = model.scores(as_chunk(frame))
    bound = ROUNDING * sizes(model, as_chunk(frame))
    assert (np.abs([a[0] for a in answers] - scores) <= bound).all()
    assert [a[1] for a in answers] == model.predict(frame).tolist()
    if model.link is not None:
        np.testing.assert_allclose([a[2] for a in answers], model.predict_proba(frame), 1e-9)


def test_json_of_an_estimator_by_itself() -> None:
    model = LogisticRegression().fit(IRIS.X, IRIS.y)
    plain = json.loads(to_json(model))
    assert plain["columns"] is None
    assert plain["feature_names"] == ["x1", "x2", "x3", "x4"]
    labels = [stranger(plain, row)[1] for row in IRIS.X.tolist()]
    assert labels == model.predict(IRIS.X).tolist()


def test_json_says_where_nothing_may_be_missing() -> None:
    model = LogisticRegression().fit(pd.DataFrame(IRIS.X, columns=list("abcd")), IRIS.y)
    assert [column["fill"] for column in json.loads(to_json(model))["columns"]] == [None] * 4


# --- ONNX ---------------------------------------------------------------------------------------


def tensors_of(frame: pl.DataFrame) -> dict[str, Any]:
    tensors: dict[str, Any] = {}
    for column in COLUMNS:
        cells = frame[column.name]
        if isinstance(column, NumberColumn):
            values = cells.fill_null(np.nan).to_numpy().astype(np.float32)
        else:
            values = np.array(cells.fill_null("").to_list(), object)
        tensors[column.name] = values[:, None]
    return tensors


def run(proto: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    session = onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, tensors), strict=True))


def certain(scores: Any, bound: Any) -> Any:
    """Rows whose label no error within the bound can change."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0]) > bound[:, 0]
    best = scores.argmax(axis=1)[:, None]
    lower = np.take_along_axis(scores - bound, best, axis=1)
    others = scores + bound
    np.put_along_axis(others, best, -np.inf, axis=1)
    return lower[:, 0] > others.max(axis=1)


@EVERY
def test_onnx_agrees_on_the_numbers_it_is_given(rule: str, kind: str, scaling: str) -> None:
    """Given the same float32 numbers, only the score's own rounding is left."""
    model = made(rule, kind, scaling)
    frame = table(5).with_columns(pl.col("age", "far", "near", "last").cast(pl.Float32))
    answer = run(to_onnx(model), tensors_of(frame))
    scores = model.scores(as_chunk(frame))
    bound = SINGLE * np.abs(scores) + ROUNDING * sizes(model, as_chunk(frame)) + 1e-40
    assert (np.abs(answer["scores"] - scores) <= bound).all()
    sure = certain(scores, ROUNDING * sizes(model, as_chunk(frame)))
    assert sure.mean() > 0.99
    assert answer["label_"][sure].tolist() == model.predict(frame)[sure].tolist()
    assert ("probabilities" in answer) == (model.link is not None)
    if model.link is not None:
        np.testing.assert_allclose(
            answer["probabilities"], model.predict_proba(frame), rtol=1e-6, atol=1e-30
        )


@pytest.mark.parametrize(
    ("rule", "scaling"),
    # columns of a million make a sigmoid diverge
    [case for case in product(RULES, ["none", "standard"]) if case != ("sigmoid", "none")],
)
def test_onnx_agrees_away_from_the_boundary(rule: str, scaling: str) -> None:
    """Numbers are rounded to float32 on the way in: |s′ − s| ≤ 2⁻²⁴ (Σ |w f x| + |s|)."""
    model, frame = made(rule, "str", scaling), table(5)
    answer = run(to_onnx(model), tensors_of(frame))
    chunk = as_chunk(frame)
    factor = 1.0 if model.transformer.scaling is None else model.transformer.scaling.factor
    moved = np.abs(model.transformer.encode(chunk) * factor) @ np.abs(model.W[:, :-1].T)
    scores = model.scores(chunk)
    inside = SINGLE * moved + ROUNDING * sizes(model, chunk)
    assert (
        np.abs(answer["scores"] - scores) <= inside * (1 + SINGLE) + SINGLE * np.abs(scores)
    ).all()
    sure = certain(scores, inside)
    assert sure.mean() > 0.9
    assert answer["label_"][sure].tolist() == model.predict(frame)[sure].tolist()


@pytest.mark.parametrize("n", [100, 150])
def test_onnx_of_a_matrix(n: int, tmp_path: Path) -> None:
    model = LogisticRegression().fit(IRIS.X[-n:], IRIS.y[-n:])
    save(model, tmp_path / "m")
    X = IRIS.X.astype(np.float32)
    answer = run(to_onnx(load(tmp_path / "m")), {"X": X})
    assert list(answer) == ["label", "scores", "probabilities"]
    assert answer["label"].tolist() == model.predict(X.astype(np.float64)).tolist()
    np.testing.assert_allclose(
        answer["probabilities"], model.predict_proba(X.astype(np.float64)), 1e-5, 1e-12
    )


def test_onnx_takes_an_empty_table() -> None:
    answer = run(to_onnx(made("softmax", "str", "standard")), tensors_of(table()[:0]))
    assert answer["label_"].shape == (0,)


def test_without_onnx_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelError, match=r"pip install 'rosenblatt\[onnx\]'"):
        to_onnx(Perceptron().fit(IRIS.X, IRIS.y))


# --- pipelines ----------------------------------------------------------------------------------


@EVERY
def test_a_pipeline_answers_as_the_model(rule: str, kind: str, scaling: str) -> None:
    model, frame = made(rule, kind, scaling), table(5)
    pipeline = to_pipeline(model)
    assert isinstance(pipeline, Pipeline)
    theirs = frame.to_pandas()
    assert pipeline.predict(theirs).tolist() == model.predict(frame).tolist()
    bound = 4 * ROUNDING * sizes(model, as_chunk(frame))
    scores = model.scores(as_chunk(frame))
    found = pipeline.decision_function(theirs).reshape(scores.shape)
    if rule == "discriminant":  # it writes its scores with what the classes share
        found, scores = found - found[:, :1], scores - scores[:, :1]
    assert (np.abs(found - scores) <= bound).all()
    assert pipeline.classes_.tolist() == model.classes.tolist()
    if model.link is not None:
        np.testing.assert_allclose(pipeline.predict_proba(theirs), model.predict_proba(frame), 1e-9)


def test_a_pipeline_takes_columns_in_any_order_and_missing_cells_of_any_kind() -> None:
    model = made("softmax", "str", "standard")
    theirs = table(5).to_pandas()
    wanted = to_pipeline(model).predict(theirs).tolist()
    as_none = theirs[theirs.columns[::-1]].astype({"town": object, "label": object})
    for name in ("town", "label"):
        as_none[name] = as_none[name].where(as_none[name].notna(), None)
    assert to_pipeline(model).predict(as_none).tolist() == wanted
    assert model.predict(as_none).tolist() == wanted


@pytest.mark.parametrize("scaling", [None, Scaling(np.zeros(4), np.array([1.0, 0.0, 2.0, 3.0]))])
def test_a_pipeline_of_a_matrix(scaling: Scaling | None) -> None:
    rows = IRIS.X.copy() if scaling is None else IRIS.X * scaling.factor
    model = model_of(
        LogisticRegression().fit(rows, IRIS.y),
        ColumnTransformer((), 4, sparse=True, scaling=scaling),
    )
    pipeline = to_pipeline(model)
    for X in (IRIS.X, sparse.csr_array(IRIS.X)):
        assert pipeline.predict(X).tolist() == model.predict(X).tolist()


def test_a_pipeline_of_named_numbers_fills_nothing() -> None:
    frame = pd.DataFrame(IRIS.X, columns=list("abcd"))
    model = LogisticRegression().fit(frame, IRIS.y)
    pipeline = to_pipeline(model)
    assert pipeline.predict(frame).tolist() == model.predict(frame).tolist()
    frame.loc[3, "b"] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        pipeline.predict(frame)
    with pytest.raises(ValueError, match="X, row 3, column 'b'"):
        model_of(model).predict(frame)


# --- what has no place there --------------------------------------------------------------------


@pytest.mark.parametrize("export", [to_onnx, to_pipeline])
def test_text_is_refused(export: Any) -> None:
    text = ColumnTransformer((TextColumn("review", NgramSpec(bits=2), np.ones(4)),), 4, sparse=True)
    model = model_of(LogisticRegression().fit(IRIS.X, IRIS.y), text)
    with pytest.raises(ModelError, match="'review' holds text"):
        export(model)
    assert json.loads(to_json(model))["columns"][0]["idf"] == [1.0] * 4


@pytest.mark.parametrize("export", [to_json, to_onnx, to_pipeline])
def test_kernels_and_layers_are_refused(export: Any) -> None:
    kernel = KernelPerceptron(max_iter=2).fit(IRIS.X, IRIS.y)
    layer = TanhPerceptron(max_iter=2).fit(IRIS.X, (IRIS.X > 1).astype(int))
    for model in (kernel, layer):
        with pytest.raises(ModelError, match="not a linear classifier"):
            export(model)


# --- counts of words ----------------------------------------------------------------------------


def counts_model() -> tuple[Model, Any]:
    """A model of sparse counts, which are weighted by tf-idf."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(rng.uniform(0.05, 1.5, 40), (300, 40)).astype(float)
    idf = 1 + np.log(301 / (1 + np.count_nonzero(counts, axis=0)))
    scaling = Scaling(np.zeros(40), idf, unit_norm=True, sublinear_tf=True)
    transformer = ColumnTransformer((), 40, sparse=True, scaling=scaling)
    codes = (counts @ rng.normal(size=40) > 0).astype(int)
    rows = transformer.transform(as_chunk(csr_array(counts)))
    model = model_of(LogisticRegression().fit(matrix_of(rows), codes), transformer)
    return model, counts


def test_weighed_counts_go_every_way() -> None:
    model, counts = counts_model()
    scores = model.scores(as_chunk(csr_array(counts)))
    peer = TfidfTransformer(sublinear_tf=True).fit(csr_array(counts))
    weighed = peer.transform(csr_array(counts)).toarray()
    np.testing.assert_allclose(weighed @ model.W[0, :-1] + model.W[0, -1], scores[:, 0], 1e-9)
    plain = json.loads(to_json(model))
    strangers = [stranger(plain, row)[0][0] for row in counts.tolist()]
    np.testing.assert_allclose(strangers, scores[:, 0], 1e-9)
    answer = run(to_onnx(model), {"X": counts.astype(np.float32)})
    np.testing.assert_allclose(answer["scores"], scores, 1e-5)
    pipeline = to_pipeline(model)
    np.testing.assert_allclose(pipeline.decision_function(csr_array(counts)), scores[:, 0], 1e-9)
