"""Minimise a convex objective until the gap proves it: the method by the shape of the rows.

==========  ================================================================================
method      for
==========  ================================================================================
``newton``  dense rows, and sparse ones of up to 4,096 features: Newton's steps, for the hinge
            on smooth floors under it
``ascent``  sparse and wide rows: dual coordinate ascent
==========  ================================================================================

Where rows are many against the features, a run over every eighth of them comes first: its weights
are so near that few steps over all rows are left.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.rows import CSR, n_cols, n_rows
from rosenblatt.rules.losses import HINGE
from rosenblatt.solvers import products
from rosenblatt.solvers.ascent import ascend
from rosenblatt.solvers.certificate import Bounds, bounds_at, slack, unrest
from rosenblatt.solvers.duality_gap import Proof, prove, prove_closely
from rosenblatt.solvers.far_columns import intercept_for
from rosenblatt.solvers.leading import MOST_FACTORED, Leader
from rosenblatt.solvers.newton import Look, carry_over, descend, margins_of, place_at
from rosenblatt.solvers.responses import Floor, Place, Task, losses, respond_all
from rosenblatt.solvers.state import Ending

FIRST_WINDOW = 2.0  # at zero weights every row is inside
WARM_WINDOW = 0.3
DOUBT = 4.0  # times what chance makes of margins is the window after a rough start,
NARROWING = 0.5  # of the next window; squared where a floor was done with
SOON = 4  # steps
STIFFEST = 1e4  # how many times more curved than the penalty a first floor may be, along a row
SETTLED = 1.0  # a floor is done with when its unrest is no more than this part of its slack
PART = 8  # a rough start learns from every eighth row
ROWS_A_WEIGHT = 4  # that it must have at least,
FEWEST = 500  # and in all
ROUGH_GAP = 3e-2
NEARLY = 0.1  # times what chance makes of it is the error that its last step may begin with,
NEARLY_ON_FLOORS = 0.2  # or this, with a hinge
DOUBTFUL = 0.5  # times it, the error from which on other rows are asked, too
ROUGH_STEPS = 50
ASK_AGAIN = 4  # steps after a proof that fell short of `tol`
PATIENCE = 40  # steps without any progress, after which mostly only rounding is left,
FAR = 1e-6  # but hardly at a gap above this


@dataclass(frozen=True)
class Step:
    """A run after a step: the best weights so far, their bounds, and the α that bounds them.

    The bounds are estimates, which say when it is time to ask for a proof: `prove()` gives bounds
    with all rounding counted, and a dual point that is feasible exactly. `rows` is how many rows
    had a curvature, so that Newton's step had to look at them. `advice` says what the ending alone
    does not know.
    """

    number: int
    w: Floats
    alpha: Floats
    bounds: Bounds
    method: str
    rows: int
    prove: Callable[[], Proof]
    error: float = np.inf
    ending: Ending | None = None
    advice: str = ""


class Start(NamedTuple):
    """Where a run begins: weights, and the α that gave them where a method goes on from those.

    Weights are never far from those of other rows or another cost; dual variables may be, by orders
    of magnitude.
    """

    w: Floats
    alpha: Floats | None = None

    def moved(self, offsets: Floats) -> "Start":
        """The same start where the columns are less their offsets."""
        w = np.append(self.w[:-1], intercept_for(self.w[:-1], self.w[-1], offsets))
        return Start(w, self.alpha)


@dataclass(frozen=True)
class Limits:
    """When a run ends: a gap that is small enough, so many steps, or a time on the clock.

    The gap is a proved one, unless the run only prepares another. `heard`, if there is one, is told
    of every step of a unit, and may give an ending.
    """

    tol: float
    max_iter: int
    deadline: float = np.inf
    proved: bool = True
    heard: Callable[[int, Step], Ending | None] | None = None

    def ending(self, step: Step) -> Ending | None:
        """How a run ends at a step, if it does."""
        if step.bounds.gap <= self.tol:
            return Ending.CERTIFIED
        if step.number >= self.max_iter:
            return Ending.STEPS_SPENT
        return Ending.TIME_SPENT if self.spent(step.number) else None

    def spent(self, number: int) -> bool:
        """Whether steps or time have run out after so many steps; one is always made."""
        return number >= self.max_iter or (number > 0 and time.monotonic() > self.deadline)


def certify(
    task: Task, start: Start | None, seed: int, limits: Limits, solver: str = "auto"
) -> Iterator[Step]:
    """Steps until a limit speaks or none comes nearer; the last names its ending."""
    method = method_for(task) if solver == "auto" else solver
    start = start if start is not None and is_better_than_zero(task, start.w) else None
    steps = until(METHODS[method](task, start, seed, limits), limits)
    either = solver == "auto" and method == "newton" and task.ridge > 0.0
    return or_by_ascent(steps, task, seed, limits) if either else steps


def is_better_than_zero(task: Task, w: Floats) -> bool:
    """Whether weights to start from have a lower objective than zero weights."""
    try:
        return objective_at(task, w) < objective_at(task, np.zeros_like(w))
    except FloatingPointError:
        return False


def or_by_ascent(steps: Iterator[Step], task: Task, seed: int, limits: Limits) -> Iterator[Step]:
    """Steps of a run; where they come no nearer, but far from rounding, ascent tries from zero.

    A few rows many times as long as others do that: no smooth floor suits both.
    """
    for last in steps:
        if last.ending is not Ending.AT_ROUNDING or last.bounds.gap <= FAR:
            yield last
            continue
        left = replace(limits, max_iter=max(1, limits.max_iter - last.number))
        climbed = going_on(by_ascent(task, None, seed, left), last, task, limits.tol)
        for step in until(climbed, left):
            yield replace(step, number=last.number + step.number)


def going_on(steps: Iterator[Step], last: Step, task: Task, tol: float) -> Iterator[Step]:
    """Steps with the best weights, bounds and dual point since an earlier one."""
    w, alpha, best = last.w, last.alpha, last.bounds
    for step in steps:
        w = step.w if step.bounds.objective < best.objective else w
        alpha = step.alpha if step.bounds.bound > best.bound else alpha
        best = best.tighter(step.bounds)
        proof = partial(prove_closely, task, w, alpha, tol)
        yield replace(step, w=w, alpha=alpha, bounds=best, prove=proof)


def itself(proof: Proof) -> Proof:
    """A proof that was found before it was asked for."""
    return proof


def until(steps: Iterator[Step], limits: Limits) -> Iterator[Step]:
    """Steps of a run without an end, up to where a limit speaks or none comes nearer.

    An estimated gap of `tol` is a reason to ask for a proof; where that proves less, the run goes
    on, and asks again when the estimate has halved or some steps later.
    """
    waited, best, asked, asked_at = 0, Bounds(np.inf, 0.0), np.inf, -ASK_AGAIN
    for step in steps:
        waited = 0 if step.bounds.better_than(best) else waited + 1
        best = step.bounds
        stuck = waited > PATIENCE
        ending = limits.ending(step) or (Ending.AT_ROUNDING if stuck else None)
        hopeful = best.gap <= 0.5 * asked or step.number >= asked_at + ASK_AGAIN
        if ending is not None and (ending is not Ending.CERTIFIED or hopeful):
            proved = with_proof(step) if limits.proved else step
            ending = limits.ending(proved) or (Ending.AT_ROUNDING if stuck else None)
            if ending is not None:
                yield replace(proved, ending=ending)
                return
            asked, asked_at = best.gap, step.number
        yield step


def with_proof(step: Step) -> Step:
    """A step with proved bounds, the weights they are of, and the dual point they rest on."""
    proof = step.prove()
    return replace(step, w=proof.w, bounds=proof.bounds, alpha=proof.alpha)


def at_start(task: Task, start: Start | None) -> Iterator[Step]:
    """A run that may take no step: its weights are those it starts from, and nothing is proved."""
    w = np.zeros(n_cols(task.blocks.problem.rows) + 1) if start is None else start.w
    yield unproved(w, np.zeros_like(task.costs), objective_at(task, w))


def unproved(w: Floats, alpha: Floats, objective: float) -> Step:
    """The only step of a run that may take none; zero is below every objective."""
    bounds = Bounds(objective, 0.0)
    proof = partial(itself, Proof(bounds, alpha, w))
    return Step(0, w, alpha, bounds, "start", 0, proof, ending=Ending.STEPS_SPENT)


def method_for(task: Task) -> str:
    """Name of the method that the shape of the rows calls for."""
    rows = task.blocks.problem.rows
    wide = isinstance(rows, CSR) and n_cols(rows) > MOST_FACTORED
    return "ascent" if wide and task.ridge > 0.0 else "newton"


def by_ascent(task: Task, start: Start | None, seed: int, limits: Limits) -> Iterator[Step]:
    """Dual coordinate ascent, without an end; started from weights, it begins with their pulls."""
    first = None
    if start is not None:
        alpha = answers_to(task, start.w) if start.alpha is None else start.alpha
        first = (alpha, float(start.w[-1]))
    for now in ascend(task, seed=seed, tol=limits.tol, start=first, is_due=limits.spent):
        bounds = Bounds(now.primal, now.dual)
        rows = int(np.count_nonzero(now.alpha))
        w = np.append(now.w, now.b)
        proof = partial(prove_closely, task, w, now.alpha, limits.tol)
        yield Step(now.passes, w, now.alpha, bounds, "ascent", rows, proof)


def answers_to(task: Task, w: Floats) -> Floats:
    """Pulls that the rows answer some weights with."""
    place = place_at(task, w)
    respond_all(task, place, Floor(np.zeros_like(task.costs), WARM_WINDOW), anew=True)
    return place.pulls


def by_newton(task: Task, start: Start | None, seed: int, limits: Limits) -> Iterator[Step]:
    """Newton's steps, without an end."""
    return led_by(Leader(seed), task, start, seed, limits)


