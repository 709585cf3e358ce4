"""Is linear enough? Known answers, the same folds for all, and referees for every number."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from rosenblatt import LeastSquares, builtin, compare
from rosenblatt.comparison import run as comparison_run
from rosenblatt.comparison.compare import ComparisonPlan, run_comparison
from rosenblatt.comparison.run import feature_specs
from rosenblatt.errors import DataError, ParameterError, SourceError
from rosenblatt.features.maps.spec import parse_map_specs
from rosenblatt.io.formats import open_source
from rosenblatt.model_selection.split import folds_of
from rosenblatt.pipeline import question
from rosenblatt.pipeline.fit import Plan, run
from rosenblatt.registry import Rule
from rosenblatt.report.comparison_json import comparison_json
from rosenblatt.separation.proof import cover_count

IRIS, RINGS = builtin("iris"), builtin("rings")
QUICK = {"rules": ["least-squares"], "features": []}


def of(found, rule, spec="none"):
    return next(e for e in found.results if (e.rule, e.map) == (rule, spec))


@pytest.fixture(scope="module")
def rings():
    return compare("builtin:rings", rules=["linear-svm"], features=["products", "radial"])


def test_rings_need_the_distance(rings):
    told = comparison_json(rings)
    assert (told["linear_enough"], told["feature_map_helps"], told["linear_enough_after_map"]) == (
        False,
        True,
        True,
    )
    assert told["mapped_vs_plain"]["result"] == {"rule": "linear-svm", "feature_map": "radial"}
    assert [g.proof.answer for g in rings.feature_sets] == [
        "inseparable",
        "inseparable",
        "separable",
    ]
    assert of(rings, "linear-svm", "radial").accuracy == 1.0
    text = told["conclusion"]
    assert text.startswith("A linear rule is not enough on the original features: linear-svm has")
    assert "radial helps: linear-svm then has an accuracy of 100.00 %, +50.00 points (" in text
    assert "1.5 times the features" in text
    assert "a linear rule is then enough" in text
    first = rings.feature_sets[0].proof
    assert (
        f"the rows {', '.join(map(str, sorted(first.rows)))} (counted from 0) is exactly 0" in text
    )
    assert first.verify(RINGS.X, RINGS.y)
    assert "After radial, the classes are linearly separable (proved); random labels" in text
    assert "After products, the classes are not linearly separable (proved)." in text


def test_xor_needs_the_product():
    found = compare("builtin:xor-clouds", rules=["least-squares"], features=["products"])
    told = comparison_json(found)
    assert (told["linear_enough"], told["feature_map_helps"], told["linear_enough_after_map"]) == (
        False,
        True,
        True,
    )
    assert [g.proof.answer for g in found.feature_sets] == ["inseparable", "separable"]
    assert of(found, "least-squares", "products").accuracy == 1.0


def test_iris_is_linear_enough():
    found = compare("builtin:iris", rules=["linear-discriminant"])
    told = comparison_json(found)
    assert told["linear_enough"]
    assert not told["feature_map_helps"]
    assert [g.map for g in found.feature_sets] == ["none", "products", "radial"]
    assert "A linear rule is enough on the original features: linear-discriminant" in str(found)
    assert "No feature map improves accuracy significantly: with the best, " in str(found)
    assert found.feature_sets[0].cover_probability is None  # Cover counts two classes


def test_entries_are_those_of_a_careful_loop():
    """Referee: the same folds by hand, with scikit-learn's scaler and neighbours."""
    found = compare(IRIS.X, IRIS.y, **QUICK, random_state=3)
    codes = np.unique(IRIS.y, return_inverse=True)[1]
    folds = folds_of(codes, 5, 3)
    ours, neighbours = np.empty(150, bool), np.empty(150, bool)
    for fold in range(5):
        train, test = folds != fold, folds == fold
        scaler = StandardScaler().fit(IRIS.X[train])
        X, new = scaler.transform(IRIS.X[train]), scaler.transform(IRIS.X[test])
        ours[test] = LeastSquares().fit(X, codes[train]).predict(new) == codes[test]
        votes = KNeighborsClassifier(11).fit(X, codes[train])
        neighbours[test] = votes.predict(new) == codes[test]
    np.testing.assert_array_equal(of(found, "least-squares").correct, ours)
    np.testing.assert_array_equal(of(found, "nearest-neighbours").correct, neighbours)
    assert of(found, "least-squares").n_weights == 15
    assert of(found, "gradient-boosting").n_weights is None
    assert len(of(found, "least-squares").seconds) == 5


