"""A source as labelled rows: as numbers, exactly as they were read."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import builtin, read
from rosenblatt.errors import SourceError


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,town,kind\n1.1,Ulm,cat\n,Bonn,dog\n3.3,Ulm,cat\n5,,dog\n")
    return str(path)


def test_a_table(file):
    data = read(file)
    assert data.feature_names == (
        "age", "age is missing", "town=Bonn", "town=Ulm", "town is missing",
    )  # fmt: skip
    mean = (1.1 + 3.3 + 5) / 3
    np.testing.assert_allclose(
        data.X, [[1.1, 0, 0, 1, 0], [mean, 1, 1, 0, 0], [3.3, 0, 0, 1, 0], [5, 0, 0, 0, 1]]
    )
    assert data.X[0, 0] == 1.1
    assert data.y.tolist() == ["cat", "dog", "cat", "dog"]


def test_a_path_is_a_source_as_its_name_is(file):
    for source in (Path(file), [Path(file)], [file]):
        assert np.array_equal(read(source).X, read(file).X)


def test_the_target_may_be_any_column(file):
    with pytest.raises(SourceError, match=r"t\.csv, line 5, column 'town': the label is missing"):
        read(file, target="town")
    whole = Path(file).with_name("whole.csv")
    whole.write_text(Path(file).read_text().replace("5,,dog", "5,Ulm,dog"))
    data = read([str(whole)], target="town")
    assert data.y.tolist() == ["Ulm", "Bonn", "Ulm", "Ulm"]
    assert data.feature_names == ("age", "age is missing", "kind=cat", "kind=dog")


def test_built_in_rows_stay_as_they_are():
    data, known = read("builtin:iris"), builtin("iris")
    np.testing.assert_array_equal(data.X, known.X)
    np.testing.assert_array_equal(data.y, known.y)
    assert data.feature_names == known.feature_names


def test_sparse_rows(tmp_path):
    (tmp_path / "t.svm").write_text("1 2:0.5\n-1 1:3 3:-1\n1\n")
    data = read(str(tmp_path / "t.svm"))
    assert sparse.issparse(data.X)
    assert data.X.toarray().tolist() == [[0, 0.5, 0], [3, 0, -1], [0, 0, 0]]
    assert data.y.tolist() == [1, -1, 1]
