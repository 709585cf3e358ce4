"""Draw the pictures of the pages on the lectures, of all or of some.

python docs/lectures/pictures.py [000 001 …]
"""

import runpy
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from PIL import Image

HERE = Path(__file__).parent
FOLDER = HERE.parent / "images" / "lectures"
DPI = 100
COLOURS = 64  # enough for any of them, in a third of the bytes


def main(lectures: list[str]) -> None:
    """Write every picture of some pages."""
    mpl.use("agg")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for lecture in lectures:
        script = HERE / f"pictures_{lecture}.py"
        for name, draw in runpy.run_path(str(script))["PICTURES"].items():
            write(draw(), FOLDER / name)
            mpl.pyplot.close("all")


def write(figure: Any, path: Path) -> None:
    """Write a figure with a palette of its own."""
    drawn = BytesIO()
    figure.savefig(drawn, dpi=DPI)
    picture = Image.open(drawn).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    every = sorted(script.stem[-3:] for script in HERE.glob("pictures_0*.py"))
    main(sys.argv[1:] or every)