def led_by(
    leader: Leader, task: Task, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Newton's steps whose systems are solved by a leader."""
    width = n_cols(task.blocks.problem.rows) + 1
    first, window = (None, FIRST_WINDOW) if start is None else (start.w, WARM_WINDOW)
    if first is None and worth_a_part(task):
        first = rough_start(leader, task, seed, limits)
        window = FIRST_WINDOW if first is None else min(1.0, DOUBT * chance(task))
    place = place_at(task, np.zeros(width) if first is None else first)
    if task.loss == HINGE:
        looks = on_floors(task, place, max(window, softest(task)), leader)
    else:
        looks = on_the_loss(task, place, leader, limits.tol)
    w, alpha, best = place.w, np.zeros_like(task.costs), Bounds(np.inf, 0.0)
    for number, (seen, floor) in enumerate(looks):
        now = bounds_at(task, place, seen.response)
        w = place.w if now.objective < best.objective else w
        if now.bound > best.bound:
            np.copyto(alpha, place.pulls)
        best = best.tighter(now)
        proof = partial(prove_closely, task, w, alpha, limits.tol)
        if seen.expected is not None and best.gap > limits.tol:
            found = prove(task, w, seen.expected, limits.tol)
            if found.bounds.bound > best.bound:
                best, alpha, proof = best.tighter(found.bounds), found.alpha, partial(itself, found)
        rows = int(np.count_nonzero(seen.response.curvatures))
        yield Step(number, w, alpha, best, newton_on(task, floor), rows, proof, seen.error)


METHODS = {"newton": by_newton, "ascent": by_ascent}


def newton_on(task: Task, floor: Floor) -> str:
    """Name of Newton's step on a floor."""
    return f"newton, window {floor.window:.1e}" if task.loss == HINGE else "newton"


def objective_at(task: Task, w: Floats) -> float:
    """P of some weights."""
    loss = losses(task, margins_of(task, w, np.empty_like(task.costs)))
    return 0.5 * task.ridge * float(w[:-1] @ w[:-1]) + loss


def on_the_loss(
    task: Task, place: Place, leader: Leader, tol: float
) -> Iterator[tuple[Look, Floor]]:
    """Newton's steps on a smooth loss."""
    itself = Floor(task.costs, 1.0)  # its centres and window are not looked at
    while True:
        for seen in descend(task, place, itself, leader, tol):
            yield seen, itself


def on_floors(
    task: Task, place: Place, window: float, leader: Leader
) -> Iterator[tuple[Look, Floor]]:
    """Newton's steps on one floor after another, each centred on the pulls of the one before."""
    floor = Floor(np.zeros_like(task.costs), window)
    while True:
        steps = 0
        for seen in descend(task, place, floor, leader, 0.0):
            yield seen, floor
            steps += 1
            if unrest(task, seen.gradient) <= SETTLED * slack(seen.response):
                break
        narrowing = NARROWING if steps > SOON else NARROWING**2
        floor = Floor(place.pulls.copy(), narrowing * floor.window)
        carry_over(task, place, floor, seen.gradient, leader)


def chance(task: Task) -> float:
    """How far off the margins of a rough start are: more, the fewer rows a weight it has seen."""
    rows = task.blocks.problem.rows
    return float(np.sqrt((n_cols(rows) + 1) * PART / n_rows(rows)))


def softest(task: Task) -> float:
    """Window below which rows of this length and cost would pull more than float64 can weigh."""
    return float(task.costs.mean()) * products.mean_square(task.blocks) / STIFFEST


def worth_a_part(task: Task) -> bool:
    """Whether a part of the rows tells enough about all."""
    rows = task.blocks.problem.rows
    return n_rows(rows) >= PART * max(FEWEST, ROWS_A_WEIGHT * (n_cols(rows) + 1))


def one_of_each(part: int, n: int, seed: int) -> Ints:
    """Of every so many rows in a row, one drawn by a seed."""
    first = np.arange(0, n - part + 1, part)
    return np.asarray(first + np.random.default_rng(seed).integers(0, part, len(first)))


def rough_start(leader: Leader, task: Task, seed: int, limits: Limits) -> Floats | None:
    """Weights learned from every eighth row, until rows not learned from would rather have less.

    The rows are drawn by a seed; none is the answer where a class has none among them.
    """
    blocks, chosen = task.blocks, one_of_each(PART, n_rows(task.blocks.problem.rows), seed)
    part, unseen, before = about(task, blocks.shared(rows_drawn, seed), chosen), None, np.inf
    if not has_both_signs(part):
        return None
    nearly = (NEARLY_ON_FLOORS if task.loss == HINGE else NEARLY) * chance(task)
    w = np.zeros(n_cols(blocks.problem.rows) + 1)
    rough = replace(limits, tol=ROUGH_GAP, max_iter=ROUGH_STEPS, proved=False)
    for step in until(led_by(leader, part, None, seed, rough), rough):
        w = step.w
        if step.error <= nearly:
            break
        if step.error > DOUBTFUL * chance(task) or task.loss == HINGE:  # too early, or on a floor
            continue
        if unseen is None:
            unseen = about(task, blocks.shared(rows_beside, seed), beside(chosen))
        now = objective_at(unseen, w)
        if now > before:
            break
        before = now
    return w


def beside(chosen: Ints) -> Ints:
    """Half as many rows as were chosen of every eight: others, of the same eight."""
    return np.asarray(chosen - chosen % PART + (chosen + 1) % PART)[::2]


def rows_drawn(blocks: Blocks, seed: int) -> Blocks:
    """The rows that a rough start learns from."""
    return blocks.take(one_of_each(PART, n_rows(blocks.problem.rows), seed))


def rows_beside(blocks: Blocks, seed: int) -> Blocks:
    """Rows that it is judged by."""
    return blocks.take(beside(one_of_each(PART, n_rows(blocks.problem.rows), seed)))


def about(task: Task, blocks: Blocks, chosen: Ints) -> Task:
    """The same task about the rows chosen alone, each costing as much more as there are fewer."""
    costs = task.costs[chosen] * (len(task.costs) / len(chosen))
    return task._replace(blocks=blocks, signs=task.signs[chosen], costs=costs)


def has_both_signs(task: Task) -> bool:
    """Whether rows that cost something are of both classes."""
    signs = task.signs[task.costs > 0.0]
    return len(signs) > 0 and bool(signs.min() < signs.max())
