"""The scenes: the worked examples and animated figures of the lectures, one row each.

`data` is a built-in name, or points of the plane as (x, y, class) with classes from 0. `features`
are mapped features: products, polynomial of a degree, or the squared distance to the mean. `start`
holds initial weights, then the intercept. `step` is the step to show, None for the end. `view` is
the picture: the plane, the space of weights, or the proof.
"""

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlencode

from rosenblatt.errors import ParameterError

XOR = "0110"  # its truth table
PointOfClass = tuple[float, float, int]


@dataclass(frozen=True)
class SceneRow:
    """A scene as data."""

    name: str
    title: str
    caption: str
    data: str | tuple[PointOfClass, ...]
    rule: str
    parameters: dict[str, Any] = field(default_factory=dict)
    features: str = "none"
    degree: int = 2
    start: tuple[float, ...] = ()
    step: int | None = None
    view: str = "plane"

    @property
    def lecture(self) -> str:
        """The number of the lecture."""
        return self.name.partition("-")[0]

    @property
    def query(self) -> str:
        """The query of the lab's address that opens the scene."""
        if self.view == "gates":
            return urlencode({"tab": "gates", "table": XOR})
        if self.view == "mark-i":
            return urlencode({"tab": "mark-i", "machine": self.rule, "alphabet": "letters"})
        fields: dict[str, Any] = {"data": self.data, "rule": self.rule}
        if not isinstance(self.data, str):
            fields["data"] = "drawn"
            fields["points"] = "~".join(f"{x:g}_{y:g}_{label}" for x, y, label in self.data)
        if self.view != "plane":
            fields["view"] = self.view
        if self.features != "none":
            fields |= {"features": self.features, "degree": self.degree}
        if self.start:
            fields["start"] = "_".join(f"{w:g}" for w in self.start)
        if self.step is not None:
            fields["step"] = self.step
        return urlencode(fields | {f"{self.rule}.{k}": v for k, v in self.parameters.items()})


IN_ORDER = {"shuffle": False}
TWO_UPDATES: tuple[PointOfClass, ...] = ((1, 1, 0), (2, 1, 1))
THREE_CLASSES: tuple[PointOfClass, ...] = (
    *((0.0, 0.0, 0), (1.0, 0.5, 0), (0.5, 1.0, 0), (0.0, 1.5, 0)),
    *((4.0, 0.0, 1), (4.5, 1.0, 1), (3.5, 0.5, 1), (5.0, 0.5, 1)),
    *((2.0, 4.0, 2), (2.5, 3.5, 2), (1.5, 4.5, 2), (3.0, 4.5, 2)),
)

