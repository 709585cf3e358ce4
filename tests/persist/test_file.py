"""The file itself: read as if nobody vouched for it, written whole or not at all."""

import json
import os
import pickle
import resource
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save as safetensors_bytes

import rosenblatt
from rosenblatt import (
    AROW,
    KernelPerceptron,
    LinearDiscriminant,
    LogisticRegression,
    Perceptron,
    builtin,
    load,
    save,
    separability,
)
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import ModelError
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.persist.file import load_model
from rosenblatt.persist.model import Model, as_chunk, model_of
from rosenblatt.persist.safetensors_file import (
    CHECKSUM,
    METADATA,
    TEXT,
    Tensors,
    checksum,
    read_tensors,
)
from rosenblatt.preprocess.column_encoders import CategoryColumn, NumberColumn, TextColumn
from rosenblatt.preprocess.transformer import ColumnTransformer, Scaling

IRIS = builtin("iris")
FRAME = pl.DataFrame({"age": [22.0, None, 35.0, 58.0], "town": ["Ulm", "Bonn", None, "Kiel"]})


def a_model() -> Model:
    """Two columns, one of them words, fitted to codes with the labels beside."""
    columns = (
        NumberColumn("age", 30.0, indicator=True),
        CategoryColumn("town", ("Bonn", "Ulm"), indicator=True),
    )
    scaling = Scaling(np.array([36.0, 0, 0, 0, 0]), np.array([0.1, 1, 1, 1, 1]))
    transformer = ColumnTransformer(columns, 5, sparse=False, scaling=scaling, target="bought")
    rows = np.array([[-1.4, 0, 0, 1, 0], [-0.6, 1, 1, 0, 0], [-0.1, 0, 0, 0, 1], [2.2, 0, 0, 0, 0]])
    estimator = LogisticRegression().fit(rows, [0, 1, 0, 1])
    return model_of(
        estimator, transformer, {"rows": 4}, classes=["no", "yes"], fingerprint="ab" * 32
    )


def written(model: Any, folder: Path) -> Path:
    path = folder / "model.rosenblatt"
    save(model, path)
    return path


# --- the container ------------------------------------------------------------------------------


def test_safetensors_itself_reads_the_file(tmp_path: Path) -> None:
    """Referee: the library that defined the format."""
    model = LogisticRegression().fit(IRIS.X, IRIS.y)
    path = written(model, tmp_path)
    with safe_open(path, "np") as file:
        W = file.get_tensor("weights")
        about = json.loads(file.metadata()[TEXT])
        for name in file.keys():  # noqa: SIM118 (no dictionary)
            np.testing.assert_array_equal(file.get_tensor(name), read_tensors(path).arrays[name])
    np.testing.assert_array_equal(W, np.column_stack([model.coef_, model.intercept_]))
    assert about["rule"] == "logistic-regression"
    assert about["classes"] == {"kind": "str", "values": ["setosa", "versicolor", "virginica"]}
    assert about["summary"] == {"outcome": str(model.outcome_)}


def test_arrays_may_be_written_to_and_the_file_stays(tmp_path: Path) -> None:
    path = written(Perceptron().fit(IRIS.X[:100], IRIS.y[:100]), tmp_path)
    before = path.read_bytes()
    load(path).partial_fit(IRIS.X[:5], IRIS.y[100:105])
    read_tensors(path).arrays["weights"][:] = 0.0
    assert path.read_bytes() == before


def test_a_model_comes_back(tmp_path: Path) -> None:
    model = a_model()
    again = load(written(model, tmp_path))
    assert isinstance(again, Model)
    for method in ("decision_function", "predict", "predict_proba"):
        np.testing.assert_array_equal(getattr(again, method)(FRAME), getattr(model, method)(FRAME))
    assert again.predict(FRAME).tolist() == ["no", "yes", "no", "yes"]
    assert (again.rule, again.link) == ("logistic-regression", "logistic")
    assert (again.summary, again.fingerprint) == ({"rows": 4}, "ab" * 32)
    assert again.feature_names == model.feature_names
    assert again.transformer.target == "bought"
    assert again.estimator().classes_.tolist() == [0, 1]
    assert again.estimator(labels=True).classes_.tolist() == ["no", "yes"]


