"""Work that accompanies the reading of a long source."""

from collections.abc import Iterator
from threading import Event, current_thread

import numpy as np
import pytest

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import BackgroundTaskSource, Matrix, Place


class Rows(list[Matrix]):
    name = "rows"


def chunks(n: int) -> Rows:
    return Rows(Matrix(np.full((2, 1), float(k)), None, Place("rows", row=2 * k)) for k in range(n))


def test_a_long_source_is_accompanied_and_the_work_is_done_at_its_end() -> None:
    done: list[str] = []
    source = chunks(3)
    assert list(BackgroundTaskSource(source, lambda: done.append(current_thread().name))) == source
    assert len(done) == 1
    assert done[0] != current_thread().name


def test_the_chunks_do_not_wait_for_the_work() -> None:
    go_on = Event()
    reading = iter(BackgroundTaskSource(chunks(3), lambda: go_on.wait(60)))
    assert [len(next(reading)) for _ in range(3)] == [2, 2, 2]
    go_on.set()
    assert next(reading, None) is None


@pytest.mark.parametrize("n", [0, 1])
def test_a_short_source_is_not(n: int) -> None:
    done: list[int] = []
    source = chunks(n)
    assert list(BackgroundTaskSource(source, lambda: done.append(1))) == source
    assert done == []


def test_trouble_in_the_first_chunk_is_told_before_any_work() -> None:
    class Broken(Rows):
        def __iter__(self) -> Iterator[Matrix]:
            raise SourceError("no rows")

    done: list[int] = []
    with pytest.raises(SourceError, match="no rows"):
        list(BackgroundTaskSource(Broken(), lambda: done.append(1)))
    assert done == []
