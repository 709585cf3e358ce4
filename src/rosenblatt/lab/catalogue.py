"""The learning rules of the page: their names, settings and steps.

A setting that is not listed has the estimator's own default. Samples are visited in their order, as
in the lectures, so that steps can be followed on paper; or shuffled, always with the same seed.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from rosenblatt.pipeline.fit import estimator_of
from rosenblatt.registry import RULES, Rule, RuleEntry


class Stepping(Enum):
    """What one step of a rule is."""

    SAMPLES = "one sample"
    EPOCHS = "one epoch"
    ONCE = "the whole solution"


class Number(NamedTuple):
    """A numeric setting with its range."""

    name: str
    default: float
    least: float
    most: float
    whole: bool = False

    def read(self, text: str) -> Any:
        """The number in a text; ValueError if it is not one, or out of range."""
        number = int(text) if self.whole else float(text)
        if not self.least <= number <= self.most:
            raise ValueError(f"must be from {self.least:g} to {self.most:g}")
        return number


class Choice(NamedTuple):
    """A setting with some options, the first by default."""

    name: str
    options: tuple[str, ...]

    @property
    def default(self) -> str:
        """The first option."""
        return self.options[0]

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """The options and their labels."""
        return tuple((option, option) for option in self.options)

    def read(self, text: str) -> str:
        """The option; ValueError if it is not one."""
        if text not in self.options:
            raise ValueError(f"must be one of {', '.join(self.options)}")
        return text


class Switch(NamedTuple):
    """A setting that is off by default, and the labels of off and on."""

    name: str
    off: str
    on: str
    default: bool = False

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """The options and their labels."""
        return ("False", self.off), ("True", self.on)

    def read(self, text: str) -> bool:
        """Whether it is on; ValueError if the text is not a truth value."""
        if text not in {"False", "True"}:
            raise ValueError("must be one of False, True")
        return text == "True"


Setting = Number | Choice | Switch

MAX_EPOCHS = 1000
EPOCHS = Number("max_iter", 100, 1, MAX_EPOCHS, whole=True)
STEPS = Number("max_iter", 50, 1, MAX_EPOCHS, whole=True)
KEEP = Choice("keep", ("last", "average", "pocket"))
CLASSES = Choice("multi_class", ("kesler", "ovr"))
ORDER = Switch("shuffle", "in the given order", "reshuffled in every epoch")


def _eta(default: float) -> Number:
    return Number("eta0", default, 1e-6, 1e3)


C_SETTING = Number("C", 1.0, 1e-6, 1e9)
LOSSES = ("logistic", "perceptron", "hinge", "squared_hinge", "square", "tanh")
DECAY = Choice("learning_rate", ("constant", "1/n"))
RATE = Choice("learning_rate", ("constant", "1/n", "normalised"))


@dataclass(frozen=True)
class LabRule:
    """A learning rule on the page."""

    rule: RuleEntry
    settings: tuple[Setting, ...] = ()
    stepping: Stepping = Stepping.SAMPLES
    starts: bool = True  # whether initial weights can be given
    fixed: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name of the rule."""
        return self.rule.title

    @property
    def update(self) -> str:
        """The update as a formula of one line."""
        return self.rule.update

    def setting(self, name: str) -> Setting | None:
        """The setting with a name, if there is one."""
        return next((s for s in self.settings if s.name == name), None)


IN_ORDER = {"shuffle": False}
SEEDED = {"random_state": 0}  # the same shuffle every time
LAB_RULES: dict[str, LabRule] = {
    "perceptron": LabRule(
        RULES["perceptron"],
        (_eta(1.0), EPOCHS, DECAY, KEEP, CLASSES, ORDER),
        fixed=SEEDED,
    ),
    "batch-perceptron": LabRule(
        RULES["batch-perceptron"],
        (_eta(1.0), EPOCHS, CLASSES),
        Stepping.EPOCHS,
        fixed=IN_ORDER,
    ),
    "passive-aggressive": LabRule(
        RULES["passive-aggressive"],
        (C_SETTING, EPOCHS, KEEP, CLASSES, ORDER),
        fixed=SEEDED,
    ),
    "arow": LabRule(
        RULES["arow"],
        (Number("r", 1.0, 1e-6, 1e6), Number("max_iter", 1, 1, 100, whole=True), CLASSES, ORDER),
        fixed=SEEDED,
    ),
    "second-order-perceptron": LabRule(
        RULES["second-order-perceptron"],
        (Number("a", 1.0, 1e-6, 1e6), Number("max_iter", 1, 1, 100, whole=True), CLASSES, ORDER),
        fixed=SEEDED,
    ),
    "lms": LabRule(
        RULES["lms"],
        (_eta(0.01), EPOCHS, RATE, ORDER),
        fixed=SEEDED,
    ),
    "tanh-perceptron": LabRule(
        RULES["tanh-perceptron"],
        (_eta(0.1), EPOCHS, RATE, ORDER),
        fixed=SEEDED,
    ),
    "gradient-descent": LabRule(
        RULES["gradient-descent"],
        (Choice("loss", LOSSES), _eta(0.01), EPOCHS, RATE),
        Stepping.EPOCHS,
        fixed=IN_ORDER,
    ),
    "least-squares": LabRule(
        RULES["least-squares"],
        (Number("alpha", 0.0, 0.0, 1e9),),
        Stepping.ONCE,
        starts=False,
    ),
    "fisher-discriminant": LabRule(
        RULES["fisher-discriminant"],
        (),
        Stepping.ONCE,
        starts=False,
    ),
    "linear-discriminant": LabRule(
        RULES["linear-discriminant"],
        (),
        Stepping.ONCE,
        starts=False,
    ),
    "logistic-regression": LabRule(
        RULES["logistic-regression"],
        (C_SETTING, STEPS),
        Stepping.EPOCHS,
        starts=False,
    ),
    "linear-svm": LabRule(
        RULES["linear-svm"],
        (C_SETTING, Choice("loss", ("hinge", "squared_hinge")), STEPS),
        Stepping.EPOCHS,
        starts=False,
    ),
}


def estimator_for(rule: str, settings: dict[str, Any]) -> Any:
    """An estimator for a rule of the page, with its settings."""
    lab_rule = LAB_RULES[rule]
    defaults = {setting.name: setting.default for setting in lab_rule.settings}
    return estimator_of(Rule(rule), {**defaults, **settings, **lab_rule.fixed})