def test_a_model_of_text_comes_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"review": ["good good film", "bad film", None, "a secret word"] * 5})
    text = TextColumn("review", NgramSpec(bits=8), np.linspace(1.0, 2.0, 2**8))
    transformer = ColumnTransformer((text,), 2**8, sparse=True)
    rows = transformer.transform(as_chunk(frame))
    estimator = LogisticRegression().fit(matrix_of(rows), [1, 0, 0, 1] * 5)
    path = written(model_of(estimator, transformer), tmp_path)
    again = load(path)
    np.testing.assert_array_equal(
        again.decision_function(frame), model_of(estimator, transformer).decision_function(frame)
    )
    assert again.predict(frame).tolist() == [1, 0, 0, 1] * 5
    assert b"secret" not in path.read_bytes()


LINEAR = [
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
    LinearDiscriminant(),
    Perceptron(max_iter=5),
    AROW(),
]


@pytest.mark.parametrize("n", [100, 150])
@pytest.mark.parametrize("estimator", LINEAR, ids=repr)
def test_a_light_model_answers_as_the_estimator(estimator: Any, n: int, tmp_path: Path) -> None:
    estimator.fit(IRIS.X[-n:], IRIS.y[-n:])
    light = load_model(written(estimator, tmp_path))
    np.testing.assert_array_equal(light.predict(IRIS.X), estimator.predict(IRIS.X))
    if hasattr(estimator, "predict_proba"):
        ours, theirs = light.predict_proba(IRIS.X), estimator.predict_proba(IRIS.X)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    else:
        with pytest.raises(ModelError, match="no probabilities"):
            light.predict_proba(IRIS.X)


def test_a_kernel_machine_is_no_linear_model(tmp_path: Path) -> None:
    path = written(KernelPerceptron(max_iter=3).fit(IRIS.X, IRIS.y), tmp_path)
    with pytest.raises(ModelError, match="not a linear classifier"):
        load_model(path)
    with pytest.raises(ModelError, match="not a linear classifier"):
        model_of(load(path))


def test_classes_and_features_must_go_with_the_estimator() -> None:
    estimator = Perceptron().fit(IRIS.X[:100], IRIS.y[:100])
    with pytest.raises(ModelError, match="does not fit"):
        model_of(estimator, classes=["a", "b", "c"])
    with pytest.raises(ModelError, match="does not fit"):
        model_of(estimator, ColumnTransformer((), 5, sparse=False))


def test_a_damaged_memory_of_labels_is_no_secret(tmp_path: Path) -> None:
    """No cell of text gets into the file, but for categories and names."""
    text = read_tensors(written(a_model(), tmp_path)).text
    assert "Ulm" in text
    assert "Kiel" not in text


CODE = """
import sys
from rosenblatt.persist.file import load_model
from rosenblatt.io.chunks import Matrix, Place, Table
model = load_model(sys.argv[1])
if model.transformer.columns:
    import polars as pl
    chunk = Table(pl.DataFrame({"age": [22.0], "town": ["Ulm"]}), Place("here"))
else:
    import numpy as np
    chunk = Matrix(np.ones((1, 4)), None, Place("here"))
print(model.predict(chunk).tolist(), model.probabilities(chunk).shape)
print([m for m in ("sklearn", "numba", "scipy", "pandas", "safetensors") if m in sys.modules])
"""


@pytest.mark.parametrize("make", [a_model, lambda: LogisticRegression().fit(IRIS.X, IRIS.y)])
def test_predicting_loads_no_training_code(make: Callable[[], Any], tmp_path: Path) -> None:
    path = written(make(), tmp_path)
    source = str(Path(rosenblatt.__file__).parents[1])
    run = subprocess.run(
        [sys.executable, "-c", CODE, path],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[1] == "[]"


# --- files that are no models -------------------------------------------------------------------


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"a": 1}))


def proof(path: Path) -> None:
    separability([[0.0], [1.0]], [0, 1]).save(path)


def other_tensors(path: Path) -> None:
    path.write_bytes(safetensors_bytes({"a": np.ones(3)}))


def cut(path: Path) -> None:
    path.write_bytes(written(a_model(), path.parent).read_bytes()[:-8])


def longer(path: Path) -> None:
    path.write_bytes(written(a_model(), path.parent).read_bytes() + bytes(8))


def header_only(path: Path) -> None:
    path.write_bytes(written(a_model(), path.parent).read_bytes()[:40])


def huge_header(path: Path) -> None:
    path.write_bytes((10**12).to_bytes(8, "little") + b"{}")


def deep(path: Path) -> None:
    text = b"{" + b'"a":{' * 200_000
    path.write_bytes(len(text).to_bytes(8, "little") + text)


