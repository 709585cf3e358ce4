"""Write docs/benchmarks.md from what benchmarks/solvers.py has measured.

python benchmarks/page.py
"""

from collections.abc import Iterator
from pathlib import Path

from contenders import CONTENDERS, OURS, PEERS
from problems import PROBLEMS
from record import Case, Record, Trial, versions

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
ACCURACIES = (1e-3, 1e-6)
LOSSES = {"hinge": "hinge", "squared_hinge": "squared hinge", "logistic": "logistic"}
NONE = "–"
HEAD = """\
# Benchmarks of the solvers

Written by `benchmarks/solvers.py`; do not edit.

Everybody minimises ½‖w‖² + Σ loss (C = 1) on the same arrays, and one function computes
everybody's objective P in float64. A figure is the time of the quickest fit with
(P − P\\*)/P\\* ≤ 1e-3, or 1e-6, in units of one `X @ w` on one thread: *passes*. Less is better.
P\\* is the least objective that anybody found. Every tool climbed a ladder of tolerances, and its
best step counts; what a tool needs to be given (float64, columns first, an own format) was made
outside its time. A ladder was stopped when its budget was spent (6 s; 30 s for the strongest where
nobody was done by then), or 10 times what the quickest peer before it needed for 1e-6. One thread
is timed by the processor's clock, two by the clock on the wall; for two threads the better of one
and two counts.

Without a bias all tools solve the same problem. With a bias only those take part that leave it out
of the penalty: LinearSVC, the dual solvers of LIBLINEAR, snapml, lightning and skglm do not.
Ten classes are ten hinge problems, each class against the rest, or one multinomial problem.
"""
NOTES = """\
## Notes on the peers

- **LIBLINEAR** is here in its multi-core build, which on one thread is the ordinary one: both have
  the same module name and cannot be installed together. Its dual solvers end after a fixed number
  of passes whatever the tolerance.
- **Vowpal Wabbit** has the same objective only by L-BFGS, which knows no hinge; it reads a cache
  file in every pass, here made beforehand from the sparse tables.
- **lightning** is not in the extra: it must be built against the installed Cython and NumPy, by
  `pip install --no-build-isolation sklearn-contrib-lightning`.
- **Intel** is scikit-learn-intelex, which takes dense rows.
"""


def write_page(record: Record) -> None:
    """All of it."""
    parts = [HEAD, "## Ours and the fastest peer", "\n".join(summary(record))]
    parts += ["## The limits", "\n".join(machine(record))]
    for data, (title, _) in PROBLEMS.items():
        if data in record.limits:
            parts += [f"## {title}", "\n\n".join(contenders(record, data))]
    parts += [NOTES, "## Versions", "\n".join(f"- {k} {v}" for k, v in versions().items())]
    PAGE.write_text("\n\n".join(part.strip("\n") for part in parts) + "\n")


def summary(record: Record) -> Iterator[str]:
    """A line a problem and accuracy: ours, the fastest peer, and how many times faster we are."""
    yield "| data | loss | bias | accuracy | ours, 1 thread | fastest peer | faster by | ours, 2 threads | fastest peer | faster by |"  # noqa: E501
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for case in cases(record):
        for accuracy in ACCURACIES:
            cells = [case.data, LOSSES[case.loss], "yes" if case.bias else "no", f"{accuracy:.0e}"]
            for threads in (1, 2):
                trials = [t for t in record.trials if t.case == case and t.threads <= threads]
                ours = quickest(record, trials, OURS, accuracy)
                peer = quickest(record, trials, PEERS, accuracy)
                if any(t.contender in {c.name for c in PEERS} for t in trials):
                    cells += [passes(record, ours), named(record, peer), ratio(ours, peer)]
                else:
                    cells += [passes(record, ours), "none ran", NONE]
            yield f"| {' | '.join(cells)} |"


def quickest(record, trials, contenders, accuracy) -> Trial | None:
    names = {c.name for c in contenders}
    return record.quickest([t for t in trials if t.contender in names], accuracy)


def passes(record: Record, trial: Trial | None) -> str:
    if trial is None:
        return NONE
    units = trial.seconds * 1e3 / record.limits[trial.case.data]["pass_ms_1"]
    return f"{units:,.0f}" if units >= 10 else f"{units:.1f}"


def named(record: Record, trial: Trial | None) -> str:
    return "none in its time" if trial is None else f"{passes(record, trial)}, {trial.contender}"


def ratio(ours: Trial | None, peer: Trial | None) -> str:
    if ours is None:
        return NONE
    if peer is None:
        return "no peer in its time"
    times = peer.seconds / ours.seconds
    return f"**{times:.1f} ×**" if times >= 2 else f"{times:.1f} ×"


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
    """All contenders on one table of data, without and with a bias."""
    for bias in (False, True):
        columns = [case for case in cases(record) if case.data == data and case.bias == bias]
        rows = list(lines(record, columns))
        if rows:
            kind = "With" if bias else "Without"
            yield f"{kind} a bias, in passes; in brackets the error at which a tool stayed:"
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
        return passes(record, best)
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
