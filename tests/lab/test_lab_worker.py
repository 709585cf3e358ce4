"""The thread beside the page: the latest wish counts, and no failure ends it."""

from queue import Queue
from threading import Event

from rosenblatt.errors import DataError
from rosenblatt.lab.session import Answer, Worker


def refuse() -> None:
    raise DataError("no rows")


def stumble() -> None:
    raise RuntimeError("a bug")


def test_only_the_latest_of_many_wishes_is_worked_on() -> None:
    worker, answers, begun, go_on = Worker(), Queue[Answer](), Event(), Event()
    done: list[int] = []

    def slow() -> None:
        begun.set()
        assert go_on.wait(10)

    worker.ask(slow, answers.put)
    assert begun.wait(10)
    for turn in range(5):
        worker.ask(lambda turn=turn: done.append(turn), answers.put)
    go_on.set()
    answer = answers.get(timeout=10)
    assert done == [4]  # neither the slow one nor those in between have answered
    assert answers.empty()
    assert worker.wants(answer)
    worker.ask(refuse, lambda _: None)
    assert not worker.wants(answer)  # it was overtaken after it was given


def test_failures_are_sentences_and_work_goes_on() -> None:
    worker, answers = Worker(), Queue[Answer]()
    worker.ask(refuse, answers.put)
    assert answers.get(timeout=10).error == "no rows"
    worker.ask(stumble, answers.put)
    assert answers.get(timeout=10).error.startswith("Internal error, please report it")
    worker.ask(lambda: 7, answers.put)
    assert answers.get(timeout=10)[:2] == (7, "")
    worker.close()