NO_MODELS = {
    "pickle": (pickled, "pickle, which is never loaded"),
    "proof": (proof, "JSON text"),
    "others": (other_tensors, "not one of rosenblatt's"),
    "empty": (lambda path: path.write_bytes(b""), "is empty"),
    "short": (lambda path: path.write_bytes(b"abc"), "not a model file"),
    "noise": (lambda path: path.write_bytes(bytes(range(200, 256)) * 9), "not a model file"),
    "gzip": (lambda path: path.write_bytes(b"\x1f\x8b" + bytes(60)), "gzip"),
    "cut": (cut, "is truncated"),
    "longer": (longer, "too long"),
    "header only": (header_only, "within its header"),
    "huge header": (huge_header, "header would take"),
    "deep": (deep, "damaged header"),
    "missing": (lambda _: None, "cannot be read"),
    "folder": (lambda path: path.mkdir(), "cannot be read"),
}


@pytest.mark.parametrize("kind", NO_MODELS)
def test_what_is_no_model_is_told(kind: str, tmp_path: Path) -> None:
    make, told = NO_MODELS[kind]
    make(tmp_path / "file")
    for read in (load, load_model):
        with pytest.raises(ModelError, match=told) as caught:
            read(tmp_path / "file")
        assert str(tmp_path / "file") in str(caught.value)


# --- files with a right checksum and wrong contents ---------------------------------------------


