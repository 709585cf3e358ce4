"""Time to the optimum of the SVM and of logistic regression: ours, the peers, and the limits.

Every contender gets the same arrays and C = 1; one function computes everybody's objective P in
float64. A contender climbs its ladder of settings from loose to tight, and the quickest fit with
(P − P*)/P* ≤ 1e-3, or 1e-6, counts. P* is the least P that anybody found, the referee and ours at a
tight tolerance included. Without a bias all tools have the same objective; with one, only those
that leave it out of the penalty take part.

    python benchmarks/solvers.py [--quick] [--data NAME] [--loss LOSS] [--bias | --no-bias]
                                 [--only CONTENDER] [--nearest] [--threads N] [--budget SECONDS]

Results are merged into benchmarks/results/solvers.json, so that parts can be run again, and
docs/benchmarks.md is written anew from all of them; --quick, on a part of the rows, writes nothing.
The peers are in the extra [bench]; one that is not installed is left out with a word.
"""

import argparse
import gc
import os
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from contenders import CONTENDERS, OURS, PEERS, Contender, Setting, Task, certified
from limits import limits
from page import write_page
from problems import PROBLEMS
from record import Case, Record, Trial
from referee import objective, optimum
from stopwatch import PAUSE, Failed, in_a_child, timed
from threadpoolctl import threadpool_limits

LOSSES = ("hinge", "squared_hinge", "logistic")
LOOSE, TIGHT = 1e-3, 1e-6
CERTAIN = 1e-9
WARM_ROWS = 50
SHORT, MOST_TURNS = 1.0, 12
HOPELESS, LEAST_BUDGET = 10, 3.0
REFEREE = 60.0  # seconds


@dataclass(frozen=True)
class Race:
    """One problem and the arrays it is about."""

    case: Case
    X: Any
    y: np.ndarray
    budget: float
    unit: float
    worth_repeating: float = np.inf
    """The largest objective that counts; only such fits are repeated if they are short."""

    def task(self, threads: int) -> Task:
        return Task(self.case.loss, self.case.bias, threads, len(self.y))


