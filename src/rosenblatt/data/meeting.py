"""Units that work side by side, and meet wherever they want the same of the same rows.

Each unit works on a thread of its own, but no more of them at once than there are jobs. One that
asks for something waits until all others ask as well, or have done; then questions that are alike
are answered together, in one reading of the rows. What a unit is told does not depend on who else
asked: a meeting changes no bit.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

MOST_UNITS = 16  # at a time: more would read hardly less, and each needs memory

AnswerAll = Callable[[Any, list[Any]], Iterable[Any]]
T = TypeVar("T")


class Question(NamedTuple):
    """A wish, what it is about, how all such wishes are answered, and where the unit waits."""

    answer_all: AnswerAll
    about: Any
    wish: Any
    reply: "Future[Any]"


class Meeting:
    """Where units wait for each other.

    Parameters
    ----------
    n_jobs : int
        How many units may work at once.
    """

    def __init__(self, n_jobs: int = 1) -> None:
        self.n_jobs = n_jobs
        self._heard: SimpleQueue[Question | BaseException | None] = SimpleQueue()

    def ask(self, answer_all: AnswerAll, about: Any, wish: Any) -> Any:
        """Wait for the answer to a wish; `answer_all(about, wishes)` gives those to many."""
        question = Question(answer_all, about, wish, Future())
        self._heard.put(question)
        return question.reply.result()

    def hold(self, works: Sequence[Callable[[], T]]) -> list[T]:
        """Let units do the works; give what they made, in order."""
        made: dict[int, T] = {}
        left = iter(enumerate(works))

        def work_on() -> None:
            farewell = None
            try:
                for number, work in left:
                    self.ask(let_all_begin, None, None)
                    made[number] = work()
            except BaseException as error:  # the host raises it
                farewell = error
            self._heard.put(farewell)

        units = min(MOST_UNITS, len(works))
        with ThreadPoolExecutor(units) as pool:
            for _ in range(units):
                pool.submit(work_on)
            self._host(units)
        return [made[number] for number in range(len(works))]

    def _host(self, busy: int) -> None:
        """Listen and answer until all units have left; if one fails, send the others home."""
        asked: list[Question] = []
        answered: deque[tuple[Question, Any]] = deque()
        try:
            while busy or asked or answered:
                if answered and busy < self.n_jobs:
                    question, answer = answered.popleft()
                    question.reply.set_result(answer)
                    busy += 1
                elif busy:
                    heard = self._heard.get()
                    busy -= 1
                    if isinstance(heard, BaseException):
                        raise heard
                    if heard is not None:
                        asked.append(heard)
                else:
                    answered.extend(list(answers_to(asked)))  # all of them, or none
                    asked.clear()
        except BaseException:
            self._dismiss([*asked, *(question for question, _ in answered)], busy)
            raise

    def _dismiss(self, waiting: list[Question], busy: int) -> None:
        """Send home those who wait, and whoever else still asks; stay until all have left."""
        for question in waiting:
            question.reply.set_exception(CancelledError())
        here = len(waiting) + busy
        while here:
            heard = self._heard.get()
            if isinstance(heard, Question):
                heard.reply.set_exception(CancelledError())
            else:
                here -= 1


def answers_to(questions: list[Question]) -> Iterator[tuple[Question, Any]]:
    """Each question with its answer; those that are alike are answered together."""
    alike: dict[Any, list[Question]] = {}
    for question in questions:
        alike.setdefault((question.answer_all, question.about), []).append(question)
    for (answer_all, about), group in alike.items():
        yield from zip(group, answer_all(about, [q.wish for q in group]), strict=True)


def let_all_begin(_about: Any, wishes: list[Any]) -> list[Any]:
    """Answer units that ask for nothing but their turn."""
    return wishes
