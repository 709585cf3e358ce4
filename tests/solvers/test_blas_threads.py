"""BLAS keeps to one thread, whichever libraries have been loaded before."""

import os
import subprocess
import sys

import pytest

SHOWN = "print(sorted(i['num_threads'] for i in threadpool_info() if i['user_api'] == 'blas'))"


@pytest.mark.parametrize("before", ["", "import scipy.linalg"])
def test_a_library_that_comes_later_has_one_thread_too(before: str) -> None:
    # once: scipy's was loaded after numpy's had been looked up, and had all cores
    code = (
        f"{before}\n"
        "from threadpoolctl import threadpool_info\n"
        "from rosenblatt.solvers.blas import one_thread\n"
        "with one_thread():\n"
        f"    import scipy.linalg; {SHOWN}\n"
        f"{SHOWN}\n"
    )
    two = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=two, capture_output=True, text=True, check=True
    )
    inside, outside = done.stdout.splitlines()
    assert set(inside) & set("123456789") == {"1"}
    assert inside.replace("1", "2") == outside
