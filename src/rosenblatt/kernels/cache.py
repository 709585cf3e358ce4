"""Compiled kernels and their cache on disk.

numba looks for a folder itself: ``NUMBA_CACHE_DIR`` if it is set, ``__pycache__`` next to the
source, the user's cache folder. Where none of them is writable, as in a container that runs a
read-only installation for a user without a home, kernels are cached in a private folder in the
temporary directory; where no safe one exists, in memory only. A cache never raises an error.

Cached files are code that is run when they are loaded. So a folder in the temporary directory is
used only if nobody else can have written to it: it is a folder and not a link, it belongs to this
user, nobody else has access, and nobody else can replace it.

Several processes may write to a cache at once. The data of a kernel are written before the index
names them, to a file whose name is a hash of all they depend on; so concurrent writes may lose an
entry of the index, but it never names the data of another kernel, as with numbered files.
"""

import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache as kept
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
OTHERS = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
ROOT = 0


def njit(*, cache: bool, **options: Any) -> Callable[[Kernel], Kernel]:
    """Compile a kernel as ``numba.njit`` does; with `cache`, cache it on disk."""

    def compiled(function: Kernel) -> Kernel:
        dispatcher: Any = numba.njit(**options)(function)
        if cache and dispatcher is not function:  # equal where compilation is disabled
            with suppress(RuntimeError):  # there is no writable folder
                dispatcher._cache = KernelCache(function)  # noqa: SLF001 (as enable_caching does)
        return dispatcher  # type: ignore[no-any-return]

    return compiled


def private_folder(parent: Path) -> Path | None:
    """Folder for kernels in a temporary directory, created if missing; None unless it is safe."""
    if sys.platform == "win32":  # users there have temporary and cache folders of their own
        return None
    user = os.geteuid()
    folder = parent / f"rosenblatt-kernels-{user}"
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=stat.S_IRWXU)
        above, found = parent.stat(), folder.lstat()
    except OSError:
        return None
    stays = not above.st_mode & OTHERS_WRITE or above.st_mode & stat.S_ISVTX
    private = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & OTHERS
    return folder if private and stays and above.st_uid in {user, ROOT} else None


@kept
def _temporary_folder() -> Path | None:
    try:
        return private_folder(Path(tempfile.gettempdir()).resolve())
    except OSError:  # there is no temporary directory
        return None


def _has_home() -> bool:
    """Whether the home folder is known; if not, numba would create a folder named ~ here."""
    home = os.path.expanduser("~")  # noqa: PTH111 (that of pathlib raises where there is none)
    return Path(os.environ.get("XDG_CACHE_HOME", home)).is_absolute()


def _usual_locators() -> list[Any]:
    classes = caching.CompileResultCacheImpl._locator_classes  # noqa: SLF001 (no other way)
    return [known for known in classes if _has_home() or "UserWide" not in known.__name__]


class TemporaryFolderLocator(
    caching._SourceFileBackedLocatorMixin,  # noqa: SLF001 (what all locators are made of)
    caching._CacheLocator,  # noqa: SLF001
):
    """Locates the private folder in the temporary directory."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """Folder for the kernels of one source file."""
        folder = _temporary_folder()
        if folder is None:
            raise PermissionError("there is no private folder in the temporary directory")
        return str(folder / self.get_suitable_cache_subpath(self._py_file))


class KernelCacheImpl(caching.CompileResultCacheImpl):
    """Tries the folders of numba, and then the temporary directory."""

    _locator_classes = [*_usual_locators(), TemporaryFolderLocator]  # noqa: RUF012 (as in numba)


class KernelFiles(caching.IndexDataCacheFile):
    """Index of a kernel, and a file for each of its signatures."""

    def save(self, key: Any, data: Any) -> None:
        """Write the data, then the index that names them."""
        depends_on = repr((self._version, self._source_stamp, key)).encode()
        base = self._index_name.removesuffix(".nbi")
        name = f"{base}.{sha256(depends_on).hexdigest()[:32]}.nbc"
        self._save_data(name, data)
        self._save_index(self._known() | {key: name})

    def _known(self) -> dict[Any, str]:
        """Names of the files by key; none if the index holds types that are there no more."""
        try:
            return dict(self._load_index())
        except Exception:  # pickle raises whatever the types of an earlier version do
            return {}


class KernelCache(caching.FunctionCache):
    """A cache that fails silently: a kernel that cannot be loaded is compiled."""

    _impl_class = KernelCacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = KernelFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Cached kernel of a signature; None if there is none that this version can load."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a disk that fails, or pickles of another version: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Cache a kernel, unless the disk is full or the folder is gone."""
        with suppress(OSError):
            super().save_overload(sig, data)
