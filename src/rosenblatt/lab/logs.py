"""What the libraries of the lab log, for who runs it: errors of ours in a sentence, and no others.

Tornado and Bokeh log every refused request and every socket that breaks off, with tracebacks; those
are no news to whoever reads the terminal.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bokeh.protocol.exceptions import ProtocolError

REQUESTS = ("tornado.access", "tornado.general")  # what was asked, and how sockets ended
ERRORS = ("tornado.application", "bokeh", "asyncio")


class _Sentences(logging.Handler):
    """Says each error in a sentence; what a socket sends against Bokeh's protocol is none."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            self._say(record.getMessage().splitlines()[0])
        elif not isinstance(error, ProtocolError):
            self._say(f"Internal error, please report it: {type(error).__name__}: {error}")


@contextmanager
def logged_in_sentences(say: Callable[[str], None]) -> Iterator[None]:
    """Let libraries log in sentences, and nothing of single requests."""
    handlers: dict[str, logging.Handler] = {name: logging.NullHandler() for name in REQUESTS}
    handlers |= {name: _Sentences(say) for name in ERRORS}
    before = {name: logging.getLogger(name).propagate for name in handlers}
    for name, handler in handlers.items():
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).propagate = False
    try:
        yield
    finally:
        for name, handler in handlers.items():
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).propagate = before[name]
