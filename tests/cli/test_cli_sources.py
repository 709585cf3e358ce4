"""Sources that just work: pipes, which can be read only once, and columns called `count`."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from commands import ONLY_FIT, PETS, rosenblatt

FIFOS = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name")
COUNTS = "".join(
    f"{weight},{count},{kind}\n"
    for weight, count, kind in (
        (4, "few", "cat"),
        (5, "many", "cat"),
        (3, "", "cat"),
        (20, "many", "dog"),
        (30, "few", "dog"),
        (9, "many", "dog"),
    )
)


@pytest.fixture
def descriptor() -> Iterator[str]:
    """What a shell makes of <(cat pets.csv)."""
    ours, theirs = os.pipe()
    os.write(theirs, PETS.encode())  # fewer bytes than a pipe holds
    os.close(theirs)
    yield f"/dev/fd/{ours}"
    os.close(ours)


@FIFOS
def test_a_model_of_what_a_command_writes(descriptor: str) -> None:
    assert rosenblatt("fit", "pets.csv", *ONLY_FIT, "-o", "file.model").code == 0
    assert rosenblatt("fit", descriptor, *ONLY_FIT, "-o", "pipe.model").code == 0
    assert predictions("pipe.model", "pets.csv") == predictions("file.model", "pets.csv")


@FIFOS
def test_predictions_for_what_a_command_writes(descriptor: str) -> None:
    assert predictions("pets.model", descriptor) == predictions("pets.model", "pets.csv")


@FIFOS
def test_a_pipe_with_a_name() -> None:
    os.mkfifo("pipe")
    for _ in range(2):  # it has other content each time
        writer = Thread(target=Path("pipe").write_text, args=(PETS,))
        writer.start()
        assert predictions("pets.model", "pipe") == predictions("pets.model", "pets.csv")
        writer.join()


@pytest.mark.parametrize("header", ["weight,count,kind\n", "weight,size,count\n"])
def test_columns_called_count(header: str) -> None:
    Path("counts.csv").write_text(header + COUNTS)
    for words in (
        ("fit", "counts.csv", *ONLY_FIT, "-o", "counts.model"),
        ("predict", "counts.model", "counts.csv"),
        ("score", "counts.model", "counts.csv"),
        ("show", "counts.model"),
        ("separable", "counts.csv"),
    ):
        said = rosenblatt(*words)
        assert (said.code, said.err.count("Error")) == (0, 0), said
    assert "count" in rosenblatt("show", "counts.model").out


def predictions(model: str, source: str) -> str:
    said = rosenblatt("predict", model, source)
    assert said.code == 0, said.err
    return said.out


def test_a_header_of_numbers() -> None:
    rows = "".join(f"{i * 37 % 11},{i % 5}.5,{'ab'[i * 37 % 11 > 5]}\n" for i in range(40))
    Path("numbered.csv").write_text("0,1,target\n" + rows)
    Path("new.csv").write_text("0,1\n3,1.5\n")
    fit = rosenblatt("fit", "numbered.csv", *ONLY_FIT, "-o", "m.model", "--json")
    assert json.loads(fit.out)["n_rows"] == 40
    said = rosenblatt("predict", "m.model", "new.csv")
    assert said.code == 2
    assert "lacks the columns '0', '1'" in said.err
    assert "If the first line is a header, set --header." in said.err
    predicted = rosenblatt("predict", "m.model", "new.csv", "--header")
    assert len(predicted.out.splitlines()) == 2
