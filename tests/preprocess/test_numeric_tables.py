"""Tables of numbers: statistics, warnings and labels, whatever the chunks they come in."""

from dataclasses import asdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Chunk, Place, Table
from rosenblatt.preprocess.column_types import Choices, LeakDetector
from rosenblatt.preprocess.fit import FittedPreprocessing, fit_preprocessing
from rosenblatt.preprocess.statistics import NumberStatistics
from rosenblatt.preprocess.target import count_labels, encode_labels, infer_target
from rosenblatt.types import Floats

NAMES = ("a", "row_id", "constant", "leak", "counter", "gaps", "label")
PLACE = Place("m.csv", 2)


class Chunks(list[Chunk]):
    """Chunks that are at hand, as a source."""

    name = "m.csv"


def table_of(n: int = 300) -> Floats:
    """Columns that deserve a word, and some that do not."""
    rng = np.random.default_rng(5)
    label = rng.integers(0, 3, n).astype(float)
    gaps = rng.normal(size=n)
    gaps[rng.random(n) < 0.2] = np.nan
    leak = np.where(label == 2, np.nan, 10 - label)
    columns = [rng.normal(3, 50, n), rng.permutation(n), np.full(n, 0.1), leak, np.arange(n), gaps]
    return np.column_stack([*columns, label])


def table(values: Floats, names: tuple[str, ...] = NAMES) -> Table:
    """Rows of numbers as a table; NaN is a missing cell."""
    frame = pl.DataFrame(values, schema=list(names), orient="row", nan_to_null=True)
    return Table(frame, PLACE)


def source(cuts: list[int]) -> Chunks:
    """The rows, cut into chunks."""
    return Chunks(table(part) for part in np.split(table_of(), cuts) if len(part))


def all_of(learned: FittedPreprocessing) -> object:
    """Everything that was learned, so that it can be compared."""
    plain, arrays = learned.transformer.to_dict()
    bits = {name: array.tobytes() for name, array in arrays.items()}
    return plain, bits, learned.classes, learned.counts, [asdict(f) for f in learned.left_out]


@pytest.mark.parametrize(
    "choices",
    [
        Choices(),
        Choices(use=frozenset(NAMES[:-1])),
        Choices(drop=frozenset({"a"}), scale=False),
        Choices(category=frozenset({"constant", "leak"})),
    ],
)
@given(st.lists(st.integers(100, 300), max_size=4).map(sorted))
def test_any_cut_gives_the_same_bits(choices: Choices, cuts: list[int]) -> None:
    whole, parts = source([]), source(cuts)
    first = fit_preprocessing(whole, None, choices)
    assert all_of(fit_preprocessing(parts, None, choices)) == all_of(first)
    rows = [
        np.concatenate([np.asarray(first.transformer.transform(chunk)) for chunk in chunks])
        for chunks in (whole, parts)
    ]
    assert rows[0].tobytes() == rows[1].tobytes()
    codes = [
        np.concatenate([encode_labels(c, "label", first.classes) for c in s])
        for s in (whole, parts)
    ]
    assert codes[0].tolist() == codes[1].tolist()


def test_what_was_planted_is_found() -> None:
    learned = fit_preprocessing(source([]), None, Choices())
    found = {finding.column: finding.kind for finding in learned.left_out}
    assert found == {
        "row_id": "identifier",
        "constant": "constant",
        "leak": "leak",
        "counter": "identifier",
    }
    assert learned.transformer.feature_names == ("a", "gaps", "gaps is missing")
    assert learned.classes == (0, 1, 2)


def summed(values: Floats) -> NumberStatistics:
    numbers = NumberStatistics(["a"])
    numbers.add(values[None])
    return numbers


def test_moments_are_those_of_numpy_even_far_from_zero() -> None:
    values = np.random.default_rng(0).normal(1e9, 1.0, 10_000)
    values[::7] = np.nan
    found = summed(values)
    exact = values.astype(np.longdouble)
    assert found.n == np.count_nonzero(~np.isnan(values))
    assert found.mean == pytest.approx(float(np.nanmean(exact)), rel=1e-15)
    assert found.deviation == pytest.approx(float(np.nanstd(exact)), rel=1e-9)


def test_a_constant_has_no_spread_at_all() -> None:
    found = summed(np.full(12_345, 0.1))
    assert found.mean == pytest.approx(0.1, rel=1e-15)
    assert found.constant


@pytest.mark.parametrize(
    ("label", "trouble"),
    [
        (np.nan, "line 4, column 'label': the label is missing"),
        (0.5, "line 4, column 'label': 0.5 is not a class"),
        (1e300, "line 4, column 'label': 1e\\+300 is not a class"),
    ],
)
def test_a_bad_label_is_named(label: float, trouble: str) -> None:
    chunk = table(np.array([[1.0, 0], [2, 1], [3, label]]), ("a", "label"))
    with pytest.raises(SourceError, match=trouble):
        count_labels(chunk, "label")
    with pytest.raises(SourceError, match=trouble):
        encode_labels(chunk, "label", (0, 1))


def test_numbers_are_found_among_classes_of_words() -> None:
    chunk = table(np.array([[1.0, 7], [2, -1], [3, 8]]), ("a", "b"))
    assert encode_labels(chunk, "b", ("-1", "7")).tolist() == [1, 0, -1]
    with pytest.raises(SourceError, match="has no column 'c'"):
        encode_labels(chunk, "c", (1, 2))


def test_the_target_is_the_first_column_if_only_it_can_be() -> None:
    values = np.column_stack([np.arange(100.0) % 2, np.arange(100.0)])
    assert infer_target(table(values, ("a", "b")), None) == "a"
    assert infer_target(table(values[:, ::-1], ("a", "b")), None) == "b"


def test_a_column_is_cleared_by_any_chunk() -> None:
    leaks = LeakDetector("label", ["a"])
    first = table(np.array([[1.0, 0], [2, 1]] * 20), ("a", "label"))
    leaks.add(first)
    assert leaks.determines_target("a", 40)
    leaks.add(table(np.array([[1.0, 1]]), ("a", "label")))
    assert not leaks.determines_target("a", 41)
