"""`rosenblatt export`: a model for other programs, whole or not at all."""

import json
from pathlib import Path

import numpy as np
import onnxruntime
import polars as pl
import pytest
from commands import ONLY_FIT, contents, refusal, rosenblatt


def scores() -> list[float]:
    return pl.read_csv(rosenblatt("predict", "pets.model", "pets.csv").out.encode())[
        "score"
    ].to_list()


def test_json_is_written_and_told() -> None:
    said = rosenblatt("export", "pets.model", "-o", "pets.json")
    assert said == (0, "pets.model written to pets.json as JSON.\n", "")
    plain = json.loads(Path("pets.json").read_text())
    assert plain["classes"] == ["cat", "dog"]
    assert [column["name"] for column in plain["columns"]] == ["weight", "bark", "colour"]


def test_onnx_gives_the_same_scores() -> None:
    said = rosenblatt("export", "pets.model", "-o", "pets.bin", "--to", "onnx", "--json")
    told = json.loads(said.out)
    assert list(told) == ["model", "output", "format", "n_bytes"]
    assert told["n_bytes"] == Path("pets.bin").stat().st_size
    session = onnxruntime.InferenceSession("pets.bin", providers=["CPUExecutionProvider"])
    frame = pl.read_csv("pets.csv")
    cells = {
        "weight": frame["weight"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
        "bark": frame["bark"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
    }
    inputs = {name: values.astype(np.float32)[:, None] for name, values in cells.items()}
    inputs["colour"] = np.array(frame["colour"].fill_null("").to_list(), object)[:, None]
    found = session.run(["scores"], inputs)[0][:, 0]
    np.testing.assert_allclose(found, scores(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("nothing.model", "-o", "a.json"), "Error: nothing.model"),
        (("pets.csv", "-o", "a.json"), "Error: pets.csv is not a model file"),
        (("pets.model", "-o", "a.xml"), "Error: a.xml ends neither in .json nor in .onnx"),
        (("pets.model", "-o", "no/a.json"), "Error: no/a.json cannot be written"),
        (("pets.model", "-o", "pets.csv/a.json"), "Error: pets.csv/a.json cannot be written"),
    ],
)
def test_what_cannot_be_exported(words: tuple[str, ...], wanted: str) -> None:
    before = contents()
    assert f"Error: {refusal('export', *words)}".startswith(wanted)
    assert contents() == before


def test_text_has_no_onnx() -> None:
    words = [f"a note {j} of {word} things,{word}" for j, word in enumerate(("good", "bad") * 12)]
    Path("notes.csv").write_text("\n".join(["note,kind", *words]))
    fit = rosenblatt("fit", "notes.csv", "--text", "note", *ONLY_FIT, "-o", "notes.model")
    assert fit.code == 0
    assert "holds text" in refusal("export", "notes.model", "-o", "notes.onnx")
