"""Every rule on every map, and the referees, fold by fold, all learned anew in each."""

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from rosenblatt.arrays import Array, Ints
from rosenblatt.data.storage import n_cols
from rosenblatt.fitting.building import Built, build
from rosenblatt.fitting.mapping import mapped, through
from rosenblatt.fitting.rules import Rule
from rosenblatt.fitting.training import Listen, trained
from rosenblatt.sources.chunks import Source
from rosenblatt.sources.selecting import Selected
from rosenblatt.studies.comparison import AS_THEY_ARE, Entry
from rosenblatt.studies.referees import REFEREES, Ready, Size, judged_by, ready, size_for
from rosenblatt.studies.ways import Way
from rosenblatt.tables.kinds import Choices
from rosenblatt.tables.learning import Learned, learn

SETTINGS = {"n_jobs": -1}


class Run:
    """Decisions of one entry, filled fold by fold."""

    def __init__(self, rule: str, way: str, n: int) -> None:
        self.rule, self.map = rule, way
        self.decided = np.full(n, -1, np.int64)
        self.seconds: list[float] = []
        self.n_weights: int | None = None
        self.note = ""

    def entry(self, codes: Ints) -> Entry:
        """What has come of it."""
        judged: Array = self.decided >= 0
        right: Array = self.decided == codes
        seconds = tuple(self.seconds)
        return Entry(self.rule, self.map, right, judged, seconds, self.n_weights, self.note)


class Contest:
    """Every rule on every map, and the referees, fold by fold."""

    def __init__(
        self,
        source: Source,
        learned: Learned,
        choices: Choices,
        rules: Sequence[Rule],
        ways: Sequence[Way],
        *,
        codes: Ints,
        folds: Ints,
    ) -> None:
        self.source, self.choices, self.rules, self.ways = source, choices, rules, ways
        self.codes, self.folds, self.n_folds = codes, folds, int(folds.max()) + 1
        self.classes, self.target = learned.classes, learned.preparation.target
        n = len(codes)
        self.runs = {(r, w.written): Run(r, w.written, n) for w in ways for r in self.rules}
        self.referees = {name: Run(name, AS_THEY_ARE, n) for name in REFEREES}

    def entries(self, listen: Listen) -> tuple[Entry, ...]:
        """Decisions on all folds."""
        for fold in range(self.n_folds):
            self._decide(fold, _within(f"Fold {fold + 1} of {self.n_folds}", listen))
        runs = [*self.runs.values(), *self.referees.values()]
        return tuple(run.entry(self.codes) for run in runs)

    def _decide(self, fold: int, listen: Listen) -> None:
        """Learn everything from the rows outside a fold, and decide for those in it."""
        listen("preparing")
        train = Selected(self.source, lambda rows: self.folds[rows] != fold)
        test = Selected(self.source, lambda rows: self.folds[rows] == fold)
        preparation = learn(train, self.target, self.choices).preparation
        learns, judges = (
            build(part, preparation, self.classes, preparation.rows) for part in (train, test)
        )
        places = np.flatnonzero(self.folds == fold)
        for way in self.ways:
            made, prepared = mapped(learns, preparation, way.recipes)
            tests = judges
            for step in prepared.maps:
                tests = through(tests, step)
            for rule in self.rules:
                listen(f"{rule}, features: {way.written}")
                self._line(self.runs[rule, way.written], rule, made, tests, places)
        rows: dict[Size, Ready] = {}
        for name, run in self.referees.items():
            size = size_for(name, len(learns.codes), n_cols(learns.rows), len(self.classes))
            if fold == 0 or not size.sampled:
                listen(name)
                rows[size] = rows.get(size) or ready(learns, judges, size)
                _judge(run, rows[size], size, places)

    def _line(self, run: Run, rule: Rule, train: Built, test: Built, places: Ints) -> None:
        start = perf_counter()
        model = trained(rule, SETTINGS, train, len(self.classes))
        run.seconds.append(perf_counter() - start)
        run.decided[places] = model.predict(test.X)
        run.n_weights = int(model.coef_.size + np.size(model.intercept_))


def _judge(run: Run, rows: Ready, size: Size, places: Ints) -> None:
    decided, seconds = judged_by(run.rule, rows)
    run.seconds.append(seconds)
    run.decided[places[rows.judged]] = decided
    run.note = size.told(len(rows.judged))


def _within(stage: str, listen: Listen) -> Listen:
    return lambda what: listen(f"{stage}: {what}")