_ROWS = (
    SceneRow(
        "000-or",
        "The perceptron learns OR",
        "Four points, one of them negative. Every mistake adds y x to w; after the last one, the"
        " line cuts off the corner (0, 0).",
        "builtin:or",
        "perceptron",
        IN_ORDER,
        step=0,
    ),
    SceneRow(
        "000-xor",
        "No line computes XOR",
        "The segments between the points of each class cross. If a line separated the classes, the"
        " crossing point would lie on both sides of it.",
        "builtin:xor",
        "perceptron",
        {**IN_ORDER, "max_iter": 10},
        view="proof",
    ),
    SceneRow(
        "000-xor-products",
        "XOR with the product as a third feature",
        "Φ(u, v) = (u, v, u v) makes the classes separable; in the plane, the boundary is a curve.",
        "builtin:xor",
        "perceptron",
        IN_ORDER,
        features="products",
    ),
    SceneRow(
        "000-theorem",
        "The convergence theorem",
        "All rows lie in a ball of radius R, and a plane separates them with margin γ. So there are"
        " at most (R / γ)² mistakes: 4 R² / γ² if γ is the width between the classes.",
        "builtin:separable",
        "perceptron",
        IN_ORDER,
        view="weights",
    ),
    SceneRow(
        "000-svm",
        "The support vector machine",
        "Of all lines that separate the classes, this one is farthest from both. Only the support"
        " vectors, on the dashed lines, determine where it is.",
        "builtin:separable",
        "linear-svm",
        {"C": 100.0},
    ),
    SceneRow(
        "000-lda",
        "Linear discriminant analysis",
        "Two Gaussians with the same covariance: their log density ratio is linear, and the"
        " posterior is σ(w·x + b).",
        "builtin:overlapping",
        "linear-discriminant",
    ),
    SceneRow(
        "000-logistic",
        "Logistic regression",
        "The same model as in linear discriminant analysis, but w and b maximise the probability"
        " of the labels, with no assumption about the densities.",
        "builtin:overlapping",
        "logistic-regression",
    ),
    SceneRow(
        "000-radial",
        "A radial feature",
        "One ring inside another: the squared distance to the centre separates them.",
        "builtin:rings",
        "perceptron",
        IN_ORDER,
        features="radial",
    ),
    SceneRow(
        "001-and",
        "Weights for AND",
        "The exercise: find weights that classify these four points correctly. Step through the"
        " perceptron's path to (3, 2) and −4.",
        "builtin:and",
        "perceptron",
        IN_ORDER,
        step=0,
    ),
    SceneRow(
        "001-example",
        "Two updates by hand",
        "η = 0.1, w = (0.2, 0), w₀ = −0.1. The point (1, 1) of class −1 is on the wrong side:"
        " w = (0.1, −0.1), w₀ = −0.2. Then (2, 1) of class +1: w = (0.3, 0), w₀ = −0.1.",
        TWO_UPDATES,
        "perceptron",
        {**IN_ORDER, "eta0": 0.1},
        start=(0.2, 0.0, -0.1),
        step=0,
    ),
    SceneRow(
        "002-perceptron",
        "The perceptron rule on separable data",
        "If a sample is misclassified, the line moves towards classifying it correctly. It stops as"
        " soon as no sample is misclassified, so it often ends close to one.",
        "builtin:separable",
        "perceptron",
        IN_ORDER,
        step=0,
    ),
    SceneRow(
        "002-overlapping",
        "The perceptron rule on overlapping classes",
        "No line is correct on all rows, so the updates never end. The proof shows rows that"
        " contradict each other.",
        "builtin:overlapping",
        "perceptron",
        {**IN_ORDER, "max_iter": 20},
        view="proof",
    ),
    SceneRow(
        "002-lms",
        "Least mean squares",
        "Every sample moves w by its error times x, whether it is misclassified or not. The loss"
        " settles even if the classes overlap.",
        "builtin:overlapping",
        "lms",
        {**IN_ORDER, "eta0": 0.01},
        step=0,
    ),
    SceneRow(
        "002-lms-diverges",
        "A step size that is too large",
        "With η = 1, each correction is larger than the error that it corrects, and the weights"
        " grow.",
        "builtin:overlapping",
        "lms",
        {**IN_ORDER, "eta0": 1.0, "max_iter": 2},
    ),
    SceneRow(
        "002-tanh-separable",
        "The tanh unit on separable data",
        "The output tanh(w·x + b) is soft; the squared error has a gradient everywhere.",
        "builtin:separable",
        "tanh-perceptron",
        {**IN_ORDER, "eta0": 0.1},
    ),
    SceneRow(
        "002-tanh-overlapping",
        "The tanh unit on overlapping classes",
        "Rows far on the wrong side hardly move w, because tanh is flat there. It settles where the"
        " perceptron does not.",
        "builtin:overlapping",
        "tanh-perceptron",
        {**IN_ORDER, "eta0": 0.1},
    ),
    SceneRow(
        "002-mark-i",
        "The Mark I reads letters",
        "Rosenblatt's machine had a camera of 20 × 20 photocells. The 400 weights of each letter"
        " can be shown as an image.",
        "builtin:mark-i",
        "perceptron",
        {**IN_ORDER, "max_iter": 100},
        view="mark-i",
    ),
    SceneRow(
        "003-batch",
        "The batch perceptron",
        "With w = (0, 1), b = −0.5, four of eight points are misclassified. One step adds all four:"
        " w = (1.45, −0.6), b = −0.5 classifies all points correctly.",
        "builtin:4f10",
        "batch-perceptron",
        start=(0.0, 1.0, -0.5),
        step=0,
    ),
    SceneRow(
        "003-solutions",
        "The region of solutions",
        "In weight space, every sample is a line. The weights that classify all rows correctly form"
        " a cone; training ends when it enters the cone.",
        "builtin:4f10",
        "perceptron",
        IN_ORDER,
        view="weights",
    ),
    SceneRow(
        "003-logistic",
        "Logistic regression on the eight points",
        "The gradient is Σ (y − p) x: every row counts, most of all those on the wrong side or"
        " close to the line.",
        "builtin:4f10",
        "logistic-regression",
    ),
    SceneRow(
        "003-fisher",
        "Fisher's discriminant",
        "Means (0.825, 0.5) and (0.1375, 0.6), scatter S, w = S⁻¹ (m₁ − m₂) = (3.3878, −0.1626):"
        " the projection with the largest distance between the means, relative to the scatter.",
        "builtin:4f10",
        "fisher-discriminant",
    ),
    SceneRow(
        "003-kesler",
        "Kesler's construct",
        "Three classes, three score functions, and K − 1 inequalities per row: one perceptron with"
        " K (d + 1) weights. Every point of the plane is assigned to one class.",
        THREE_CLASSES,
        "perceptron",
        {**IN_ORDER, "multi_class": "kesler"},
        step=0,
    ),
    SceneRow(
        "003-one-vs-rest",
        "One-vs-rest",
        "Three lines, each between one class and all others. Some points are on the positive side"
        " of none of them, others of two.",
        THREE_CLASSES,
        "perceptron",
        {**IN_ORDER, "multi_class": "ovr"},
    ),
    SceneRow(
        "003-xor-network",
        "XOR = AND(OR, NAND)",
        "Two units draw two lines, and a third unit combines them.",
        "builtin:xor",
        "threshold-network",
        view="gates",
    ),
    SceneRow(
        "004-given-line",
        "A given rule",
        "Somebody guesses: a dog if 0.5 × times it comes + 0.5 × pounds is above 20. The perceptron"
        " finds nothing to correct.",
        "builtin:kennel",
        "perceptron",
        IN_ORDER,
        start=(0.5, 0.5, -20.0),
        step=0,
    ),
    SceneRow(
        "004-dogs-and-cats",
        "Dogs and cats",
        "From w = (1, 0), b = −20: the Presa Canario (1, 100) is a dog, so (2, 100), −19. The"
        " Maltese (40, 10) is classified correctly. The Maine Coon (0, 20) is a cat, so (2, 80),"
        " −20.",
        "builtin:dogs-vs-cats",
        "perceptron",
        {**IN_ORDER, "max_iter": 1000},
        start=(1.0, 0.0, -20.0),
        step=0,
    ),
    SceneRow(
        "004-decaying-rate",
        "A step size that decays",
        "With η = 1/n, the last rows hardly move the line, even if the classes overlap.",
        "builtin:overlapping",
        "perceptron",
        {**IN_ORDER, "learning_rate": "1/n", "max_iter": 50},
    ),
    SceneRow(
        "004-cells",
        "Several classes, one cell each",
        "The class with the largest score is predicted. Its cell is convex, as in a Voronoi"
        " diagram.",
        THREE_CLASSES,
        "perceptron",
        {**IN_ORDER, "multi_class": "kesler"},
    ),
    SceneRow(
        "004-xor",
        "XOR again",
        "A line can compute OR and AND, but not XOR.",
        "builtin:xor",
        "perceptron",
        {**IN_ORDER, "max_iter": 10},
        view="proof",
    ),
)

SCENES: dict[str, SceneRow] = {row.name: row for row in _ROWS}


def scene_names(lecture: str | None = None) -> tuple[str, ...]:
    """Names of the scenes, of one lecture such as "003" or of all."""
    lectures = sorted({row.lecture for row in SCENES.values()})
    if lecture is not None and lecture not in lectures:
        raise ParameterError(
            f"There is no lecture {lecture!r}; the lectures are {', '.join(lectures)}."
        )
    return tuple(name for name, row in SCENES.items() if lecture in {None, row.lecture})


def scene_row(name: str) -> SceneRow:
    """The scene with a name."""
    if name in SCENES:
        return SCENES[name]
    near = get_close_matches(str(name), SCENES, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(f"There is no scene {name!r}.{hint} The scenes are {', '.join(SCENES)}.")
