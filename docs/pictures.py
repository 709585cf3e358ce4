"""Draw the pictures of the README and of the docs: python docs/pictures.py.

It needs the extra [plot]; that of the report needs playwright and Chromium too.
"""

import shutil
import subprocess
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from rosenblatt import (
    KernelPerceptron,
    LeastSquares,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    builtin,
    gates,
    separability,
)
from rosenblatt.plotting import (
    BoundaryDisplay,
    ErrorSurfaceDisplay,
    FunctionDisplay,
    GateDisplay,
    GaussianDisplay,
    HyperplaneDisplay,
    MarginDisplay,
    NoDecisionDisplay,
    ScoreDisplay,
    SeparabilityDisplay,
    StepsDisplay,
    TraceDisplay,
    WeightsDisplay,
    WeightSpaceDisplay,
)

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"
IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Write all pictures under docs/images."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (yes, no) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    draw_separable(yes)
    draw_inseparable(no)
    figure.savefig(IMAGES / "perceptron.png", dpi=130)
    plt.rcdefaults()
    for name, drawn in (
        ("boundaries", boundaries),
        ("traces", traces),
        ("margins-and-weights", margins_and_weights),
        ("pictures-of-weights", pictures_of_weights),
        ("weight-space", weight_space),
        ("proofs", proofs),
    ):
        drawn().savefig(IMAGES / f"{name}.png", dpi=110)
    lectures()
    report()


def lectures() -> None:
    """Some pictures of the lectures, each as the plot makes it, in few colours to keep it small."""
    both, points, iris = builtin("overlapping"), builtin("4f10"), builtin("iris")
    data, petals = builtin("separable"), iris.X[:, 2:]
    start = {"starts": [-1.5, -1.5], "fit_intercept": False}
    names = iris.feature_names[2:]
    kesler = Perceptron(keep="average", max_iter=50).fit(petals, iris.y)
    probability = LogisticRegression().fit(both.X, both.y)
    for name, display in (
        ("losses", FunctionDisplay.from_losses()),
        ("hyperplane", HyperplaneDisplay.from_weights([1, 2], -2, point=[-1, -0.5], base=[2, 0])),
        (
            "surface",
            ScoreDisplay.from_estimator(
                probability, both.X, both.y, kind="probability", surface=True
            ),
        ),
        (
            "descent",
            ErrorSurfaceDisplay.from_data(points.X, points.y, eta0=[0.02, 0.2, 0.45], **start),
        ),
        ("steps", StepsDisplay.from_estimator(Perceptron(shuffle=False), data.X, data.y)),
        (
            "gaussians",
            GaussianDisplay.from_estimator(
                LinearDiscriminant().fit(both.X, both.y), both.X, both.y
            ),
        ),
        (
            "no-decision",
            NoDecisionDisplay.from_estimator(
                LeastSquares().fit(petals, iris.y),
                petals,
                iris.y,
                kesler=kesler,
                feature_names=names,
            ),
        ),
        ("xor-network", GateDisplay.from_unit(gates.XOR)),
    ):
        drawn = BytesIO()
        display.figure_.savefig(drawn, dpi=90)
        few_colours = Image.open(drawn).convert("RGB").quantize(160, dither=Image.Dither.NONE)
        few_colours.save(IMAGES / f"{name}.png", optimize=True)


