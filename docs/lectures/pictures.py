"""Draw the pictures of the pages on the lectures.

python docs/lectures/pictures.py
"""

import runpy
from pathlib import Path

import matplotlib as mpl

HERE = Path(__file__).parent
FOLDER = HERE.parent / "images" / "lectures"
DPI = 80


def main() -> None:
    """Write every picture of every page."""
    mpl.use("agg")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for script in sorted(HERE.glob("pictures_0*.py")):
        for name, draw in runpy.run_path(str(script))["PICTURES"].items():
            draw().savefig(FOLDER / name, dpi=DPI)
            mpl.pyplot.close("all")


if __name__ == "__main__":
    main()
