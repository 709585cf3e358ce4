"""What benchmarks/solvers.py has measured: kept in one file, part by part."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROUNDING = 1e-9
RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "rosenblatt", "numpy", "scipy", "numba", "scikit-learn", "liblinear-multicore", "snapml",
    "scikit-learn-intelex", "skglm", "sklearn-contrib-lightning", "vowpalwabbit",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One optimisation problem."""

    data: str
    loss: str
    bias: bool

    def __str__(self) -> str:
        return f"{self.data}, {self.loss}{', bias' if self.bias else ''}"


@dataclass(frozen=True)
class Trial:
    """One fit; `objective` is None, and `ended` says why, where there was none."""

    case: Case
    contender: str
    threads: int
    setting: dict[str, Any]
    seconds: float
    objective: float | None
    megabytes: float
    ended: str = ""
    load: float | None = None
    """How many programs wanted a processor in the minute before, this one included."""
    unit: float = 1.0
    """Seconds of one `X @ w` on one thread, on the machine and the day of the fit."""

    @property
    def passes(self) -> float:
        """The time in units of that."""
        return self.seconds / self.unit


@dataclass
class Record:
    """All trials, the least objectives and bounds of them, and the limits of the machine."""

    trials: list[Trial] = field(default_factory=list)
    optima: dict[Case, dict[str, Any]] = field(default_factory=dict)
    limits: dict[str, dict[str, float]] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)
    kept: bool = True
    """Whether it goes to the file."""

    @classmethod
    def load(cls) -> "Record":
        path = RESULTS / "solvers.json"
        if not path.exists():
            return cls()
        kept = json.loads(path.read_text())
        trials = [Trial(Case(**t.pop("case")), **t) for t in kept["trials"]]
        optima = {Case(**o.pop("case")): o for o in kept["optima"]}
        return cls(trials, optima, kept["limits"], kept["versions"])

    def save(self) -> None:
        if not self.kept:
            return
        self.versions = versions()
        kept = {
            "versions": self.versions,
            "limits": self.limits,
            "optima": [{"case": asdict(case), **o} for case, o in self.optima.items()],
            "trials": [asdict(t) for t in self.trials],
        }
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "solvers.json").write_text(json.dumps(kept, indent=1) + "\n")

    def of(self, case: Case, contender: str, threads: int) -> list[Trial]:
        kind = (case, contender, threads)
        return [t for t in self.trials if (t.case, t.contender, t.threads) == kind]

    def replace(self, case: Case, contender: str, threads: int, trials: list[Trial]) -> None:
        """Put new trials in the place of old ones of the same kind."""
        kind = (case, contender, threads)
        self.trials = [t for t in self.trials if (t.case, t.contender, t.threads) != kind] + trials
        for trial in trials:
            if trial.objective is not None:
                self.found(case, trial.objective, None, trial.contender)

    def found(self, case: Case, least: float, bound: float | None, by: str) -> None:
        """Remember an objective that somebody reached, and a lower bound if it is known.

        An objective below the bound would prove that somebody's certificate is wrong.
        """
        known = self.optima.setdefault(case, {"least": least, "bound": bound, "by": by})
        if least < known["least"]:
            known |= {"least": least, "by": by}
        if bound is not None:
            known["bound"] = max(bound, known["bound"] or bound)
        if known["bound"] is not None and known["least"] < known["bound"] * (1 - ROUNDING):
            raise ValueError(f"{case}: {by} says {least}, {bound}; that contradicts {known}")

    def error(self, trial: Trial) -> float:
        """(P − P*)/P* of a trial."""
        if trial.objective is None or trial.case not in self.optima:
            return float("inf")
        least = self.optima[trial.case]["least"]
        return (trial.objective - least) / least

    def quickest(self, trials: list[Trial], accuracy: float) -> Trial | None:
        """The trial that reached the accuracy in the least time, in units of its day."""
        good = [t for t in trials if self.error(t) <= accuracy]
        return min(good, key=lambda t: t.passes, default=None)


def versions() -> dict[str, Any]:
    found: dict[str, Any] = {"python": platform.python_version(), "cores": os.cpu_count()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