def main() -> None:
    options = parsed()
    started = time.perf_counter()
    record = Record() if options.quick else Record.load()
    record.kept = not options.quick
    chosen = [c for c in CONTENDERS if any(part in c.name for part in options.only)]
    for contender in (c for c in chosen if not c.installed):
        print(f"{contender.name}: {contender.package} is not installed, left out")
    for data in options.data:
        X, y = PROBLEMS[data][1](20 if options.quick else 1)
        record.limits[data] = limits(X)
        for loss in options.loss:
            for bias in options.bias:
                unit = record.limits[data]["pass_ms_1"] / 1e3
                race = Race(Case(data, loss, bias), X, y, options.budget, unit)
                asked = nearest(race.case, chosen, record) if options.nearest else chosen
                run(race, [c for c in asked if c.installed], options.threads, record)
        del X, y, race
        gc.collect()
    if not options.quick:
        write_page(record)
    print(f"{time.perf_counter() - started:.0f} s in all")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    parser.add_argument("--data", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--loss", nargs="+", choices=LOSSES, default=LOSSES)
    parser.add_argument("--bias", action=argparse.BooleanOptionalAction)
    parser.add_argument("--only", nargs="+", default=[""], help="parts of contenders' names")
    parser.add_argument("--nearest", action="store_true", help="of the peers, only the quickest")
    parser.add_argument("--threads", nargs="+", type=int, choices=(1, 2), default=(1, 2))
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for a ladder")
    options = parser.parse_args()
    options.bias = (False, True) if options.bias is None else (options.bias,)
    return options


def nearest(case: Case, contenders: list[Contender], record: Record) -> list[Contender]:
    """Ours, and the peers that hold a row of the table so far."""
    peers = {peer.name for peer in PEERS}
    trials = [t for t in record.trials if t.case == case and t.contender in peers]
    quickest = {
        trial.contender
        for threads in (1, 2)
        for accuracy in (LOOSE, TIGHT)
        if (trial := record.quickest([t for t in trials if t.threads <= threads], accuracy))
    }
    return [c for c in contenders if c in OURS or c.name in quickest]


def run(
    race: Race, contenders: list[Contender], threads_allowed: tuple[int, ...], record: Record
) -> None:
    """Let all contenders that can take the task run, on one thread and on two."""
    if race.case not in record.optima:
        ask_the_referee(race, record)
    if race.case in record.optima:
        race = replace(race, worth_repeating=(1 + LOOSE) * record.optima[race.case]["least"])
    for contender in contenders:
        for threads in threads_allowed:
            settings = settings_for(contender, threads, race.case, record)
            if settings and contender.takes(race.X, race.y, race.task(threads)):
                trials = list(ladder(race, contender, threads, settings, record))
                record.replace(race.case, contender.name, threads, trials)
                record.save()
                print(told(race.case, contender, threads, trials, record), flush=True)


def ask_the_referee(race: Race, record: Record) -> None:
    """Look for the optimum and a lower bound: the referee where it has a method, and ours."""
    for by, search in {"referee": referee, "rosenblatt": ours_tightly}.items():
        with closing(in_a_child(partial(search, race), REFEREE)) as answers:
            answer = next(answers)
        print(f"{race.case}: {by} {answer}", flush=True)
        if not isinstance(answer, Failed):
            record.found(race.case, *answer, by)
            record.save()


def referee(race: Race) -> Iterator[tuple[float, float] | Failed | None]:
    yield None  # the clock starts
    loss, bias = race.case.loss, race.case.bias
    with threadpool_limits(1):
        yield optimum(loss, race.X, race.y, bias=bias) or Failed("has no method")


def ours_tightly(race: Race) -> Iterator[tuple[float, float] | Failed | None]:
    yield None
    if not all(contender.installed for contender in OURS):
        yield Failed("is not installed")
        return
    (W, b), gap = certified(race.X, race.y, race.task(2), {"tol": CERTAIN})
    P = objective(race.case.loss, race.X, race.y, W, b)
    yield P, (1 - gap) * P


def settings_for(
    contender: Contender, threads: int, case: Case, record: Record
) -> tuple[Setting, ...]:
    """All on one thread; on two, those that were accurate to 1e-3 on one, if any were."""
    alone = record.of(case, contender.name, 1)
    if threads == 1:
        return contender.ladder
    loose, tight = (record.quickest(alone, accuracy) for accuracy in (LOOSE, TIGHT))
    if loose is None:
        return ()
    start = contender.ladder.index(loose.setting)
    middle = contender.ladder.index(tight.setting) if tight else start + 1
    return (contender.ladder[start], *contender.ladder[max(middle, start + 1) :])


def ladder(
    race: Race, contender: Contender, threads: int, settings: tuple[Setting, ...], record: Record
) -> Iterator[Trial]:
    """Climb until the optimum is reached or the time is spent."""
    task = race.task(threads)
    budget = race.budget if contender in OURS else budget_for(race, record)
    answers = in_a_child(lambda: climb(race, contender, task, settings), budget, threads)
    with closing(answers):
        for setting, answer in zip(settings, answers, strict=False):
            kind = (race.case, contender.name, threads, setting)
            if isinstance(answer, Failed):
                yield Trial(*kind, budget, None, 0.0, answer.why, unit=race.unit)
                return
            trial = Trial(*kind, *answer, load=os.getloadavg()[0], unit=race.unit)
            yield trial
            if record.error(trial) <= TIGHT:
                return


def budget_for(race: Race, record: Record) -> float:
    """No more than many times what the quickest peer so far needed for the tight accuracy."""
    names = {peer.name for peer in PEERS}
    trials = [t for t in record.trials if t.case == race.case and t.contender in names]
    quickest = record.quickest(trials, TIGHT)
    enough = race.budget if quickest is None else HOPELESS * quickest.seconds
    return min(race.budget, max(enough, LEAST_BUDGET))


def climb(
    race: Race, contender: Contender, task: Task, settings: tuple[Setting, ...]
) -> Iterator[tuple[float, float, float] | str | None]:
    """Fit by each setting: seconds, objective, megabytes above the data."""
    few = np.concatenate([np.flatnonzero(race.y == c)[:WARM_ROWS] for c in np.unique(race.y)])
    with suppress(Exception):  # imports and compiles before the clock starts
        contender.fit(*contender.prepare(race.X[few], race.y[few]), task, settings[0])
    A, z = contender.prepare(race.X, race.y)
    for setting in settings:
        yield None
        with threadpool_limits(task.threads):
            fit = partial(contender.fit, A, z, task, setting)
            (W, b), seconds, megabytes = timed(fit, task.threads)
            yield PAUSE
            P = objective(task.loss, race.X, race.y, W, b)
            if seconds < SHORT and race.worth_repeating >= P:
                turns = range(min(MOST_TURNS, max(2, int(SHORT / seconds))))
                seconds = min(seconds, *(timed(fit, task.threads)[1] for _ in turns))
        yield seconds, P, megabytes


def told(
    case: Case, contender: Contender, threads: int, trials: list[Trial], record: Record
) -> str:
    words = []
    for accuracy in (LOOSE, TIGHT):
        quickest = record.quickest(trials, accuracy)
        words.append(
            f"{accuracy:g} in {quickest.seconds:.3g} s" if quickest else "not " + f"{accuracy:g}"
        )
    best = min((record.error(t) for t in trials), default=np.inf)
    ended = trials[-1].ended if trials else ""
    return f"{case}: {contender.name}, {threads}: {', '.join(words)}; best {best:.1e} {ended}"


if __name__ == "__main__":
    main()
