"""What the controllers of a page share: the set-up, the address that holds it, and workers."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bokeh.document import Document

from rosenblatt.lab.state import Setup
from rosenblatt.lab.worker import Answer, Worker

TICK = 120  # milliseconds between the steps of a run that plays


class Session:
    """The set-up of one page; `keep` hears the query of every new one."""

    def __init__(self, doc: Document, setup: Setup, keep: Callable[[str], None]) -> None:
        self._doc, self._keep, self.setup = doc, keep, setup
        self._workers: list[Worker] = []
        doc.on_session_destroyed(self._close)

    def take(self, setup: Setup) -> None:
        """Go on with another set-up."""
        self.setup = setup
        self._keep(setup.to_query())

    def change(self, **fields: Any) -> None:
        """Go on with other values of some fields."""
        self.take(replace(self.setup, **fields))

    def worker(self) -> Worker:
        """A thread that ends with the page."""
        self._workers.append(Worker())
        return self._workers[-1]

    def beside(
        self,
        worker: Worker,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
    ) -> None:
        """Work in a thread, and go on here with what was found, or with why not."""

        def arrived(answer: Answer) -> None:
            if not worker.wants(answer):
                return  # it was overtaken while it waited for its turn here
            if answer.trouble:
                failed(answer.trouble)
            else:
                done(answer.found)

        worker.ask(work, lambda answer: self._doc.add_next_tick_callback(partial(arrived, answer)))

    def every_tick(self, act: Callable[[], None]) -> Callable[[], None]:
        """Act again and again; calling what is returned ends it."""
        ticking = self._doc.add_periodic_callback(act, TICK)
        return partial(self._doc.remove_periodic_callback, ticking)

    def _close(self, session_context: Any) -> None:
        del session_context
        for worker in self._workers:
            worker.close()
