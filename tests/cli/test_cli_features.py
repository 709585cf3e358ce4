"""Feature maps on the command line: fit, show, predict, score, export, separable, verify."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rosenblatt import builtin
from rosenblatt.cli.main import app
from rosenblatt.errors import ProofFileError
from rosenblatt.persist.file import load_model
from rosenblatt.persist.sklearn_pipeline import to_pipeline

RUNNER = CliRunner()
TABLE = "u,v,colour,kind\n" + "".join(
    f"{u},{v},{'red' if k % 3 else 'blue'},{'same' if u * v > 0 else 'other'}\n"
    for k, (u, v) in enumerate((a, b) for a in (-2, -1, 1, 2, 3) for b in (-3, -2, -1, 1, 2))
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("signs.csv").write_text(TABLE, encoding="utf-8")


def run(*words: str, code: int = 0) -> str:
    result = RUNNER.invoke(app, words, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def fit(*words: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(run("fit", "signs.csv", *words, "--json"))
    return found


def test_the_product_separates_what_no_line_does() -> None:
    found = fit("--features", "products", "--rule", "perceptron", "-o", "m.rosenblatt")
    assert found["separability"]["verdict"] == "inseparable"
    assert found["separability_of_mapped_features"]["verdict"] == "separable"
    assert found["n_encoded_features"] == 4
    assert found["feature_maps"] == [{"feature_map": "products", "n_features": 10}]
    assert next(iter(found["weights"]["same"])) == "u × v"
    told = run("fit", "signs.csv", "--features", "products", "--rule", "perceptron")
    assert "Feature map: products (10 features)" in told
    assert "With the feature map products:\nSeparable" in told


@pytest.mark.parametrize(
    "written",
    [["products"], ["poly:3", "random-products:5"], ["radial:2"], ["fourier:9"], ["nystroem:5"]],
)
def test_a_model_with_maps_goes_through_its_file(written: list[str]) -> None:
    flags = [word for each in written for word in ("--features", each)]
    fit(*flags, "-o", "m.rosenblatt")
    assert f"Feature map: {' and '.join(written)}" in run("show", "m.rosenblatt")
    model = load_model("m.rosenblatt")
    assert len(model.feature_names) == model.W.shape[1] - 1
    Path("new.csv").write_text(TABLE, encoding="utf-8")
    lines = run("predict", "m.rosenblatt", "new.csv").splitlines()[1:]
    right = [line.split(",")[0] for line in lines]
    score = json.loads(run("score", "m.rosenblatt", "new.csv", "--json"))
    true = [line.rsplit(",", 1)[1] for line in TABLE.splitlines()[1:]]
    assert score["accuracy"] == pytest.approx(np.mean(np.array(right) == true))


def test_a_pipeline_decides_as_the_model_does() -> None:
    import pandas as pd  # noqa: PLC0415

    fit("--features", "products", "--features", "radial", "-o", "m.rosenblatt")
    model, frame = load_model("m.rosenblatt"), pd.read_csv("signs.csv")
    pipeline = to_pipeline(model)
    np.testing.assert_allclose(
        pipeline.decision_function(frame), model.decision_function(frame), rtol=1e-12
    )


def test_json_holds_the_maps_and_onnx_refuses_them() -> None:
    fit("--features", "random-products:3", "-o", "m.rosenblatt")
    run("export", "m.rosenblatt", "-o", "m.json")
    plain = json.loads(Path("m.json").read_text(encoding="utf-8"))
    assert plain["maps"][0]["spec"] == "random-products:3"
    assert len(plain["maps"][0]["left"]) == 3
    assert len(plain["weights"][0]) == len(plain["feature_names"]) == 7


def test_a_proof_after_a_map_is_verified_from_the_file_alone() -> None:
    for features, code in (("products", 0), ("radial", 1), ("poly:2", 1)):
        run("separable", "signs.csv", "--features", features, "--proof", "p.json", code=code)
        run("verify", "p.json", "signs.csv")
    proof = json.loads(Path("p.json").read_text(encoding="utf-8"))
    proof["encoding"]["maps"][0]["degree"] = 3
    Path("p.json").write_text(json.dumps(proof), encoding="utf-8")
    run("verify", "p.json", "signs.csv", code=1)
    proof["encoding"]["maps"][0]["kind"] = "unheard of"
    Path("p.json").write_text(json.dumps(proof), encoding="utf-8")
    with pytest.raises(ProofFileError, match="is not a kind of map"):  # which is no proof at all
        run("verify", "p.json", "signs.csv")


def test_features_of_sparse_rows(tmp_path: Path) -> None:
    xor = builtin("xor")
    lines = [
        f"{int(y)} " + " ".join(f"{j + 1}:{x:g}" for j, x in enumerate(row) if x)
        for row, y in zip(xor.X, xor.y, strict=True)
    ]
    path = tmp_path / "xor.svm"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "Separable" in run("separable", str(path), "--features", "products")
    run("separable", str(path), code=1)


def test_slips_are_sentences() -> None:
    for written, trouble in {
        "proucts": "Did you mean 'products'?",
        "poly:x": "degree must be an integer",
        "random-products:100000": "from 0 to 6",
    }.items():
        result = RUNNER.invoke(app, ["fit", "signs.csv", "--features", written])
        assert trouble in str(result.exception)
