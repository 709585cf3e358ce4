"""Bias and variance of estimators: identities for all of them, and settings of known truth."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.dummy import DummyRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    FisherDiscriminant,
    KernelPerceptron,
    LeastSquares,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    TanhPerceptron,
    bias_variance,
    builtin,
)
from rosenblatt.errors import DataError, ParameterError

IRIS, CLOUDS = builtin("iris"), builtin("overlapping")
ESTIMATORS = [
    AROW(),
    BatchPerceptron(max_iter=50),
    FisherDiscriminant(),
    KernelPerceptron(max_iter=5),
    LMS(eta0=0.001, max_iter=20),
    LeastSquares(),
    LinearDiscriminant(),
    LinearSVM(),
    LogisticRegression(),
    PassiveAggressive(max_iter=20),
    Perceptron(max_iter=20),
    SecondOrderPerceptron(),
    TanhPerceptron(eta0=0.01, max_iter=20),
    TanhPerceptron(activation="logistic", eta0=0.01, max_iter=20),
    GaussianNB(),
    DecisionTreeClassifier(max_depth=2),
    make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("data", [CLOUDS, IRIS], ids=lambda data: data.name)
def test_the_parts_of_every_estimator_sum_to_its_error(estimator, data):
    found = bias_variance(estimator, data.X, data.y, n_resamples=6)
    squared, votes = found.squared, found.zero_one
    each = squared.rows
    np.testing.assert_allclose(each.error, each.bias + each.variance, atol=1e-12)
    assert squared.error.value == pytest.approx(squared.bias.value + squared.variance.value)
    each = votes.rows
    np.testing.assert_allclose(each.error, each.bias + each.unbiased - each.corrected, atol=1e-12)
    parts = votes.bias.value + votes.unbiased.value - votes.corrected.value
    assert votes.error.value == pytest.approx(parts, abs=1e-12)
    if data is CLOUDS:
        assert votes.corrected == pytest.approx(votes.biased, abs=1e-12)
    if found.outputs == "decisions":  # a wrong one is 2 off, or 1 in each of two places
        scale = 4 if data is CLOUDS else 2
        np.testing.assert_allclose(squared.rows.error, scale * votes.rows.error, atol=1e-12)


def test_outputs_are_probabilities_where_there_are_any():
    def outputs(estimator):
        return bias_variance(estimator, CLOUDS.X, CLOUDS.y, n_resamples=5).outputs

    assert outputs(LinearDiscriminant()) == "probabilities"
    assert outputs(make_pipeline(StandardScaler(), GaussianNB())) == "probabilities"
    assert outputs(LeastSquares()) == "decisions"
    assert outputs(TanhPerceptron(activation="logistic", max_iter=1)) == "probabilities"


@pytest.mark.parametrize("method", ["bootstrap", "subsample"])
def test_the_mean_has_the_variance_of_the_textbook(method):
    """A mean of n rows drawn again varies by s²/n, one of half of them by s²/n too."""
    rng = np.random.default_rng(0)
    n, y = 40, rng.exponential(size=40)
    truth = rng.exponential(size=500)
    found = bias_variance(
        DummyRegressor(),
        np.zeros((n, 1)),
        y,
        test=(np.zeros((500, 1)), truth),
        n_resamples=1000,
        method=method,
    ).squared
    variance = y.var(ddof=0 if method == "bootstrap" else 1) / n
    sure = 4 * variance * np.sqrt(2 / 1000)
    assert found.variance.value == pytest.approx(variance, abs=sure)
    bias = np.mean((y.mean() - truth) ** 2)
    assert found.bias.value == pytest.approx(bias, abs=5 * 2 * np.sqrt(variance * bias / 1000))
    assert found.variance.low == pytest.approx(found.variance.high)  # alike for all rows
    assert found.bias.low < bias < found.bias.high


def known_polynomial(n, rng):
    x = rng.uniform(-1, 1, n)
    return x[:, None], np.sin(3 * x) + rng.normal(0, 0.3, n)


@pytest.mark.parametrize("degree", [1, 9])
def test_new_samples_of_a_known_truth_agree(degree):
    """Referee: models of 200 samples, freshly drawn, and the noiseless truth beside them."""
    rng = np.random.default_rng(degree)
    model = make_pipeline(PolynomialFeatures(degree), Ridge(1e-6))
    x = np.linspace(-1, 1, 400)[:, None]
    truth = np.sin(3 * x[:, 0])
    values = np.array([model.fit(*known_polynomial(200, rng)).predict(x) for _ in range(200)])
    variance, bias = values.var(axis=0).mean(), np.mean((values.mean(axis=0) - truth) ** 2)

    noisy = truth + rng.normal(0, 0.3, 400)
    samples = [
        bias_variance(model, *known_polynomial(200, rng), test=(x, noisy), n_resamples=30).squared
        for _ in range(3)
    ]
    assert np.mean([s.variance.value for s in samples]) == pytest.approx(variance, rel=0.3)
    # the label's own noise is inside the bias of the label, and the sample's own luck too
    with_noise = np.mean([s.bias.value for s in samples]) - np.mean((noisy - truth) ** 2)
    cross = 2 * np.mean((values.mean(axis=0) - truth) * (truth - noisy))
    assert with_noise - cross == pytest.approx(bias + variance, rel=0.3)


def few(estimator, X, y, **settings):
    return bias_variance(estimator, X, y, **{"n_resamples": 5, **settings})


def same(one, other):
    np.testing.assert_array_equal(one.rows, other.rows)
    assert one.squared.rows.error == pytest.approx(other.squared.rows.error, abs=1e-9)
    assert one.zero_one.error == pytest.approx(other.zero_one.error)


@pytest.mark.parametrize(
    "table", [list, sparse.csr_array, sparse.coo_array, pd.DataFrame, pl.DataFrame]
)
def test_rows_of_any_kind(table):
    X = IRIS.X.tolist() if table is list else table(IRIS.X)
    wanted = few(LinearDiscriminant(), IRIS.X, IRIS.y)
    same(few(LinearDiscriminant(), X, IRIS.y.tolist()), wanted)


def test_texts_are_rows_too():
    texts = ["good film", "bad film", "so good", "so bad"] * 10
    model = make_pipeline(CountVectorizer(), Perceptron())
    found = few(model, texts, [1, 0, 1, 0] * 10)
    assert found.estimator == "CountVectorizer → Perceptron"
    assert found.zero_one.error.value == 0.0


def test_threads_and_seeds():
    one, two = (
        few(DecisionTreeClassifier(random_state=0), IRIS.X, IRIS.y, n_jobs=n) for n in (None, 2)
    )
    same(one, two)
    other = few(DecisionTreeClassifier(random_state=0), IRIS.X, IRIS.y, random_state=1)
    assert other.squared.error != one.squared.error


def test_who_judges():
    out_of_bag = few(LinearDiscriminant(), IRIS.X, IRIS.y, n_resamples=30)
    np.testing.assert_array_equal(out_of_bag.rows, np.arange(150))
    share = few(LinearDiscriminant(), IRIS.X, IRIS.y, test=0.2)
    assert len(share.rows) == 30
    assert np.unique(IRIS.y[share.rows], return_counts=True)[1].tolist() == [10, 10, 10]
    # the numbers are those of X: whoever judges by just these rows gets their errors
    given = few(LinearDiscriminant(), IRIS.X, IRIS.y, test=(IRIS.X[:7], IRIS.y[:7]))
    np.testing.assert_array_equal(given.rows, np.arange(7))
    certain = few(LinearDiscriminant(), IRIS.X, np.arange(150) < 75, test=0.5)
    hard = np.abs(certain.rows - 74.5) < 10
    assert certain.zero_one.rows.error[hard].mean() > certain.zero_one.rows.error[~hard].mean()


def test_a_class_that_a_resample_lacks_has_probability_0():
    y = np.array(["a"] * 20 + ["b"] * 20 + ["rare"])
    X = np.arange(41.0)[:, None]
    found = few(GaussianNB(), X, y, test=(X, y), n_resamples=20)
    assert 0 < found.zero_one.rows.error[-1] < 1
    assert found.squared.rows.variance[-1] > 0.5


def test_sentences():
    told = str(few(LinearDiscriminant(), IRIS.X, IRIS.y, n_resamples=30))
    assert told.startswith(
        "LinearDiscriminant: 30 models, each trained on a bootstrap sample of the rows,"
        " evaluated on 150 rows that"
    )
    assert "Squared error of the probabilities 0.0" in told
    assert told.endswith(
        "Bias, which includes label noise, is the larger part: more informative features or a"
        " weaker penalty may help."
    )
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 19)), rng.normal(size=40)
    told = str(few(Ridge(1e-9), X, y, method="subsample", n_resamples=20))
    assert "each trained on half of the rows" in told
    assert "0–1 loss" not in told
    assert "Variance is the larger part" in told


@pytest.mark.parametrize(
    ("settings", "trouble"),
    [
        ({"n_resamples": 1}, "n_resamples must be an integer of at least 2; got 1"),
        ({"method": "jackknife"}, "method must be one of 'bootstrap', 'subsample'"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer other than 0"),
        ({"random_state": "x"}, "random_state must be an integer"),
        ({"test": 1.5}, "test must be a finite number above 0 and of at most 1; got 1.5"),
        ({"test": 0.001}, "A test share of 0.001 of 150 rows leaves no rows for training"),
        ({"test": (IRIS.X, np.full(150, "oak"))}, "'oak'.*, which is not one of the 3 classes"),
        ({"y": IRIS.y[:9]}, "X has 150 rows but y has 9 labels"),
        ({"y": np.zeros(150)}, "y must hold at least two classes; got one"),
    ],
)
def test_refusals(settings, trouble):
    arguments = {"y": IRIS.y, **settings}
    with pytest.raises((ParameterError, DataError), match=trouble):
        few(LinearDiscriminant(), IRIS.X, **arguments)


def test_refusals_of_rows():
    with pytest.raises(DataError, match="held one class only, or every row"):
        few(GaussianNB(), np.arange(3.0)[:, None], [0, 0, 1], method="subsample")
    with pytest.raises(DataError, match="No row was out of bag for two models"):
        few(GaussianNB(), np.arange(4.0)[:, None], [0, 1, 1, 0], n_resamples=2)
    with pytest.raises(DataError, match="y must hold one value for each of the 3 rows"):
        few(Ridge(), np.zeros((3, 1)), np.zeros((3, 2)))
