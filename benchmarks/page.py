"""Write docs/benchmarks.md from what benchmarks/solvers.py and scaling.py have measured.

python benchmarks/page.py
"""

import math
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from contenders import CONTENDERS, OURS, PEERS
from growth import growth
from problems import PROBLEMS
from reasons import REASONS, UNKNOWN
from record import Case, Record, Trial
from scaling import kept

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
ACCURACIES = (1e-3, 1e-6)
LOSSES = {"hinge": "hinge", "squared_hinge": "squared hinge", "logistic": "logistic"}
NONE = "–"
HEAD = """\
# Benchmarks of the solvers

Written by `benchmarks/page.py` from what `benchmarks/solvers.py` and `benchmarks/scaling.py` have
measured; do not edit.

All tools minimise ½‖w‖² + Σ loss (C = 1) on the same arrays, and one function computes the
objective P of their weights in float64. A figure is the time of the fastest fit with
(P − P\\*)/P\\* ≤ 1e-3, or 1e-6, in units of one `X @ w` on one thread, *passes*. Lower is better.
P\\* is the lowest objective that any tool found. Every tool was run with a series of decreasing
tolerances, and its best run counts; its input (float64, column order, its own format) was prepared
outside the timing. A series was stopped at its time limit (6 s; 30 s for the strongest tools if
none had finished by then; for ten classes 90 s for ours, LinearSVC on the hinge, LIBLINEAR -s 2,
and lbfgs and newton-cg without an intercept), or after 10 times the time that the fastest peer
before it needed for 1e-6. Short fits are repeated, and the best time counts. One thread is timed by
processor time, two by wall-clock time; for two threads the better of one and two counts, and a dash
means that two were not measured.

Without an intercept, all tools solve the same problem. With one, only tools that do not penalise it
are included: scikit-learn's solvers of logistic regression, Intel's, SGD, LIBSVM (as `SVC`), and
the primal solvers of LIBLINEAR with `-R`. LinearSVC, the dual solvers of LIBLINEAR and snapml
penalise it, which is a different objective; lightning and skglm have no intercept here.
Ten classes (`mnist`) are ten one-vs-rest problems or, for the logistic loss, one multinomial
problem. Tools that solve neither, or solve pairs of classes instead, are left out, so the hinge
with an intercept has no peers. Not measured for ten classes, although they could be: sag, saga and
lightning; with an intercept also newton-cholesky and the runs on float64.

The tools were measured one after the other, on different days and machines, each in units of the
same day. Ours and the peers that were fastest in a row of the first table were measured again in
one run, on an otherwise idle machine; for ten classes only ours. If ours had been compiled during
the timing, was changed since, or was as fast as a peer (barely, news20, imdb, w8a), both were
measured once more, and the last times are shown.
"""
NOTES = """\
## Notes on the peers

- **LIBLINEAR** is the multi-core build, which on one thread is the same as the ordinary one; both
  have the same module name and cannot be installed together. Its dual solvers stop after a fixed
  number of passes, whatever the tolerance.
- **Vowpal Wabbit** has the same objective only with L-BFGS, which does not support the hinge; in
  every pass it reads a cache file, which was made beforehand from the sparse tables.
- **lightning** is not in the extra, as it must be built against the installed Cython and NumPy, by
  `pip install --no-build-isolation sklearn-contrib-lightning`.
- **Intel** is scikit-learn-intelex, which takes dense rows only.
"""


def write_page(record: Record) -> None:
    PAGE.write_text(page(record))


READ_OFF = """
The ratios are those in the table. The reasons were found by reading traces and profiles
(`benchmarks/reasons.py`); no script measures them.
"""


def page(record: Record) -> str:
    """All of it."""
    parts = [HEAD, "## Ours and the fastest peer", count(record), "\n".join(summary(record))]
    parts += ["## Where a peer is faster", READ_OFF, "\n".join(lost(record))]
    parts += ["## How the cost grows", "\n\n".join(growth(kept()))]
    parts += ["## The limits", "\n".join(machine(record)), load(record)]
    for data, (title, _) in PROBLEMS.items():
        if data in record.limits:
            parts += [f"## {title}", "\n\n".join(contenders(record, data))]
    parts += [NOTES, "## Versions", "\n".join(f"- {k} {v}" for k, v in record.versions.items())]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


class Contest(NamedTuple):
    """Ours and the fastest peer of one problem, for one accuracy and so many threads at most."""

    case: Case
    accuracy: float
    ours: Trial | None
    peer: Trial | None
    with_peers: bool
    """Whether any took part."""

    @property
    def times(self) -> float:
        """How many times faster ours is; nan where there is nothing to compare."""
        return self.peer.passes / self.ours.passes if self.ours and self.peer else math.nan


def contests(record: Record, threads: int) -> Iterator[Contest]:
    for case in cases(record):
        trials = [t for t in record.trials if t.case == case and t.threads <= threads]
        with_peers = any(t.contender in {c.name for c in PEERS} for t in trials)
        for accuracy in ACCURACIES:
            best = [quickest(record, trials, those, accuracy) for those in (OURS, PEERS)]
            yield Contest(case, accuracy, *best, with_peers)


def count(record: Record) -> str:
    """How many rows are won, and how clearly."""
    rows = [c for c in contests(record, 1) if c.with_peers]
    alone = sum(c.ours is not None and c.peer is None for c in rows)
    clearly, less = (sum(c.times >= least for c in rows) for least in (2, 1))
    slower = sum(c.times < 1 or c.ours is None for c in rows)
    return (
        f"On one thread, of {len(rows)} rows with peers: in {alone} no peer finishes in time, in"
        f" {clearly} ours is at least twice as fast as the fastest, in {less - clearly} it is"
        f" faster by less, and in {slower} a peer is faster."
    )