def forged(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> Path:
    """Change the fields and arrays of a file, and make its checksum right again."""
    text, arrays = read_tensors(path)
    fields = json.loads(text)
    copies = {name: array.copy() for name, array in arrays.items()}
    change(fields, copies)
    text = json.dumps(fields)
    told = {TEXT: text, CHECKSUM: checksum(Tensors(text, copies))}
    path.write_bytes(safetensors_bytes(copies, told))
    return path


def put(*keys: Any, value: Any) -> Callable[[Any, Any], None]:
    def change(fields: Any, arrays: Any) -> None:
        place = arrays if keys[0] == "arrays" else fields
        for key in keys[keys[0] == "arrays" : -1]:
            place = place[key]
        place[keys[-1]] = value

    return change


def drop(*keys: Any) -> Callable[[Any, Any], None]:
    def change(fields: Any, arrays: Any) -> None:
        place = arrays if keys[0] == "arrays" else fields
        for key in keys[keys[0] == "arrays" : -1]:
            place = place[key]
        del place[keys[-1]]

    return change


FORGED_MODELS = {
    "half a character": (put("classes", "values", 0, value="\ud800"), "surrogate"),
    "newer": (put("version", value=2), "written by a newer rosenblatt: update"),
    "odd version": (put("version", value="x"), "unknown"),
    "format": (put("format", value="other"), '"format"'),
    "rule": (put("rule", value="os.system"), '"rule"'),
    "field more": (put("code", value="import os"), "missing or a surplus field"),
    "field less": (drop("summary"), "missing or a surplus field"),
    "classes": (put("classes", "values", value=["no"]), "another number of classes"),
    "class twice": (put("classes", "values", value=["no", "no"]), '"classes"'),
    "kind of classes": (put("classes", "kind", value="int"), '"classes"'),
    "link": (put("link", value="softmax"), "link"),
    "unknown link": (put("link", value="os"), '"link"'),
    "fingerprint": (put("fingerprint", value="zz"), '"fingerprint"'),
    "weights": (put("arrays", "weights", value=np.zeros((2, 6))), "do not fit"),
    "weights' type": (put("arrays", "weights", value=np.zeros((1, 6), np.int64)), "do not fit"),
    "not finite": (put("arrays", "weights", value=np.full((1, 6), np.nan)), "not finite"),
    "infinite scale": (put("arrays", "transformer.factor", value=np.full(5, np.inf)), "finite"),
    "short scale": (put("arrays", "transformer.factor", value=np.ones(4)), "scaling"),
    "column": (put("transformer", "columns", 0, "kind", value="code"), "not a kind of column"),
    "column twice": (put("transformer", "columns", 0, "name", value="town"), "twice"),
    "category twice": (put("transformer", "columns", 1, "values", value=["a", "a"]), "twice"),
    "categories": (put("transformer", "columns", 1, "values", value=["a"]), "do not add up"),
    "fill": (put("transformer", "columns", 0, "fill", value="x"), "damaged model file"),
    "huge hash": (
        put(
            "transformer",
            "columns",
            0,
            value={
                "kind": "text",
                "name": "t",
                "sizes": [1, 2],
                "unit": "word",
                "bits": 10**9,
                "weight": "tfidf",
            },
        ),
        "hashes 1 to 2 words to",
    ),
    "negative hash": (
        put(
            "transformer",
            "columns",
            0,
            value={
                "kind": "text",
                "name": "t",
                "sizes": [1, 2],
                "unit": "word",
                "bits": -1,
                "weight": "tfidf",
            },
        ),
        "hashes 1 to 2 words to",
    ),
    "long words": (
        put(
            "transformer",
            "columns",
            0,
            value={
                "kind": "text",
                "name": "t",
                "sizes": [1, 10**9],
                "unit": "word",
                "bits": 1,
                "weight": "tfidf",
            },
        ),
        "hashes 1 to",
    ),
    "no columns": (drop("transformer", "columns"), "damaged model file"),
    "other classes": (put("classes", "values", value=["a", "b", "c"]), "number of classes"),
}
FORGED_ESTIMATORS = {
    "classes": (put("classes", "values", value=["a", "b"]), "other classes"),
    "parameter more": (put("parameters", "spam", value=1), "not those of"),
    "parameter less": (drop("parameters", "eta0"), "not those of"),
    "parameter's kind": (put("parameters", "eta0", value="x"), "eta0"),
    "parameter's range": (put("parameters", "max_iter", value=-1), "max_iter"),
    "method": (put("attributes", "predict", value=3), "predict"),
    "class": (put("attributes", "__class__", value="x"), "__class__"),
    "attribute's kind": (put("attributes", "n_iter_", value="x"), "n_iter_"),
    "unknown record": (put("attributes", "n_iter_", value={"os.system": {}}), "not a value"),
    "ending": (
        put("attributes", "_outcome", "outcome", "ending", value={"ending": "X"}),
        "not a value",
    ),
    "record's field": (
        drop("attributes", "_outcome", "outcome", "rows"),
        "missing or a surplus field",
    ),
    "field's kind": (put("attributes", "_outcome", "outcome", "rows", value="x"), "wrong type"),
    "no weights": (drop("attributes", "classes_"), "classes"),
    "array": (put("attributes", "_W", value={"array": "none"}), "not a value"),
    "shape": (put("arrays", "weights", value=np.zeros((1, 9))), "shape"),
    "optimiser state": (
        put("arrays", "attributes.stream.state.W", value=np.zeros((1, 9))),
        "shape",
    ),
    "counters": (
        put("arrays", "attributes.stream.state.counters", value=np.zeros(1, np.int64)),
        "shape",
    ),
    "NaN": (put("arrays", "weights", value=np.full((1, 5), np.nan)), "NaN"),
    "deep": (
        put("attributes", "n_iter_", value=json.loads('{"list":[' * 300 + "]}" * 300)),
        "n_iter_",
    ),
}


@pytest.mark.parametrize("kind", FORGED_MODELS)
def test_a_forged_model_is_refused(kind: str, tmp_path: Path) -> None:
    change, told = FORGED_MODELS[kind]
    path = forged(written(a_model(), tmp_path), change)
    for read in (load, load_model):
        with pytest.raises(ModelError, match=told):
            read(path)


@pytest.mark.parametrize("kind", FORGED_ESTIMATORS)
def test_a_forged_estimator_is_refused(kind: str, tmp_path: Path) -> None:
    change, told = FORGED_ESTIMATORS[kind]
    path = forged(written(Perceptron().fit(IRIS.X[:100], IRIS.y[:100]), tmp_path), change)
    with pytest.raises(ModelError, match=told):
        load(path)


def test_broken_rows_in_a_kernel_sum_are_refused(tmp_path: Path) -> None:
    """Compiled code would read beyond them."""
    from scipy import sparse  # noqa: PLC0415

    model = KernelPerceptron(max_iter=3).fit(sparse.csr_array(IRIS.X), IRIS.y)
    path = written(model, tmp_path)
    names = [name for name in read_tensors(path).arrays if ".rows." in name]
    assert sorted(name.rpartition(".")[2] for name in names) == ["data", "indices", "indptr"]
    blob = path.read_bytes()
    for name in names:
        path.write_bytes(blob)
        forged(path, lambda _, arrays, name=name: arrays[name].__setitem__(1, 10**6))
        if not name.endswith("data"):
            with pytest.raises(ModelError, match="inconsistent"):
                load(path)


# --- damage of any kind -------------------------------------------------------------------------

SAMPLES = {
    "model": a_model(),
    "stream": AROW().partial_fit(IRIS.X[::3], IRIS.y[::3]),
    "kernel": KernelPerceptron(max_iter=2).fit(IRIS.X, IRIS.y),
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("samples")
    return folder / "damaged", {k: written(m, folder).read_bytes() for k, m in SAMPLES.items()}


def answers(model: Any) -> Any:
    return model.decision_function(FRAME if isinstance(model, Model) else IRIS.X)


@settings(max_examples=300)
@given(name=st.sampled_from(sorted(SAMPLES)), data=st.data())
def test_damage_is_refused_or_harmless(samples: Any, name: str, data: st.DataObject) -> None:
    """Whatever is flipped, cut, put in or left out: a sentence, or the very same answers."""
    path, blobs = samples
    blob = bytearray(blobs[name])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(blob) - 1))
        what = data.draw(st.sampled_from(["flip", "cut", "insert", "remove"]))
        if what == "flip":
            blob[place] ^= data.draw(st.integers(1, 255))
        elif what == "cut":
            del blob[max(place, 1) :]
        elif what == "insert":
            blob[place:place] = data.draw(st.binary(min_size=1, max_size=9))
        elif len(blob) > 1:
            del blob[place]
    path.write_bytes(blob)
    try:
        again = load(path)
    except ModelError:
        return
    np.testing.assert_array_equal(answers(again), answers(SAMPLES[name]))


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.lists(st.integers(-3, 3), max_size=3),
    st.dictionaries(
        st.sampled_from(["array", "list", "float", "optimiser_state", "words"]), st.integers()
    ),
)


