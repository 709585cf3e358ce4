"""The controls on the left: data, features and rule."""

from html import escape
from typing import Any, Protocol

from bokeh.models import (
    Button,
    Checkbox,
    Column,
    Div,
    RadioButtonGroup,
    Row,
    Select,
    Spinner,
    TextInput,
)

from rosenblatt import palette
from rosenblatt.datasets import builtin
from rosenblatt.lab.catalogue import LAB_RULES, Number, Setting
from rosenblatt.lab.dataset import File, LabDataset
from rosenblatt.lab.state import BUILT_IN, DRAWN, FEATURES, FILE, PLANE_CLASSES, Setup
from rosenblatt.lab.theme import MESSAGE, WORDS, sentence
from rosenblatt.lab.views.bindings import on_change

WIDTH = 250
HALF = (WIDTH - 8) // 2
FEATURE_LABELS = {
    "none": "original",
    "products": "with products x₁x₂",
    "polynomial": "polynomial",
    "radial": "with the distance to the mean",
}
MARKER_SYMBOLS = {
    "circle": "●",
    "square": "■",
    "triangle": "▲",
    "diamond": "◆",
    "wedge": "▼",
    "cross": "⬢",
    "plus": "◼",
    "star": "★",
}
MAX_CLASSES, MAX_NAME_LENGTH = 8, 18  # of the legend
HOW_TO_DRAW = "Click to draw, drag to move; click a point, then Delete or 1, 2, 3."


class EventHandler(Protocol):
    """The controller of the plane, which is called on every choice."""

    def choose_data(self, name: str) -> None:
        """Choose other data."""

    def choose_target(self, name: str) -> None:
        """Choose another target column of the file."""

    def choose_class(self, mark: int) -> None:
        """Choose the class of new points, and of those selected."""

    def clear_points(self) -> None:
        """Remove all points."""

    def delete_points(self) -> None:
        """Remove the selected points."""

    def choose_scaling(self, on: bool) -> None:  # noqa: FBT001 (Bokeh hands it over)
        """Turn standardisation on or off."""

    def choose_features(self, name: str, degree: int) -> None:
        """Choose another feature map."""

    def choose_rule(self, name: str) -> None:
        """Choose another rule."""

    def choose_setting(self, name: str, value: Any) -> None:
        """Change a setting of the rule."""

    def choose_start(self, text: str) -> None:
        """Choose other initial weights."""