PETS = "".join(
    f"{weight},{'' if weight % 7 == 0 else colour},{'dog' if weight + shift > 12 else 'cat'}\n"
    for weight in range(1, 24)
    for colour, shift in (("red", 3), ("grey", -3), (f"odd {weight}", 0))
)


def test_it_agrees_with_fit(tmp_path):
    """What `fit` says by cross-validation is what the entry says: all is learned in the fold."""
    file = tmp_path / "pets.csv"
    file.write_text("weight,colour,kind\n" + PETS)
    source = open_source([str(file)])
    for written in ((), ("products",)):
        plan = Plan(Rule.LEAST_SQUARES, proof_seconds=0, features=parse_map_specs(written), seed=5)
        fitted = run(source, plan, lambda _: None)
        asked = ComparisonPlan((Rule.LEAST_SQUARES,), written, n_folds=10, seed=5, proof_seconds=0)
        entry = of(run_comparison(source, asked), "least-squares", *written)
        assert entry.accuracy == fitted.evaluation.accuracy
        assert entry.accuracy_interval == fitted.evaluation.accuracy_interval


def test_rows_of_any_kind():
    X, y, quick = RINGS.X, RINGS.y, {**QUICK, "n_folds": 2, "proof_seconds": 0}
    wanted = of(compare(X, y, **quick), "least-squares").correct
    for rows in (pd.DataFrame(X, columns=["x", "y"]), pl.DataFrame(X), X.tolist()):
        found = of(compare(rows, y, **quick), "least-squares")
        np.testing.assert_array_equal(found.correct, wanted)
    squares = sparse.csr_array(X**2)  # scaled otherwise than dense rows: zeros stay zeros
    assert of(compare(squares, y, **quick), "least-squares").accuracy > 0.95
    words = pl.DataFrame({"colour": ["red", "grey", None] * 20, "row": range(60)})
    y = [c == "red" for c in words["colour"]]
    y[0] = False  # or the column would be left out as a leak
    found = compare(words, y, **quick)
    assert of(found, "least-squares").accuracy == 59 / 60
    assert "Left out 'row': it only counts the rows" in str(found)


def test_slow_referees_get_a_sample(monkeypatch):
    monkeypatch.setattr(comparison_run, "MAX_SAMPLE_ROWS", 30)
    found = compare("builtin:rings", **QUICK, proof_seconds=0)
    boosting = of(found, "gradient-boosting")
    assert boosting.note == "trained on 30 of 160 rows, evaluated on 30 rows of one fold"
    assert f"gradient-boosting: {boosting.note}." in str(found)
    assert "on the 30 rows that both predicted" in str(found)
    assert boosting.n_rows == 30
    assert len(boosting.seconds) == 1
    assert found.difference(boosting, of(found, "least-squares")).n_rows == 30
    fold = folds_of((RINGS.y > 0).astype(int), 5, 0) == 0
    assert not (boosting.evaluated & ~fold).any()
    assert of(found, "least-squares").n_rows == 200


def test_sizes_of_referees():
    def learned(name, *size):
        return comparison_run.sample_size(name, *size).n_train

    assert learned("gradient-boosting", 120, 4, 3) == 120
    assert learned("gradient-boosting", 48_000, 784, 10) == 1_000
    assert learned("gradient-boosting", 48_000, 123, 2) == 20_000
    assert learned("nearest-neighbours", 48_000, 784, 10) == 20_000


def test_referees_of_wide_sparse_rows_get_main_directions(monkeypatch):
    monkeypatch.setattr(comparison_run, "MAX_SPARSE_FEATURES", 10)
    monkeypatch.setattr(comparison_run, "N_COMPONENTS", 3)
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    X = rng.poisson(0.2, (80, 40)) + (np.arange(40) < 20) * y[:, None]
    found = compare(sparse.csr_array(X.astype(float)), y, **QUICK, proof_seconds=0)
    assert of(found, "nearest-neighbours").accuracy > 0.95


def test_the_chance_counts_independent_features():
    X = np.column_stack([RINGS.X, RINGS.X.sum(axis=1), np.ones(200)])
    feature_set = compare(X, RINGS.y, **QUICK).feature_sets[0]
    assert (feature_set.n_features, feature_set.rank) == (4, 3)
    assert feature_set.cover_probability == cover_count.chance(200, 3)