def summary(record: Record) -> Iterator[str]:
    """A line a problem and accuracy: ours, the fastest peer, and how many times faster we are."""
    yield "| data | loss | intercept | accuracy | ours, 1 thread | fastest peer | faster by | ours, 2 threads | fastest peer | faster by |"  # noqa: E501
    yield "|---|---|---|---|---|---|---|---|---|---|"
    on_two = {trial.case for trial in record.trials if trial.threads == 2}
    for one, two in zip(contests(record, 1), contests(record, 2), strict=True):
        case = one.case
        cells = [case.data, LOSSES[case.loss], "yes" if case.bias else "no", f"{one.accuracy:.0e}"]
        cells += compared(one)
        cells += compared(two) if case in on_two else [NONE] * 3
        yield f"| {' | '.join(cells)} |"


def compared(contest: Contest) -> list[str]:
    ours, peer = contest.ours, contest.peer
    if contest.with_peers:
        return [passes(ours), named(peer), ratio(contest)]
    return [passes(ours), "none ran", NONE]


def lost(record: Record) -> Iterator[str]:
    """The rows that a peer wins on one thread, with the reason."""
    seen: dict[tuple[str, str], list[str]] = {}
    for contest in contests(record, 1):
        if contest.times < 1 or contest.ours is None:
            case = contest.case
            told = f"{contest.accuracy:.0e}{' with an intercept' * case.bias} ({ratio(contest)})"
            seen.setdefault((case.data, case.loss), []).append(told)
    for (data, loss), rows in seen.items():
        why = REASONS.get((data, loss), UNKNOWN)
        yield f"- **{data}, {LOSSES[loss]}**, {', '.join(rows)}: {why}"


def load(record: Record) -> str:
    """How busy the machine was."""
    loads = [trial.load for trial in record.trials if trial.load is not None]
    low, middle, high = (statistics.quantiles(loads, n=20)[k] for k in (0, 9, 18))
    return (
        f"The machine was shared: where recorded, its median load was {middle:.1f}, and nine times"
        f" out of ten it was between {low:.1f} and {high:.1f}, on {record.versions['cores']} cores."
    )


def quickest(record, trials, contenders, accuracy) -> Trial | None:
    names = {c.name for c in contenders}
    return record.quickest([t for t in trials if t.contender in names], accuracy)


def passes(trial: Trial | None) -> str:
    if trial is None:
        return NONE
    return f"{trial.passes:,.0f}" if trial.passes >= 10 else f"{trial.passes:.1f}"


def named(trial: Trial | None) -> str:
    return "none in time" if trial is None else f"{passes(trial)}, {trial.contender}"


def ratio(contest: Contest) -> str:
    if contest.ours is None:
        return NONE
    if contest.peer is None:
        return NONE
    return f"**{contest.times:.1f} ×**" if contest.times >= 2 else f"{contest.times:.1f} ×"


def machine(record: Record) -> Iterator[str]:
    yield "| data | one pass, ms | on 2 threads | `X.T @ X`, passes | on 2 threads |"
    yield "|---|---|---|---|---|"
    for data, found in record.limits.items():
        unit = found["pass_ms_1"]
        cells = [data, f"{unit:.2f}", f"{found['pass_ms_2']:.2f}"]
        for threads in (1, 2):
            gram = found.get(f"gram_ms_{threads}")
            cells.append(f"{gram / unit:.1f}" if gram else NONE)
        yield f"| {' | '.join(cells)} |"
    for threads in (1, 2):
        speed = max((f[f"read_gb_s_{threads}"] for f in record.limits.values()), default=0.0)
        yield f"\nMemory is read at {speed:.0f} GB/s by {threads} thread{'s' * (threads > 1)}."


def contenders(record: Record, data: str) -> Iterator[str]:
    """All contenders on one table of data, without and with an intercept."""
    for bias in (False, True):
        columns = [case for case in cases(record) if case.data == data and case.bias == bias]
        rows = list(lines(record, columns))
        if rows:
            kind = "With" if bias else "Without"
            yield f"{kind} an intercept, in passes; in brackets, the smallest error of a tool:"
            yield "\n".join([*head(columns), *rows])


def head(columns: list[Case]) -> tuple[str, str]:
    names = [f"{LOSSES[case.loss]} {accuracy:.0e}" for case in columns for accuracy in ACCURACIES]
    return (
        f"| contender | threads | {' | '.join(names)} | memory, MB |",
        "|---|---|" + "---|" * (len(names) + 1),
    )


def lines(record: Record, columns: list[Case]) -> Iterator[str]:
    for contender in CONTENDERS:
        for threads in (1, 2):
            groups = [record.of(case, contender.name, threads) for case in columns]
            if not any(groups):
                continue
            cells = [cell(record, group, a) for group in groups for a in ACCURACIES]
            most = max(t.megabytes for group in groups for t in group)
            yield f"| {contender.name} | {threads} | {' | '.join(cells)} | {most:.0f} |"


def cell(record: Record, trials: list[Trial], accuracy: float) -> str:
    if not trials:
        return ""
    best = record.quickest(trials, accuracy)
    if best is not None:
        return passes(best)
    error = min(record.error(t) for t in trials)
    if error < float("inf"):
        return f"({error:.0e})"
    return "(stopped)" if trials[-1].ended.startswith("stopped") else "(failed)"


def cases(record: Record) -> list[Case]:
    found = {trial.case for trial in record.trials}
    order = list(PROBLEMS), list(LOSSES)
    return sorted(found, key=lambda c: (order[0].index(c.data), c.bias, order[1].index(c.loss)))


if __name__ == "__main__":
    write_page(Record.load())
