"""Ways to pack a file, for the tests of all readers."""

import bz2
import gzip
from pathlib import Path

import zstandard

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstandard.compress}


def packed(path: Path, suffix: str) -> str:
    """A packed copy beside a file."""
    copy = path.with_name(path.name + suffix)
    copy.write_bytes(PACKERS[suffix](path.read_bytes()))
    return str(copy)
