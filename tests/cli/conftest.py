"""Every test works in a folder of its own, with a table of pets and a model of them."""

from pathlib import Path

import pytest
from commands import PETS, QUICKLY, rosenblatt


@pytest.fixture(scope="session")
def pets_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    home = tmp_path_factory.mktemp("pets")
    (home / "pets.csv").write_text(PETS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        said = rosenblatt("fit", "pets.csv", "-o", "pets.model", *QUICKLY, "--no-shuffle")
    assert said.code == 0, said.err
    return (home / "pets.model").read_bytes()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pets_bytes: bytes) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_text(PETS)
    (tmp_path / "pets.model").write_bytes(pets_bytes)
    return tmp_path
