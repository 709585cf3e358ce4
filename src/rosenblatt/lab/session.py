"""State shared by the controllers of a page: the set-up, its address, and worker threads."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bokeh.document import Document

from rosenblatt.lab.state import Setup
from rosenblatt.lab.worker import Answer, Worker

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
