"""Maps of images on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import ONLY_FIT, rosenblatt

from rosenblatt import builtin
from rosenblatt.persist.file import load_model

LETTERS = builtin("mark-i")
SOME = np.isin(LETTERS.y, ["A", "B", "C"])


@pytest.fixture
def letters(folder: Path) -> Path:
    X = LETTERS.X[SOME].astype(np.uint8)
    codes = np.unique(LETTERS.y[SOME], return_inverse=True)[1]
    lines = [",".join(map(str, [*row, code])) for row, code in zip(X, codes, strict=True)]
    head = ",".join([*(f"p{j}" for j in range(400)), "label"])
    (folder / "letters.csv").write_text("\n".join([head, *lines]) + "\n")
    np.savez(folder / "letters.npz", X=X * np.uint8(255), y=codes)
    return folder


def weights(source: str, features: str) -> np.ndarray:
    said = rosenblatt("fit", source, "--features", features, "-o", "m.model", *ONLY_FIT)
    assert said.code == 0, said.err
    assert f"Feature map: {features}" in said.out
    return np.array(load_model("m.model").W)


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize("features", ["hog:4", "hog:5x4,soft=true,shape=20x20", "mark-i"])
def test_pixels_are_not_scaled_one_by_one(features: str) -> None:
    """A table of 0 and 1 and images of 0 and 255 make the same features."""
    np.testing.assert_allclose(
        weights("letters.csv", features), weights("letters.npz", features), atol=1e-3
    )


@pytest.mark.usefixtures("letters")
def test_a_model_of_images_scores_new_ones() -> None:
    weights("letters.npz", "hog:4")
    said = rosenblatt("score", "m.model", "letters.npz", "--json")
    assert json.loads(said.out)["accuracy"] == 1.0
    shown = rosenblatt("show", "m.model")
    assert "in block" in shown.out


@pytest.mark.usefixtures("letters")
@pytest.mark.parametrize(
    ("features", "words"),
    [
        ("hog:shape=20x21", "Images of 20 × 21 pixels are rows of 420 features; these have 400."),
        ("hog:eight", "cell must be two integers such as 28x20, or one for both; got 'eight'."),
        ("hog:20", "too small for a block of 2 × 2 cells of 20 × 20 pixels"),
    ],
)
def test_what_does_not_fit_is_told(features: str, words: str) -> None:
    said = rosenblatt("fit", "letters.npz", "--features", features, *ONLY_FIT)
    assert said.code == 2
    assert words in " ".join(said.err.split())


@pytest.mark.usefixtures("letters")
def test_a_comparison_sees_every_pixel() -> None:
    asked = ("--rule", "least-squares", "--features", "hog:5", "--proof-seconds", 0, "--folds", 2)
    told = json.loads(rosenblatt("compare", "letters.csv", *asked, "--json").out)
    assert told["n_features"] == 400
    assert told["feature_sets"][1]["n_features"] == 3 * 3 * 4 * 9
