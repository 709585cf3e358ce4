"""MNIST's 8 against the rest with products of random pairs of pixels: the lecture's figure.

    ROSENBLATT_DATA=folder python benchmarks/capacity.py [errors] [separable] [NUMBER …] [figure]

Training and test error of the averaged perceptron against the number of products, and the number at
which the 60,000 training images become separable. Pairs are nested, so halving finds it: the fewest
products that are proved to be enough, and the most that are proved not to be, five percent apart
or less unless a verdict takes longer than is allowed. Numbers ask for the verdicts of so many
products, to come nearer. What was found goes to benchmarks/results/capacity.json, the figure to
docs/images/capacity.png.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from record import RESULTS, versions

from rosenblatt import Perceptron, read, separability
from rosenblatt.features.maps.spec import parse_map_spec
from rosenblatt.pipeline.encoded_data import EncodedData, apply_map

SIZES = (0, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 7000, 10_000)
PASSES = 30
MOST_PRODUCTS = 10_000
MOST_SECONDS = 900.0  # for one verdict
NEAR = 0.05  # of the products: where a search is done
PATH = RESULTS / "capacity.json"
FIGURE = Path(__file__).parent.parent / "docs" / "images" / "capacity.png"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"


def main() -> None:
    kept = json.loads(PATH.read_text()) if PATH.exists() else {}
    kept["versions"] = versions()
    wanted = sys.argv[1:] or ["errors", "separable", "figure"]
    if "errors" in wanted:
        kept["errors"] = errors()
        save(kept)
    if "separable" in wanted:
        search(kept)
    if numbers := [int(word) for word in wanted if word.isdigit()]:
        decide(kept, numbers)
    if "figure" in wanted:
        draw(kept)


def save(kept: dict[str, Any]) -> None:
    PATH.write_text(json.dumps(kept, indent=1) + "\n")


def digits(part: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels in 256ths, which float32 holds exactly, as it does their products; and who is an 8."""
    data = read(f"{os.environ['ROSENBLATT_DATA']}/mnist/{part}-images-idx3-ubyte.gz")
    return data.X / np.float32(256), (data.y == 8).astype(np.int8)


def with_products(n: int, X: np.ndarray) -> np.ndarray:
    step = parse_map_spec(f"random-products:{n}").fit(X)
    return apply_map(EncodedData(X, np.zeros(len(X), np.int8), on_disk=False), step).X


def errors() -> list[dict[str, Any]]:
    """Errors of the averaged perceptron."""
    train, test = digits("train"), digits("t10k")
    found = []
    for n in SIZES:
        model = Perceptron(max_iter=PASSES, keep="average")
        scaled = [with_products(n, X) for X, _ in (train, test)]
        model.fit(scaled[0], train[1])
        wrong = [
            float(np.mean(model.predict(Z) != y))
            for Z, (_, y) in zip(scaled, (train, test), strict=True)
        ]
        found.append(
            {"products": n, "training": wrong[0], "test": wrong[1], "passes": model.n_iter_}
        )
        print(found[-1], flush=True)
    return found


def search(kept: dict[str, Any]) -> None:
    """Narrow both ends: the most products proved not to be enough, the fewest proved to be."""
    for end in ("separable", "inseparable"):
        while (n := between(kept.setdefault("verdicts", {}), end)) is not None:
            decide(kept, [n])


def decide(kept: dict[str, Any], numbers: list[int]) -> None:
    """Ask for the verdicts of some numbers of products, and keep them."""
    X, y = digits("train")
    verdicts: dict[str, Any] = kept.setdefault("verdicts", {})
    for n in numbers:
        verdicts[str(n)] = verdict(with_products(n, X), y)
        print(n, verdicts[str(n)], flush=True)
        save(kept)


def between(verdicts: dict[str, Any], end: str) -> int | None:
    """The number in the middle of those that leave this end open; none if they are near."""
    told = {0: "inseparable", MOST_PRODUCTS: "separable"}  # both are proved on the way
    told |= {int(n): each["verdict"] for n, each in verdicts.items()}
    good = [n for n, answer in told.items() if answer == end]
    others = [n for n, answer in told.items() if answer != end]
    if end == "separable":
        inner, outer = max((n for n in others if n < min(good)), default=0), min(good)
    else:
        inner, outer = max(good), min((n for n in others if n > max(good)), default=MOST_PRODUCTS)
    return (inner + outer) // 2 if outer - inner > NEAR * outer else None


def verdict(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """A verdict whose proof was checked."""
    proof = separability(X, y, time_limit=MOST_SECONDS)
    if proof.answer == "undecided":
        return {"verdict": proof.answer}
    proof.verify(X, y)
    told: dict[str, Any] = {"verdict": proof.answer}
    if proof.answer == "separable":
        return told | {"margin": proof.margin, "radius": proof.radius}
    return told | {"rows": len(proof.rows)}


def draw(kept: dict[str, Any]) -> None:
    import matplotlib.pyplot as plt  # noqa: PLC0415 (an extra)

    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    products = [row["products"] for row in kept["errors"]]
    for name, colour, shape in (("training", BLUE, "o"), ("test", ORANGE, "s")):
        percent = [100 * row[name] for row in kept["errors"]]
        ax.plot(products, percent, color=colour, marker=shape, ms=5, label=f"{name} error")
    ends = {
        v: [int(n) for n, told in kept["verdicts"].items() if told["verdict"] == v]
        for v in ("inseparable", "separable")
    }
    enough = min(ends["separable"])
    ax.axvline(enough, color=GREY, ls="--", lw=1.2)
    ax.annotate(
        f"from {enough:,} products on the training\nimages are separable, with proof",
        (enough, 3.2), (8, 0), textcoords="offset points", color=GREY, va="center",
    )  # fmt: skip
    ax.set_xlabel("products of random pairs of pixels, beside the 784 pixels")
    ax.set_ylabel("wrong, %")
    ax.set_ylim(bottom=0)
    ax.set_title("MNIST, 8 against the rest, averaged perceptron", fontsize=12)
    ax.legend(frameon=False)
    figure.savefig(FIGURE, dpi=130)


if __name__ == "__main__":
    main()
