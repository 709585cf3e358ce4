"""A meeting: everyone is told what they asked for; questions that are alike are answered once."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import pytest

from rosenblatt.data.meeting import MOST_UNITS, Meeting


class Registrar:
    """Answers wishes, and remembers which were answered at once."""

    def __init__(self) -> None:
        self.groups: list[tuple[str, list[int]]] = []

    def double_all(self, about: str, wishes: list[int]) -> list[int]:
        self.groups.append((about, wishes))
        return [2 * wish for wish in wishes]


@pytest.fixture(params=[1, 2, 5])
def meeting(request: Any) -> Meeting:
    return Meeting(request.param)


def test_questions_that_are_alike_are_answered_at_once(meeting: Meeting) -> None:
    registrar = Registrar()

    def unit(number: int) -> list[int]:
        about = "odd" if number % 2 else "even"
        return [meeting.ask(registrar.double_all, about, number + 10 * t) for t in range(3)]

    made = meeting.hold([partial(unit, number) for number in range(5)])
    assert made == [[2 * number, 2 * number + 20, 2 * number + 40] for number in range(5)]
    assert sorted((about, sorted(wishes)) for about, wishes in registrar.groups) == [
        *(("even", [t, 2 + t, 4 + t]) for t in (0, 10, 20)),
        *(("odd", [1 + t, 3 + t]) for t in (0, 10, 20)),
    ]


def test_units_that_leave_early_keep_nobody_waiting(meeting: Meeting) -> None:
    registrar = Registrar()

    def unit(number: int) -> int:
        return sum(meeting.ask(registrar.double_all, "", 1) for _ in range(number))

    n = 2 * MOST_UNITS + 3
    assert meeting.hold([partial(unit, number) for number in range(n)]) == list(range(0, 2 * n, 2))


def test_no_more_units_work_at_once_than_there_are_jobs(meeting: Meeting) -> None:
    at_work, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.002)
        with lock:
            at_work -= 1

    def unit() -> None:
        for _ in range(3):
            work()
            meeting.ask(Registrar().double_all, "", 1)

    meeting.hold([unit] * 8)
    assert most == meeting.n_jobs


def test_a_unit_that_fails_sends_all_others_home(meeting: Meeting) -> None:
    ends: list[str] = []

    def unit(fails: Callable[[int], bool]) -> None:
        try:
            for turn in range(10_000):
                if fails(turn):
                    raise FloatingPointError
                meeting.ask(Registrar().double_all, "", turn)
        except CancelledError:
            ends.append("sent home")
            raise

    never, soon = (lambda _: False), (lambda turn: turn == 3)
    with pytest.raises(FloatingPointError):
        meeting.hold([partial(unit, fails) for fails in (never, soon, never, never)])
    assert ends == 3 * ["sent home"]


def test_an_answer_that_fails_ends_the_meeting(meeting: Meeting) -> None:
    def refuse(_about: None, _wishes: list[Any]) -> list[Any]:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        meeting.hold([lambda: meeting.ask(refuse, None, 0)] * 4)


@pytest.mark.timeout(20)
def test_units_are_sent_home_once_if_a_later_answer_fails() -> None:
    def double(_about: Any, wishes: list[int]) -> list[int]:
        return [2 * wish for wish in wishes]

    def interrupt(_about: Any, _wishes: list[int]) -> list[int]:
        raise KeyboardInterrupt

    meeting = Meeting()
    works = [partial(meeting.ask, answer, None, 1) for answer in (double, interrupt)]
    with pytest.raises(KeyboardInterrupt):
        meeting.hold(works)
