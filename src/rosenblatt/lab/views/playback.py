"""Playback of a run: play, pause, step and scrub; and the effect of the last step."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from bokeh.models import Button, Div, Pane, Row, Slider

from rosenblatt.lab.runs import Moment, Run
from rosenblatt.lab.theme import sentence, vector, weights_of_units
from rosenblatt.lab.views.bindings import on_change

READOUT_HEIGHT = 116  # pixels; fixed, so that the plane above keeps its size


class PlaybackView:
    """Buttons under the plane; `go` is called with the step to show, `play` to start and stop."""

    def __init__(self, go: Callable[[int], None], play: Callable[[], None]) -> None:
        self._go, self._step, self._showing = go, 0, False
        self._run: Run | None = None
        self.play = Button(label="▶", width=52, button_type="primary", css_classes=["lab-play"])
        self.play.on_click(play)
        buttons = [
            _button("|‹", "to-start", lambda: self._to(0)),
            _button("‹", "back", lambda: self.move(-1)),
            self.play,
            _button("›", "step", lambda: self.move(1)),
            _button("›› epoch", "epoch", self.to_next_epoch, width=78),
            _button("›|", "to-end", lambda: self._to(self._n_steps)),
        ]
        self._slider = Slider(
            start=0,
            end=1,
            value=0,
            step=1,
            title=None,
            show_value=False,
            sizing_mode="stretch_width",
            css_classes=["lab-scrub"],
        )
        on_change(self._slider, "value", self._on_slide)
        self._readout = Div(text="", sizing_mode="stretch_width", css_classes=["lab-readout"])
        self.bar = Row(
            children=[*buttons, self._slider], sizing_mode="stretch_width", spacing=6, margin=(6, 0)
        )
        # in a pane, as a change of text in a row or column triggers a layout of the whole page
        size = {"height": f"{READOUT_HEIGHT}px", "overflow-y": "auto"}
        self.readout = Pane(elements=[self._readout], styles=size)

    @property
    def _n_steps(self) -> int:
        return 0 if self._run is None else self._run.n_steps

    def move(self, steps: int) -> None:
        """Go some steps forward, or back."""
        self._to(self._step + steps)

    def to_next_epoch(self) -> None:
        """Go to the end of the next epoch."""
        if self._run is not None:
            done = self._step // self._run.steps_per_epoch
            self._to((done + 1) * self._run.steps_per_epoch)

    def to_last_epoch(self) -> None:
        """Go back to the end of the previous epoch."""
        if self._run is not None:
            begun = -(-self._step // self._run.steps_per_epoch)
            self._to((begun - 1) * self._run.steps_per_epoch)

    def update(
        self, run: Run | None, moment: Moment | None, classes: Sequence[str], caption: str = ""
    ) -> None:
        """Show the step of a run and its effect."""
        self._run, self._step = run, 0 if moment is None else moment.step
        self._showing = True
        self._slider.end = max(1, self._n_steps)
        self._slider.value = self._step
        self._showing = False
        waits = sentence("Training…", "soft") if len(classes) > 1 else ""
        text = waits if run is None or moment is None else _description(run, moment, classes)
        self._readout.text = text + (sentence(caption, "soft") if caption else "")

    def set_playing(self, *, playing: bool) -> None:
        """Show whether the run plays."""
        self.play.label = "❚❚" if playing else "▶"

    def _to(self, step: int) -> None:
        if self._run is not None or step == 0:  # the start is known before the run
            self._go(min(max(step, 0), self._n_steps))

    def _on_slide(self, new: Any) -> None:
        if not self._showing:
            self._to(int(new))


def _button(label: str, name: str, clicked: Callable[[], None], width: int = 42) -> Button:
    button = Button(label=label, width=width, css_classes=[f"lab-{name}"])
    button.on_click(clicked)
    return button


def _description(run: Run, moment: Moment, classes: Sequence[str]) -> str:
    """The step, its effect, and the weights before and after."""
    where = f"Step {moment.step:,} of {run.n_steps:,}"
    if moment.step == 0:
        return f"<p><b>{where}</b> · before the first step</p>{_weights(moment, classes)}"
    if moment.row is None:
        batch = (
            f"{len(moment.update_rows)} mistakes" if moment.update_rows else "all samples at once"
        )
        what = batch if run.n_steps > 1 else "solved at once"
    else:
        outcome = "a mistake" if moment.mistake else "correct"
        change = "w changes" if moment.changed else "w unchanged"
        what = f"epoch {moment.epoch:,}, sample {moment.row + 1:,}: {outcome}, {change}"
    ended = (
        sentence(str(run.model.outcome_).replace("`", ""), "soft")
        if moment.step == run.n_steps
        else ""
    )
    return f"<p><b>{where}</b> · {escape(what)}</p>{_weights(moment, classes)}{ended}"


def _weights(moment: Moment, classes: Sequence[str]) -> str:
    after = weights_of_units(moment.after, classes)
    before = [vector(w) for w in moment.before]
    lines = []
    for (name, now), was in list(zip(after, before, strict=True))[:3]:
        arrow = f"{escape(was)} → " if moment.changed and was != now else ""
        lines.append(f"<p class='w'><i>{escape(name)}</i> = {arrow}<b>{escape(now)}</b></p>")
    more = len(after) - 3
    if more > 0:
        lines.append(f"<p class='soft'>… and {more} more</p>")
    return "".join(lines)
