"""Rows through feature maps, block by block on all cores; what grows too large goes to a file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rosenblatt.csr import Rows, n_rows, rows_part
from rosenblatt.data.buffer import Store
from rosenblatt.maps.recipes import Recipe, Step
from rosenblatt.parallel import in_order, processors
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.transformer import Preparation

BLOCK = 1 << 21  # entries of dense features that are made at a time


def choices_for(recipes: Sequence[Recipe], choices: Choices) -> Choices:
    """Choices under which maps of images see every pixel, and as it was read."""
    if any(recipe.of_images for recipe in recipes):
        return replace(choices, scale=False, pixels=True)
    return choices


def fit_maps(
    encoded: EncodedData, preparation: Preparation, recipes: Sequence[Recipe]
) -> tuple[EncodedData, Preparation]:
    """Rows through maps that are learned from them in turn, and the preparation that makes them."""
    for recipe in recipes:
        step = recipe.learn(encoded.rows)
        encoded = apply_map(encoded, step)
        preparation = replace(preparation, maps=(*preparation.maps, step))
    return encoded, preparation


def apply_map(encoded: EncodedData, step: Step) -> EncodedData:
    """Rows through one map."""
    store = Store(n_rows(encoded.rows))
    for part in in_order(step.map.rows, _blocks(encoded.rows, step.map.n_outputs), processors()):
        store.add(part)
    return EncodedData(store.rows(), encoded.codes, encoded.on_disk or store.on_disk)


def _blocks(rows: Rows, n_outputs: int) -> Iterator[Rows]:
    size = max(1, BLOCK // n_outputs)
    for start in range(0, n_rows(rows), size):
        yield rows_part(rows, start, start + size)
