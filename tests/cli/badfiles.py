"""Files that something is wrong with, by name."""

import bz2
import gzip
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import zstandard
from commands import PETS

JUNK = np.random.default_rng(7).integers(0, 256, 2000, dtype=np.uint8).tobytes()
LONG = PETS + "7,false,red,cat\n" * 5000  # packed, it is more than one block
DAYS = "".join(f"{i},2024-01-{i + 1:02},{'uv'[i % 2]}\n" for i in range(28))
PROOF = json.dumps({"format": "rosenblatt-proof", "version": 1, "answer": "separable"})


def half(packed: bytes) -> bytes:
    return packed[: len(packed) // 2]


TABLES: dict[str, bytes | str] = {
    "empty.csv": "",
    "blank.csv": "\n\n",
    "header.csv": "weight,bark,colour,kind\n",
    "few.csv": PETS + "7,false\n",
    "many.csv": PETS + "7,false,red,cat,9\n",
    "word.csv": PETS + "7,false,red,cat\n" * 10 + "7o,false,red,cat\n",
    "deep.csv": LONG + "7o,false,red,cat\n",
    "infinite.csv": PETS + "1e999,false,red,cat\n",
    "junk.csv": JUNK,
    "junk": JUNK,
    "high.csv": JUNK.replace(b"\0", b"\xff"),
    "utf16.csv": PETS.encode("utf-16"),
    "latin1.csv": PETS.replace("grey", "grün").encode("latin-1"),
    "header1.csv": PETS.replace("colour", "größe").encode("latin-1"),
    "mac.csv": PETS.replace("\n", "\r"),
    "stray.csv": PETS + "7,false,re\rd,cat\n",
    "twice.csv": PETS.replace("bark", "weight"),
    "cut.csv.gz": half(gzip.compress(LONG.encode())),
    "cut.csv.bz2": half(bz2.compress(LONG.encode())),
    "cut.csv.zst": half(zstandard.compress(LONG.encode())),
    "fake.csv.gz": b"\x1f\x8b" + JUNK,
    "fake.parquet": JUNK,
    "fake.arrow": JUNK,
    "fake.npz": JUNK,
    "fake.npy": JUNK,
    "fake.jsonl": '{"weight": 4, "kind": "cat"}\n{"weight": \n',
    "unlabelled.csv": PETS + "7,false,red,\n",
    "one.csv": PETS.replace("dog", "cat"),
    "strange.csv": "weight,bark,colour,kind\n4,false,red,cow\n",
    "no-kind.csv": "weight,bark,colour\n4,false,red\n",
    "less.csv": "colour,kind\nred,cat\n",
    "amounts.csv": "a,y\n1,0.5\n2,0.25\n3,0.75\n",
    "numbers.csv": "a,y\n" + "".join(f"{i % 5},{i * 3}\n" for i in range(60)),
    "dates.csv": "a,day,y\n" + DAYS,
    "alone.csv": "kind\ncat\ndog\ncat\n",
    "useless.csv": "a,y\n5,u\n5,v\n5,u\n5,v\n",
    "huge.csv": "a,y\n1e300,u\n-1e300,v\n2e300,u\n5,v\n",
}
MODELS: dict[str, bytes | str] = {
    "empty.model": "",
    "junk.model": JUNK,
    "pickle.model": pickle.dumps({"weights": [1.0]}),
    "json.model": '{"weights": [1.0]}',
    "proof.json": PROOF,
    "old.csv": "old\n",
    "old.model": "old\n",
    "old.json": "old\n",
    "a-file": "no folder\n",
}


def write_bad_files(model: bytes) -> None:
    """Write all of them into the working folder."""
    for name, content in (TABLES | MODELS | dict(_damaged(model))).items():
        data = content if isinstance(content, bytes) else content.encode()
        Path(name).write_bytes(data)
    Path("a-folder").mkdir()
    for name, cell in (("bytes.parquet", b"x"), ("lists.parquet", [1, 2])):
        pl.DataFrame({"a": [cell] * 4, "y": ["u", "v"] * 2}).write_parquet(name)


def _damaged(model: bytes) -> Iterator[tuple[str, bytes]]:
    yield "cut.model", half(model)
    yield "short.model", model[:-1]
    yield "changed.model", model[:-1] + bytes([model[-1] ^ 1])