class ControlsView:
    """Widgets for all fields of a set-up."""

    def __init__(self, handler: EventHandler, upload: Button) -> None:
        self._handler, self._showing, self._rule = handler, False, ""
        self._widgets: list[Any] = []
        self._data = Select(
            title="", options=_data_options(), width=WIDTH, css_classes=["lab-data"]
        )
        self._target = Select(title="column to predict", width=WIDTH, css_classes=["lab-target"])
        self.marks = RadioButtonGroup(
            labels=["● 1", "■ 2", "▲ 3"],
            active=0,
            width=WIDTH,
            css_classes=["lab-marks"],
            name="marks",
        )
        clear = Button(label="Clear the plane", width=HALF, css_classes=["lab-clear"])
        delete = Button(label="Delete point", width=HALF, css_classes=["lab-delete"])
        self._edits = Row(children=[clear, delete], spacing=8)
        self._about = Div(text="", width=WIDTH)
        self._scaled = Checkbox(
            label="standardised: mean 0, sd 1", width=WIDTH, css_classes=["lab-scaled"]
        )
        words = [(name, FEATURE_LABELS[name]) for name in FEATURES]
        self._features = Select(
            title="", options=words, width=WIDTH - 76, css_classes=["lab-features"]
        )
        self._degree = Spinner(
            title="", low=2, high=5, step=1, width=68, css_classes=["lab-degree"]
        )
        rules = [(name, lab_rule.label) for name, lab_rule in LAB_RULES.items()]
        self._rules = Select(options=rules, width=WIDTH, css_classes=["lab-rule"])
        self._formula = Div(text="", width=WIDTH)
        self._settings = Column(width=WIDTH, spacing=2)
        self._start = TextInput(
            title="initial weights w, b", placeholder="zero", width=WIDTH, css_classes=["lab-start"]
        )
        self._message = Div(
            text="", width=WIDTH, css_classes=["lab-message"], stylesheets=[WORDS, MESSAGE]
        )
        self._connect(clear, delete)
        self.view = Column(
            children=[
                heading("Data"),
                self._data,
                upload,
                self._target,
                self._about,
                self.marks,
                self._edits,
                heading("Features"),
                self._scaled,
                Row(children=[self._features, self._degree], spacing=8),
                heading("Rule"),
                self._rules,
                self._formula,
                self._settings,
                self._start,
                self._message,
            ],
            width=WIDTH,
            spacing=6,
        )

    def _connect(self, clear: Button, delete: Button) -> None:
        page = self._handler
        clear.on_click(page.clear_points)
        delete.on_click(page.delete_points)
        self._on(self._data, page.choose_data)
        self._on(self._target, page.choose_target)
        self._on(self._rules, page.choose_rule)
        self._on(self._start, page.choose_start)
        self._on(self._features, lambda name: page.choose_features(name, int(self._degree.value)))
        self._on(self._degree, lambda d: page.choose_features(str(self._features.value), int(d)))
        self._on(self._scaled, page.choose_scaling, "active")
        self._on(self.marks, page.choose_class, "active")

    def _on(self, widget: Any, callback: Any, attribute: str = "value") -> None:
        def by_user(new: Any) -> None:
            if not self._showing and new is not None:
                callback(new)

        on_change(widget, attribute, by_user)

    def update(self, setup: Setup, dataset: LabDataset | None, file: File | None) -> None:
        """Show a set-up."""
        self._showing = True
        self._data.options = _data_options(file)
        self._data.value = setup.data
        self._target.visible = file is not None and setup.data == FILE and len(file.columns) > 0
        if file is not None:
            self._target.options, self._target.value = list(file.columns), file.target
        self._scaled.active, self._scaled.visible = setup.scaled, setup.data != DRAWN
        self._features.value, self._degree.value = setup.features, setup.degree
        self._degree.visible = setup.features in {"products", "polynomial"}
        lab_rule = LAB_RULES[setup.rule]
        self._rules.value = setup.rule
        self._formula.text = sentence(lab_rule.update)
        if self._rule != setup.rule:
            self._rule = setup.rule
            self._widgets = [self._widget(setting) for setting in lab_rule.settings]
            pairs = [self._widgets[k : k + 2] for k in range(0, len(self._widgets), 2)]
            self._settings.children = [Row(children=pair, spacing=8) for pair in pairs]
        chosen = dict(setup.settings)
        for widget, setting in zip(self._widgets, lab_rule.settings, strict=True):
            value = chosen.get(setting.name, setting.default)
            widget.value = value if isinstance(setting, Number) else str(value)
        self._start.visible = lab_rule.starts
        self._start.value = ", ".join(f"{number:g}" for number in setup.start)
        self._about.text = _about(dataset)
        self.marks.visible = self._edits.visible = dataset is None or dataset.editable
        self._showing = False

    def wait(self, text: str) -> None:
        """Show what is being done."""
        self._message.text = sentence(text, "soft")

    def say(self, *sentences: str) -> None:
        """Show error messages, or none."""
        self._message.text = "".join(sentence(text) for text in sentences)

    def show_class(self, mark: int) -> None:
        """Show the class of new points."""
        self._showing = True
        self.marks.active = min(mark, PLANE_CLASSES - 1)
        self._showing = False

    def _widget(self, setting: Setting) -> Any:
        page = self._handler
        widget: Any
        if isinstance(setting, Number):
            widget = Spinner(
                title=setting.name,
                low=setting.least,
                high=setting.most,
                step=1 if setting.whole else max(setting.default, 0.01) / 10,
                value=setting.default,
                width=HALF,
                mode="int" if setting.whole else "float",
            )
        else:
            widget = Select(title=setting.name, options=list(setting.words), width=HALF)
        widget.css_classes = [f"lab-{setting.name}"]
        self._on(widget, lambda value: page.choose_setting(setting.name, setting.read(value)))
        return widget


def heading(words: str) -> Div:
    """The heading of a group of controls."""
    return Div(text=f"<h2>{words}</h2>", width=WIDTH)


def _data_options(file: File | None = None) -> list[tuple[str, str]]:
    opened = [] if file is None else [(FILE, file.name)]
    built_in = [(BUILT_IN + name, name) for name in builtin.NAMES]
    return [*opened, (DRAWN, "drawn points"), *built_in]


def _about(dataset: LabDataset | None) -> str:
    if dataset is None:
        return ""
    n, d = dataset.X.shape
    size = f"{n:,} samples, {d:,} features, {len(dataset.classes)} classes."
    return sentence(HOW_TO_DRAW if not n else size, "soft") + _legend(dataset)


def _legend(dataset: LabDataset) -> str:
    """The first few classes with their colours and shapes."""
    entries = [
        f"<span style='color: {palette.colour(mark)}'>{MARKER_SYMBOLS[palette.shape(mark)]}</span> "
        f"{escape(name[:MAX_NAME_LENGTH])}"
        for name, mark in zip(dataset.classes, dataset.marks, strict=True)
    ]
    more = " …" if len(entries) > MAX_CLASSES else ""
    return f"<p class='legend'>{' &ensp;'.join(entries[:MAX_CLASSES])}{more}</p>"