def test_undecided_is_said(monkeypatch):
    monkeypatch.setattr(question, "MAX_UNTIMED_ENTRIES", 1)
    found = compare(
        IRIS.X,
        IRIS.y == "virginica",
        rules=["least-squares"],
        features=["radial"],
        proof_seconds=1e-9,
    )
    assert {g.proof.answer for g in found.feature_sets} == {"undecided"}
    assert "Separability was not decided within 1e-09 s." in str(found)
    assert "After radial, separability was not decided within 1e-09 s." in str(found)
    silent = compare(RINGS.X, RINGS.y, **QUICK, proof_seconds=0)
    assert silent.feature_sets[0].proof is None
    assert "separab" not in str(silent)


def test_usual_maps():
    def usual(d, n=1000):
        return [spec.written for spec in feature_specs(None, n, d)]

    assert usual(1) == ["none", "poly:2", "radial"]
    assert usual(50) == ["none", "products", "radial"]
    assert usual(784) == ["none", "random-products:1000"]
    assert usual(1 << 18) == ["none"]
    assert usual(54, 581_012) == ["none"]
    assert usual(28, 1_000_000) == ["none", "radial"]
    both = feature_specs(["none", "radial+products", "radial+products"], 9, 3)
    assert [w.written for w in both] == ["none", "radial+products"]
    assert [r.name for r in both[1].map_specs] == ["radial", "products"]


def test_figures_are_stable_and_plain(rings):
    again = compare("builtin:rings", rules=["linear-svm"], features=["products", "radial"])
    one, two = comparison_json(rings), comparison_json(again)
    for told in (one, two):
        for entry in told["results"]:
            assert entry.pop("fit_seconds") > 0
            assert entry.pop("fit_time_ratio") > 0
        told["conclusion"] = told["conclusion"].partition("times the fit time")[2]
    assert json.loads(json.dumps(one)) == one == two
    assert list(one) == [
        "source",
        "n_rows",
        "n_features",
        "target",
        "class_counts",
        "baseline_accuracy",
        "left_out",
        "n_folds",
        "seed",
        "feature_sets",
        "results",
        "best",
        "linear_enough",
        "nonlinear_vs_linear",
        "feature_map_helps",
        "mapped_vs_plain",
        "linear_enough_after_map",
        "nonlinear_vs_mapped",
        "conclusion",
    ]


def test_separable_by_luck_is_said():
    rng = np.random.default_rng(0)
    found = compare(rng.normal(size=(20, 30)), np.arange(20) % 2, **QUICK)
    assert (
        "The classes are linearly separable (proved); random labels would be separable with"
        in str(found)
    )
    assert "probability at most 1, so this says little." in str(found)


@pytest.mark.parametrize(
    ("settings", "error", "trouble"),
    [
        ({"rules": ["magic"]}, ParameterError, "rules must be one of 'auto', 'perceptron'"),
        (
            {"rules": "auto"},
            ParameterError,
            "rules must be a list of names from auto",
        ),
        (
            {"features": ["product"]},
            ParameterError,
            "feature map 'product'. Did you mean",
        ),
        ({"n_folds": 1}, ParameterError, "n_folds must be an integer of at least 2; got 1"),
        ({"proof_seconds": -1}, ParameterError, "proof_seconds must be a finite number of at"),
        ({"random_state": None}, ParameterError, "random_state must be an integer of at least 0"),
        ({"y": IRIS.y[:5]}, DataError, "X has 150 rows but y has 5 labels"),
        ({"y": np.arange(150) < 2}, SourceError, "at least 3; the class True has 2"),
    ],
)
def test_refusals(settings, error, trouble):
    arguments = {"y": IRIS.y, **settings}
    with pytest.raises(error, match=trouble):
        compare(IRIS.X, **arguments)


def test_a_missing_number_is_refused_in_an_array():
    X = IRIS.X.copy()
    X[3, 1] = np.nan
    with pytest.raises(DataError, match="NaN at row 3, column 1"):
        compare(X, IRIS.y, **QUICK)


def test_every_figure_is_documented(rings):
    page = Path(__file__).parents[2] / "docs/compare.md"
    if not page.exists():
        pytest.skip("tests run apart from the repository")
    told = comparison_json(rings)
    names = {*told, *told["feature_sets"][0], *told["results"][0], *told["mapped_vs_plain"]}
    assert {name for name in names if f"`{name}`" not in page.read_text()} == set()
