"""From files to a model: ours, the peers, and what reading the bytes alone takes.

Every contender is a process of its own, on files that the system has in memory. Measured are its
whole time and its time without imports, by the wall and by the processors, and its memory: the best
of some runs, in turn with the others; and the accuracy of its model, where nobody shall be fast by
being bad: the worst of the runs. Ratios are to the first contender. Other programs lengthen the
time on the wall; that of the processors counts all threads. Compiled kernels are on disk already,
as on a second use.

    python benchmarks/files.py [--quick] [--contest NAME] [--only CONTENDER] [--repeats N]

Results are merged into benchmarks/results/files.json; --quick, on a part of the rows, writes
nothing. The peers are in the extra [bench]; `liblinear-train` comes with the system's packages. One
that is not installed is left out with a word.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from file_contests import CONTESTS, Contender, Contest
from record import RESULTS, versions
from stopwatch import PATIENCE, in_a_child

CHILD = Path(__file__).with_name("file_contests.py")
QUICK = 10  # times smaller
LONG = 20.0  # seconds: a run as long is not repeated

Figures = dict[str, float]


def main() -> None:
    options = parsed()
    for name in options.contest:
        contest = CONTESTS[name]
        with tempfile.TemporaryDirectory() as folder:
            facts = made(contest, folder, shrink=QUICK if options.quick else 1)
            print(f"{name}: {', '.join(f'{n:,} {what}' for what, n in facts.items())}", flush=True)
            chosen = [c for c in contest.contenders if any(o in c.name for o in options.only)]
            found = measured(name, chosen, folder, options.repeats)
        report(contest, facts, found)
        if not options.quick:
            save(name, facts, found)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller files, for a look")
    parser.add_argument("--contest", nargs="+", choices=CONTESTS, default=list(CONTESTS))
    parser.add_argument("--only", nargs="+", default=[""], help="parts of contenders' names")
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def made(contest: Contest, folder: str, shrink: int) -> dict[str, int]:
    """Make the files in another process: its memory would be counted with that of contenders."""

    def work() -> Iterator[dict[str, int]]:
        yield contest.make(Path(folder), shrink)

    facts: dict[str, int] = next(in_a_child(work, PATIENCE))
    return facts


def measured(
    contest: str, contenders: list[Contender], folder: str, repeats: int
) -> dict[str, Figures]:
    """The best of some runs of each contender; one that compiles has run before."""
    found: dict[str, Figures] = {}
    for contender in contenders:
        if not contender.installed:
            print(f"{contender.name}: {contender.needs} is not installed, left out")
    for contender in (c for c in contenders if c.installed and c.compiles):
        run(contest, contender, folder)
    for _ in range(repeats):
        for contender in (c for c in contenders if c.installed):
            known = found.get(contender.name)
            if known and known["whole"] > LONG:
                continue
            figures = run(contest, contender, folder)
            if known:
                figures = {name: min(known[name], figures[name]) for name in figures}
            found[contender.name] = figures
    return found


def run(contest: str, contender: Contender, folder: str) -> Figures:
    """Seconds of the whole process, of its work without imports, and peak megabytes."""
    command = [sys.executable, "-W", "ignore", str(CHILD), contest, contender.name, folder]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as of what is installed, there is bytecode
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert child.stdout is not None
    told = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    whole = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{contender.name} ended with {child.returncode}")
    return {
        "whole": whole,
        "whole_processors": usage.ru_utime + usage.ru_stime,
        **json.loads(told.splitlines()[-1]),
        "megabytes": usage.ru_maxrss / 1024,
    }


def report(contest: Contest, facts: dict[str, int], found: dict[str, Figures]) -> None:
    """Print times, ratios and rates."""
    first = next(iter(found.values()))
    for name, figures in found.items():
        clocks = ("whole", "whole_processors", "work", "processors")
        ratios = [figures[clock] / first[clock] for clock in clocks]
        goal = f" (goal {contest.goals[name]:g})" if name in contest.goals else ""
        rates = f"{facts['bytes'] / figures['work'] / 1e6:.0f} MB/s"
        if "entries" in facts:
            rates += f", {facts['entries'] / figures['work'] / 1e6:.1f} M entries/s"
        if "accuracy" in figures:
            rates += f"; {figures['accuracy']:.2%} of the training rows right"
        print(
            f"{name:30} whole {figures['whole']:6.2f} s, {ratios[0]:5.2f} ×{goal};"
            f" processors {figures['whole_processors']:6.2f} s, {ratios[1]:5.2f} ×;"
            f" without imports {figures['work']:6.2f} s, {ratios[2]:5.2f} ×;"
            f" processors {figures['processors']:6.2f} s, {ratios[3]:5.2f} ×;"
            f" {figures['megabytes']:5.0f} MB; {rates}",
            flush=True,
        )


def save(name: str, facts: dict[str, int], found: dict[str, Figures]) -> None:
    path = RESULTS / "files.json"
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    contests = kept.setdefault("contests", {})
    old = contests.get(name, {})
    trials = old.get("contenders", {}) if old.get("facts") == facts else {}
    contests[name] = {"facts": facts, "contenders": {**trials, **found}}
    kept["versions"] = versions()
    path.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
