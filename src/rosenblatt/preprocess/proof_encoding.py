"""JSON description, inside a proof file, of how its rows were made from a source.

An encoding holds the transformer (target, columns, categories, fills, maps) and, since version 2,
the choices it was fitted with, the columns that were left out, and how many integers were rounded.
To check a proof, the transformer in its file is not applied: it is fitted again on the data with
the same choices, and must be the same. A proof can thus choose its question, which `verify` prints,
but not the rows.

In encodings without a version, the choices follow from the columns in use.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.features.maps.spec import MapSpec, features_of
from rosenblatt.io.rounded_cells import RoundedCells
from rosenblatt.preprocess.column_encoders import TextColumn
from rosenblatt.preprocess.column_types import Choices, LeftOutColumn
from rosenblatt.preprocess.transformer import ColumnTransformer, transformer_from_dict
from rosenblatt.text import listed
from rosenblatt.types import Array

VERSION = 2
TYPES = {"float64": np.float64, "int64": np.int64}
ARRAYS = "arrays"
COLUMN_FLAGS = ("drop", "use", "category", "text")
SINCE_VERSION_2 = ("version", "choices", "left_out", "rounded")


def encoding_of(
    transformer: ColumnTransformer,
    choices: Choices,
    map_specs: Sequence[MapSpec],
    left_out: Sequence[LeftOutColumn],
    rounded: RoundedCells,
) -> dict[str, Any]:
    """An encoding as JSON data, from which every float is restored exactly."""
    plain, arrays = transformer.to_dict()
    values = {name: {"type": str(a.dtype), "values": a.tolist()} for name, a in arrays.items()}
    texts = [] if choices.grams is None else [choices.grams.spec]
    chosen: dict[str, Any] = {flag: sorted(getattr(choices, flag)) for flag in COLUMN_FLAGS}
    chosen |= {"use_all": choices.use_all, "features": [*texts, *(spec.text for spec in map_specs)]}
    left = [{"column": f.column, "kind": f.kind, "reason": f.reason} for f in left_out]
    lost = [{"column": n, "integers": cells.integers} for n, cells in sorted(rounded.items())]
    about = {"version": VERSION, "choices": chosen, "left_out": left}
    return {
        **about,
        "rounded": [each for each in lost if each["integers"]],
        **plain,
        ARRAYS: values,
    }


def transformer_in(encoding: Mapping[str, Any]) -> tuple[ColumnTransformer, dict[str, Array]]:
    """The transformer that `encoding_of` described, and its arrays."""
    values = encoding.get(ARRAYS, {})
    arrays = {name: np.array(a["values"], TYPES[a["type"]]) for name, a in values.items()}
    return transformer_from_dict(encoding, arrays), arrays


def choices_in(encoding: Mapping[str, Any]) -> tuple[Choices, tuple[MapSpec, ...]]:
    """The choices and maps of an encoding; without a version, unused columns are dropped."""
    if "version" not in encoding:
        return _choices_from_columns(transformer_in(encoding)[0])
    version, chosen = encoding["version"], encoding["choices"]
    if type(version) is not int or version != VERSION:
        raise ValueError(f"its version is {version!r}, and this program knows {VERSION}")
    grams, map_specs = features_of([str(written) for written in chosen["features"]])
    named: dict[str, Any] = {flag: frozenset(map(str, chosen[flag])) for flag in COLUMN_FLAGS}
    use_all = bool(chosen["use_all"])
    return Choices(**named, use_all=use_all, scale=False, grams=grams), map_specs


def _choices_from_columns(transformer: ColumnTransformer) -> tuple[Choices, tuple[MapSpec, ...]]:
    """Choices with which a transformer uses its columns, each as its kind."""
    columns = transformer.columns
    texts = [column for column in columns if isinstance(column, TextColumn)]
    maps = [step.spec for step in transformer.maps]
    grams, map_specs = features_of([*{text.grams.spec for text in texts}, *maps])
    return Choices(
        use=frozenset(column.name for column in columns),
        category=transformer.string_columns - {text.name for text in texts},
        text=frozenset(text.name for text in texts),
        scale=False,
        grams=grams,
    ), map_specs


def difference(claimed: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> str | None:
    """How an encoding differs from the one that the data give; None if it does not."""
    if "version" not in claimed:
        rebuilt = {name: part for name, part in rebuilt.items() if name not in SINCE_VERSION_2}
    if _canonical(claimed) == _canonical(rebuilt):
        return None
    if claimed["target"] != rebuilt["target"]:
        return f"its target is {claimed['target']!r}, not {rebuilt['target']!r}"
    return (
        _difference_of_columns(claimed["columns"], rebuilt["columns"])
        or _difference_of_left_out(claimed, rebuilt)
        or _difference_of_rounding(claimed, rebuilt)
        or _difference_of_fields(claimed, rebuilt)
    )


def _difference_of_columns(
    claimed: Sequence[Mapping[str, Any]], rebuilt: Sequence[Mapping[str, Any]]
) -> str | None:
    here, there = ([column["name"] for column in side] for side in (claimed, rebuilt))
    for name in here:
        if name not in there:
            return f"it uses the column {name!r}, which these data leave out"
    for name in there:
        if name not in here:
            return f"it does not use the column {name!r}"
    if here != there:
        return f"its columns are {', '.join(here)} in this order, and not {', '.join(there)}"
    pairs = zip(claimed, rebuilt, strict=True)
    return next((_difference_of_column(*pair) for pair in pairs if pair[0] != pair[1]), None)


def _difference_of_column(claimed: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> str:
    name, kind = rebuilt["name"], rebuilt["kind"]
    if claimed["kind"] != kind:
        return f"the column {name!r} is a {claimed['kind']} in it, and a {kind} in these data"
    if kind == "category" and claimed["values"] != rebuilt["values"]:
        return f"the categories of {name!r} are not those of these data"
    if kind == "number" and claimed["fill"] != rebuilt["fill"]:
        return (
            f"missing cells of {name!r} are filled with {claimed['fill']!r} in it; the mean of"
            f" these data is {rebuilt['fill']!r}"
        )
    if kind == "text":
        return f"the texts of {name!r} are encoded differently"
    return f"it does not flag missing cells of {name!r} as these data do"


def _difference_of_left_out(claimed: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> str | None:
    if "left_out" not in rebuilt or claimed.get("left_out") == rebuilt["left_out"]:
        return None
    columns = ", ".join(f"{f['column']} ({f['kind']})" for f in rebuilt["left_out"]) or "none"
    return f"the columns left out are not those of these data: {columns}"


def _difference_of_rounding(claimed: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> str | None:
    if "rounded" not in rebuilt or claimed.get("rounded") == rebuilt["rounded"]:
        return None
    cells = [f"{each['column']} ({each['integers']})" for each in rebuilt["rounded"]]
    return f"the integers that are rounded are not those of these data: {listed(cells) or 'none'}"


def _difference_of_fields(claimed: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> str:
    names = sorted({*claimed, *rebuilt})
    wrong = (n for n in names if _canonical(claimed.get(n)) != _canonical(rebuilt.get(n)))
    messages = {
        "maps": "its feature maps are not the requested ones, fitted on these data",
        ARRAYS: "the numbers of its feature maps, or its scale factors, are not those of the data",
        "unit_norm": "it scales the features, which no proof does",
        "sublinear_tf": "it scales the features, which no proof does",
    }
    field = next(wrong)
    return messages.get(field, f"its field {field!r} is not what these data give")


def _canonical(part: Any) -> str:
    """JSON in which equal parts are equal texts, and 1 is neither 1.0 nor true."""
    return json.dumps(part, sort_keys=True)
