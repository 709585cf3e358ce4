"""A worker thread that runs the latest request and skips older ones.

State shared by the controllers of a page: the set-up, its address, and worker threads.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Condition, Thread
from typing import Any, NamedTuple

from bokeh.document import Document

from rosenblatt.errors import RosenblattError
from rosenblatt.lab.state import Setup


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


TICK_MILLISECONDS = 120  # between the steps of a run that plays


class Session:
    """The set-up of one page; `keep` is called with the query of every new one."""

    def __init__(self, doc: Document, setup: Setup, keep: Callable[[str], None]) -> None:
        self._doc, self._keep, self.setup = doc, keep, setup
        self._workers: list[Worker] = []
        doc.on_session_destroyed(self._close)

    def take(self, setup: Setup) -> None:
        """Replace the set-up."""
        self.setup = setup
        self._keep(setup.to_query())

    def change(self, **fields: Any) -> None:
        """Change some fields of the set-up."""
        self.take(replace(self.setup, **fields))

    def worker(self) -> Worker:
        """A worker thread that is closed with the page."""
        self._workers.append(Worker())
        return self._workers[-1]

    def run_in_background(
        self,
        worker: Worker,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
    ) -> None:
        """Call `work` in a thread, then `done` with its result or `failed` with its error."""

        def arrived(answer: Answer) -> None:
            if not worker.wants(answer):
                return  # there has been a newer request since
            if answer.error:
                failed(answer.error)
            else:
                done(answer.result)

        worker.ask(work, lambda answer: self._doc.add_next_tick_callback(partial(arrived, answer)))

    def every_tick(self, act: Callable[[], None]) -> Callable[[], None]:
        """Call a function periodically, until the returned function is called."""
        ticking = self._doc.add_periodic_callback(act, TICK_MILLISECONDS)
        return partial(self._doc.remove_periodic_callback, ticking)

    def _close(self, session_context: Any) -> None:
        del session_context
        for worker in self._workers:
            worker.close()
