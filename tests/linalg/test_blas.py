"""BLAS keeps to one thread, whichever libraries have been loaded before."""

import os
import subprocess
import sys

import pytest

SHOWN = "print(sorted(i['num_threads'] for i in threadpool_info() if i['user_api'] == 'blas'))"
IMPORTS = (
    "from threadpoolctl import threadpool_info\nfrom rosenblatt.linalg.products import one_thread\n"
)


def printed(code: str) -> list[str]:
    """What a process prints whose BLAS may use two threads, where there are two cores."""
    two = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=two, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("before", ["", "import scipy.linalg"])
def test_a_library_that_comes_later_has_one_thread_too(before: str) -> None:
    # once: scipy's was loaded after numpy's had been looked up, and had all cores
    inside, outside = printed(
        f"{before}\n{IMPORTS}with one_thread():\n    import scipy.linalg; {SHOWN}\n{SHOWN}"
    )
    assert set(inside) & set("123456789") == {"1"}
    assert [outside] == printed(f"{IMPORTS}import scipy.linalg; {SHOWN}")
