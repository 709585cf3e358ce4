"""Numba's disk cache watches a kernel's own file only: key it by all sources, or tests may pass on
code that no longer exists."""

import hashlib
import os
import tempfile
from pathlib import Path

import rosenblatt

_SOURCES = sorted(Path(rosenblatt.__file__).parent.rglob("*.py"))
_KEY = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"rosenblatt-numba-{_KEY}")
)

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "rosenblatt",
    deadline=None,  # the first example compiles
    max_examples=35,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rosenblatt")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def real_data() -> Path:
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        pytest.skip("needs the real data: set ROSENBLATT_DATA to their folder")
    return Path(folder)
