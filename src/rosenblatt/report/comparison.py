"""What a comparison has found, as plain data: the form of `--json`."""

from typing import Any

from rosenblatt.report.figures import verdict_figures
from rosenblatt.report.question import finding_figures
from rosenblatt.studies.comparison import Comparison, Entry, Ground
from rosenblatt.studies.concluding import Gap, concluded
from rosenblatt.studies.pairing import Paired
from rosenblatt.studies.telling import conclusion
from rosenblatt.tables.targets import written


def comparison_figures(found: Comparison) -> dict[str, Any]:
    """All figures of a comparison; only those of time differ from run to run."""
    shown = concluded(found)
    return {
        "source": found.source,
        "rows": found.n_rows,
        "features": found.grounds[0].n_features,
        "target": found.target,
        "classes": {written(label): n for label, n in found.counts.items()},
        "majority_share": found.majority_share,
        "left_out": finding_figures(found.findings),
        "folds": found.n_folds,
        "seed": found.seed,
        "maps": [_ground(ground) for ground in found.grounds],
        "entries": [_entry(found, entry) for entry in found.entries],
        "best": _name(found.best),
        "linear_enough": shown.linear_enough,
        "referee_against_line": _gap(shown.referee),
        "map_helps": shown.map_helps,
        "map_against_none": None if shown.map is None else _gap(shown.map),
        "enough_after_map": shown.enough_after_map,
        "referee_after_map": None if shown.referee_after is None else _gap(shown.referee_after),
        "conclusion": conclusion(found),
    }


def _ground(ground: Ground) -> dict[str, Any]:
    return {
        "map": ground.map,
        "features": ground.n_features,
        "dimension": ground.dimension,
        "chance": ground.chance,
        "chance_text": ground.chance_text,
        "separability": None if ground.proof is None else verdict_figures(ground.proof),
    }


def _entry(found: Comparison, entry: Entry) -> dict[str, Any]:
    return {
        **_name(entry),
        "referee": entry.is_referee,
        "accuracy": entry.accuracy,
        "interval": list(entry.interval),
        "rows": entry.rows,
        "weights": entry.n_weights,
        "fit_seconds": entry.fit_seconds,
        "fit_ratio": entry.fit_seconds / found.quickest,
        "against_best": _paired(found.difference(entry, found.best)),
        "note": entry.note,
    }


def _name(entry: Entry) -> dict[str, str]:
    return {"rule": entry.rule, "map": entry.map}


def _gap(gap: Gap) -> dict[str, Any]:
    return {"of": _name(gap.entry), "against": _name(gap.against), **_paired(gap.by)}


def _paired(by: Paired) -> dict[str, Any]:
    return {
        "difference": by.difference,
        "interval": [by.low, by.high],
        "p": by.p,
        "rows": by.rows,
    }