@settings(max_examples=300)
@given(name=st.sampled_from(sorted(SAMPLES)), data=st.data(), value=ODD)
def test_any_other_value_in_the_text_is_refused_or_works(
    samples: Any, name: str, data: st.DataObject, value: Any
) -> None:
    """With the checksum made right: a sentence, or an estimator that answers."""
    path, blobs = samples
    path.write_bytes(blobs[name])

    def change(fields: Any, _: Any) -> None:
        place = fields
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = data.draw(st.sampled_from(keys))
            inner = place[key]
            if not isinstance(inner, dict | list) or not inner or data.draw(st.integers(0, 3)) == 0:
                place[key] = value
                return
            place = inner

    try:
        again = load(forged(path, change))
    except ModelError:
        return
    try:
        scores = answers(again)
    except rosenblatt.errors.RosenblattError:  # such as a column of another name
        return
    assert np.isfinite(scores).all()


@settings(max_examples=200)
@given(data=st.data(), value=ODD)
@example(data=None, value=None)
def test_any_other_header_is_refused(samples: Any, data: st.DataObject | None, value: Any) -> None:
    """Shapes, types, places of arrays: the checksum or the limits tell."""
    path, blobs = samples
    blob = blobs["model"]
    (size,) = struct.unpack("<Q", blob[:8])
    header = json.loads(blob[8 : 8 + size])
    if data is None:
        header["weights"]["shape"] = [0, 2**62, 2**62]
    else:
        name = data.draw(st.sampled_from(sorted(set(header) - {METADATA})))
        key = data.draw(st.sampled_from(["dtype", "shape", "data_offsets", "more"]))
        if header[name].get(key) == value:
            return
        header[name][key] = value
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob[8 + size :])
    with pytest.raises(ModelError):
        load(path)


# --- written whole or not at all ----------------------------------------------------------------


@pytest.mark.parametrize("broken", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_save_leaves_the_old_file(
    broken: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(a_model(), tmp_path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(*((os, "fsync") if broken == "fsync" else (Path, "replace")), fail)
    expected = ModelError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        save(Perceptron().fit(IRIS.X, IRIS.y), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk(tmp_path: Path) -> None:
    """A limit on the size of files stops the writing half-way, as a full disk does."""
    path = written(a_model(), tmp_path)
    before, model = path.read_bytes(), AROW(covariance="full").fit(IRIS.X, IRIS.y)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, limits[1]))
    try:
        with pytest.raises(ModelError, match="cannot be written: File too large"):
            save(model, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be written: No such file or directory"):
        save(a_model(), tmp_path / "none" / "model.rosenblatt")
    with pytest.raises(ModelError, match="cannot be written: Is a directory"):
        save(a_model(), tmp_path)


def test_the_file_is_for_whom_the_umask_lets_and_a_link_stays(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        path = written(a_model(), tmp_path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "link"
    link.symlink_to(path)
    save(Perceptron().fit(IRIS.X, IRIS.y), link)
    assert link.is_symlink()
    assert isinstance(load(path), Perceptron)


def test_a_device_is_no_model_file() -> None:
    with pytest.raises(ModelError, match=r"/dev/null is a device or a pipe\."):
        load("/dev/null")
