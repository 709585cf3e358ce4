"""A worker thread that runs the latest request and skips older ones."""

from collections.abc import Callable
from threading import Condition, Thread
from typing import Any, NamedTuple

from rosenblatt.errors import RosenblattError


class Answer(NamedTuple):
    """The result of a request, or its error message.

    `turn` is the number of the request.
    """

    result: Any
    error: str
    turn: int


Work = Callable[[], Any]
Done = Callable[[Answer], None]


class Worker:
    """One daemon thread.

    `done` is called in the thread. An answer that is passed on from there may be out of date when
    it arrives: see `wants`.
    """

    def __init__(self) -> None:
        self._asked: tuple[Work, Done] | None = None
        self._turn, self._open = 0, True
        self._condition = Condition()
        Thread(target=self._loop, daemon=True).start()

    def ask(self, work: Work, done: Done) -> None:
        """Run this next, instead of all earlier requests."""
        with self._condition:
            self._asked, self._turn = (work, done), self._turn + 1
            self._condition.notify()

    def wants(self, answer: Answer) -> bool:
        """Whether there was no newer request."""
        with self._condition:
            return answer.turn == self._turn

    def forget(self) -> None:
        """Cancel all requests so far."""
        with self._condition:
            self._asked, self._turn = None, self._turn + 1

    def close(self) -> None:
        """End the thread after the current request."""
        self.forget()
        with self._condition:
            self._open = False
            self._condition.notify()

    def _loop(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._asked is not None or not self._open)
                if self._asked is None:
                    return
                (work, done), turn, self._asked = self._asked, self._turn, None
            answer = _answer(work, turn)
            if self.wants(answer):
                done(answer)


def _answer(work: Work, turn: int) -> Answer:
    try:
        return Answer(work(), "", turn)
    except RosenblattError as error:
        return Answer(None, str(error), turn)
    except Exception as error:  # shown on the page, which stays usable
        message = f"Internal error, please report it: {type(error).__name__}: {error}"
        return Answer(None, message, turn)
