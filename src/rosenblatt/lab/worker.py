"""A thread beside the page: it does what it was asked for last, and skips what came before."""

from collections.abc import Callable
from threading import Condition, Thread
from typing import Any, NamedTuple

from rosenblatt.errors import RosenblattError


class Answer(NamedTuple):
    """What a piece of work has given: something, or the sentence with which it failed.

    `turn` tells which piece of work it was.
    """

    found: Any
    trouble: str
    turn: int


Work = Callable[[], Any]
Done = Callable[[Answer], None]


class Worker:
    """One thread, which ends with the process: nobody waits for what nobody will see.

    `done` is called in the thread. An answer that has to wait after that may be out of date when
    its time comes: `wants` tells.
    """

    def __init__(self) -> None:
        self._asked: tuple[Work, Done] | None = None
        self._turn, self._open = 0, True
        self._news = Condition()
        Thread(target=self._labour, daemon=True).start()

    def ask(self, work: Work, done: Done) -> None:
        """Do this next, instead of anything asked for before."""
        with self._news:
            self._asked, self._turn = (work, done), self._turn + 1
            self._news.notify()

    def wants(self, answer: Answer) -> bool:
        """Whether nothing else was asked for since."""
        with self._news:
            return answer.turn == self._turn

    def forget(self) -> None:
        """Nothing asked for so far is wanted any more."""
        with self._news:
            self._asked, self._turn = None, self._turn + 1

    def close(self) -> None:
        """End the thread, once it is done with what it does."""
        self.forget()
        with self._news:
            self._open = False
            self._news.notify()

    def _labour(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._asked is not None or not self._open)
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
    except Exception as error:  # the page must say something, and go on
        told = f"Internal error, please report it: {type(error).__name__}: {error}"
        return Answer(None, told, turn)
