"""Draw the pictures of the pages on the lectures.

python docs/lectures/pictures.py
"""

import runpy
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from PIL import Image

HERE = Path(__file__).parent
FOLDER = HERE.parent / "images" / "lectures"
DPI = 80
COLOURS = 128  # of the palette of a file, which is a third of its size in true colours


def main() -> None:
    """Write every picture of every page."""
    mpl.use("agg")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for script in sorted(HERE.glob("pictures_0*.py")):
        for name, draw in runpy.run_path(str(script))["PICTURES"].items():
            save(draw(), FOLDER / name)
            mpl.pyplot.close("all")


def save(figure: Any, path: Path) -> None:
    """Write a figure with a palette of colours."""
    drawn = BytesIO()
    figure.savefig(drawn, dpi=DPI)
    image = Image.open(drawn).convert("RGB")
    options = {"method": Image.Quantize.MAXCOVERAGE, "dither": Image.Dither.NONE}
    image.quantize(COLOURS, **options).save(path, optimize=True)


if __name__ == "__main__":
    main()
