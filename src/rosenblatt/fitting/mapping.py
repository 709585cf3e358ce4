"""Rows through feature maps, block by block on all cores; what grows too large goes to a file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rosenblatt.data.storage import Rows, n_rows, rows_part
from rosenblatt.data.store import Store
from rosenblatt.fitting.building import Built
from rosenblatt.maps.recipes import Recipe, Step
from rosenblatt.sources.threads import in_order, processors
from rosenblatt.tables.kinds import Choices
from rosenblatt.tables.preparation import Preparation

BLOCK = 1 << 21  # entries of dense features that are made at a time


def choices_for(recipes: Sequence[Recipe], choices: Choices) -> Choices:
    """Choices under which maps of images see every pixel, and as it was read."""
    if any(recipe.of_images for recipe in recipes):
        return replace(choices, scale=False, pixels=True)
    return choices


def mapped(
    built: Built, preparation: Preparation, recipes: Sequence[Recipe]
) -> tuple[Built, Preparation]:
    """Rows through maps that are learned from them in turn, and the preparation that makes them."""
    for recipe in recipes:
        step = recipe.learn(built.rows)
        built = through(built, step)
        preparation = replace(preparation, maps=(*preparation.maps, step))
    return built, preparation


def through(built: Built, step: Step) -> Built:
    """Rows through one map."""
    store = Store(n_rows(built.rows))
    for part in in_order(step.map.rows, _blocks(built.rows, step.map.n_outputs), processors()):
        store.add(part)
    return Built(store.rows(), built.codes, built.on_disk or store.on_disk)


def _blocks(rows: Rows, n_outputs: int) -> Iterator[Rows]:
    size = max(1, BLOCK // n_outputs)
    for start in range(0, n_rows(rows), size):
        yield rows_part(rows, start, start + size)