def report() -> None:
    """The report of the command line, at the third pass of its run."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "kennel.html"
        command = ["rosenblatt", "fit", "builtin:kennel", "--rule", "perceptron", "--report", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1180, "height": 1280})
        page.goto(path.as_uri())
        page.locator("input").focus()
        for key in ("Home", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        page.locator("h1").click()
        page.screenshot(path=IMAGES / "report.png")
        browser.close()


def side_by_side(count: int = 2) -> tuple:
    """A figure as wide as a page."""
    return plt.subplots(1, count, figsize=(4.6 * count, 3.6), layout="constrained")


def boundaries() -> plt.Figure:
    """A line, cells of three classes, a projection, a curve."""
    figure, grid = plt.subplots(2, 2, figsize=(9.6, 7.6), layout="constrained")
    line, cells, projected, curve = grid.ravel()
    data, iris, rings = builtin("separable"), builtin("iris"), builtin("rings")
    BoundaryDisplay.from_estimator(LinearSVM().fit(data.X, data.y), data.X, data.y, ax=line)
    petals, names = iris.X[:, 2:], iris.feature_names[2:]
    model = LogisticRegression().fit(petals, iris.y)
    BoundaryDisplay.from_estimator(model, petals, iris.y, feature_names=names, ax=cells)
    X, y = iris.X[50:], iris.y[50:]
    BoundaryDisplay.from_estimator(LinearSVM().fit(X, y), X, y, ax=projected)
    model = KernelPerceptron(kernel="rbf").fit(rings.X, rings.y)
    BoundaryDisplay.from_estimator(model, rings.X, rings.y, ax=curve)
    return figure


def traces() -> plt.Figure:
    """Mistakes of each pass, and a gap that closes."""
    figure, (left, right) = side_by_side()
    kennel, iris = builtin("kennel"), builtin("iris")
    model = Perceptron(shuffle=False).fit(kennel.X, kennel.y)
    TraceDisplay.from_estimator(model, ax=left)
    TraceDisplay.from_estimator(LinearSVM().fit(iris.X, iris.y), ax=right)
    return figure


def margins_and_weights() -> plt.Figure:
    """Which rows are on their side, and by which weights."""
    figure, (left, right) = side_by_side()
    iris = builtin("iris")
    X, y = iris.X[50:], iris.y[50:]
    model = LinearSVM().fit(X, y)
    MarginDisplay.from_estimator(model, X, y, ax=left)
    WeightsDisplay.from_estimator(model, feature_names=iris.feature_names, ax=right)
    return figure


def pictures_of_weights() -> plt.Figure:
    """The units of five letters."""
    letters = builtin("mark-i")
    some = np.isin(letters.y, list("AEIOU"))
    model = Perceptron(keep="average").fit(letters.X[some], letters.y[some])
    return WeightsDisplay.from_estimator(model, image_shape=(20, 20)).figure_


def weight_space() -> plt.Figure:
    """The example of lecture 003: rows as lines, the solutions, the way there."""
    figure, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
    data = builtin("4f10")
    model = Perceptron(shuffle=False, eta0=0.2).fit(data.X, data.y)
    WeightSpaceDisplay.from_estimator(model, data.X, data.y, ax=ax)
    return figure


def proofs() -> plt.Figure:
    """A margin, and a contradiction."""
    figure, (left, right) = side_by_side()
    data, xor = builtin("separable"), builtin("xor")
    SeparabilityDisplay.from_data(data.X, data.y, ax=left)
    SeparabilityDisplay.from_data(xor.X, xor.y, ax=right)
    return figure


def draw_separable(ax) -> None:
    """The perceptron's line beside the one with the largest margin."""
    data = builtin("separable")
    model = Perceptron(shuffle=False).fit(data.X, data.y)
    best = separability(data.X, data.y, maximise=True)
    scatter(ax, data)
    line(ax, model.coef_[0], model.intercept_[0], GREY, "--", "perceptron at its first clean pass")
    line(ax, best.coef, best.intercept, "black", "-", "largest margin")
    ring(ax, data.X[list(best.support)])
    ax.set_title("A line separates the classes", fontsize=12)
    ax.legend(loc="upper right", **LEGEND)


def draw_inseparable(ax) -> None:
    """One label flipped: what its class spans meets what the other spans, and that is the proof."""
    data = builtin("separable")
    flipped = int(np.argmin(np.linalg.norm(data.X - [-2, 1], axis=1)))
    labels = data.y.copy()
    labels[flipped] = -labels[flipped]
    data = replace(data, y=labels)
    proof = separability(data.X, data.y)
    scatter(ax, data, faint=True)
    rows = data.X[list(proof.rows)]
    for label, colour, shape in ((-1, BLUE, "o"), (1, ORANGE, "s")):
        own = rows[data.y[list(proof.rows)] == label]
        ax.plot(*own.T, color=colour, marker=shape, ms=6, lw=2.2)
    ring(ax, rows)
    for row, weight in zip(rows, proof.weights, strict=True):
        away = row - rows.mean(0)
        spot = 16 * away / max(np.linalg.norm(away), 1e-9)
        ax.annotate(
            f"{float(weight):.2f}",
            row,
            spot,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=10,
        )
    ax.set_title("One label flipped: four rows prove that none can", fontsize=12)
    ax.legend(loc="upper left", **LEGEND)


LEGEND = {"frameon": True, "framealpha": 0.9, "fontsize": 9, "edgecolor": "none"}


def scatter(ax, data, *, faint: bool = False) -> None:
    """Draw the rows, each class by its colour and shape."""
    for label, colour, shape in ((-1, BLUE, "o"), (1, ORANGE, "s")):
        rows = data.X[data.y == label]
        alpha = 0.35 if faint else 0.85
        ax.scatter(*rows.T, c=colour, marker=shape, s=22, label=f"class {label:+d}", alpha=alpha)
    low, high = data.X.min(0) - 0.4, data.X.max(0) + np.array([0.4, 2.2])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x₁", ylabel="x₂")


def ring(ax, rows) -> None:
    """Point out some rows."""
    ax.scatter(*rows.T, s=110, facecolors="none", edgecolors="black", zorder=5)


def line(ax, w, b, colour, style, label) -> None:
    """Draw w·x + b = 0."""
    foot = -b * np.asarray(w) / np.dot(w, w)
    ax.axline(foot, foot + np.array([-w[1], w[0]]), color=colour, ls=style, lw=1.8, label=label)


if __name__ == "__main__":
    main()
