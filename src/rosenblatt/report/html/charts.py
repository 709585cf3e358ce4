"""Charts of a report, from plain data."""

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from math import log10
from typing import Any

import numpy as np

from rosenblatt import palette
from rosenblatt.geometry.plane import Box
from rosenblatt.report.html.markup import (
    Frame,
    Markup,
    data,
    label_at,
    line,
    markers,
    number,
    tag,
    void,
)
from rosenblatt.types import Array, Floats

MARKER_SIZE = 4.0  # pixels; less where there are many rows
MANY_ROWS = 600
FROM_ZERO = {"mistakes", "error", "loss", "margin"}
MIN_LOG_VALUE = 1e-300  # plotted for a gap of 0


def boundary_chart(plot: dict[str, Any], classes: Sequence[str]) -> Markup:
    """The rows and the decision boundary."""
    frame = Frame(Box(*plot["box"]), height=460)
    codes, points = np.array(plot["codes"]), np.array(plot["points"]).reshape(-1, 2)
    size = MARKER_SIZE if len(points) <= MANY_ROWS else 0.6 * MARKER_SIZE
    cells = [
        tag(
            "polygon", points=frame.points(cell), fill=palette.colour(k), class_="cell", data_cell=k
        )
        for k, cell in enumerate(plot["cells"])
    ]
    rows = [markers(frame, points[codes == k], k, size) for k in range(len(classes))]
    rings = [tag("circle", cx=frame.x(x), cy=frame.y(y), r=9) for x, y in plot["ringed"]]
    across, up = plot["axes"]
    return frame.drawing(
        f"{len(points):,} rows of {len(classes)} classes, and the boundary between them",
        _shade(frame, plot["shade"]),
        tag("g", *cells, class_="pair" if len(cells) == 2 else None),
        *rows,
        tag("g", *rings, class_="ring"),
        tag("path", d=path_of(frame, plot["lines"]), class_="boundary", data_boundary=""),
        frame.axes(across, up, numbers_up=not plot["flat"]),
    )


def _shade(frame: Frame, codes: list[Any] | None) -> Markup:
    """The regions of a curved boundary."""
    if codes is None:
        return Markup()
    left, right, bottom, top = frame.box
    return tag(
        "image",
        href=shading(codes),
        x=frame.x(left),
        y=frame.y(top),
        width=round(frame.x(right) - frame.x(left), 1),
        height=round(frame.y(bottom) - frame.y(top), 1),
        preserveAspectRatio="none",
        data_shade="",
    )


def path_of(frame: Frame, lines: list[Any]) -> str:
    """Polylines as one path."""
    return "".join(f"M{frame.points(each)}" for each in lines)


def replay_controls(plot: dict[str, Any]) -> Markup:
    """A slider over the epochs, and the data it shows; nothing without a replay."""
    frames = plot["frames"]
    if len(frames) < 2:
        return Markup()
    frame = Frame(Box(*plot["box"]), height=460)
    shown = [
        {
            "text": each["text"],
            "cells": [frame.points(cell) for cell in each["cells"]],
            "line": path_of(frame, each["lines"]),
            "shade": None if each["shade"] is None else shading(each["shade"]),
            "weights": [f"{weight:.4g}" for row in each["weights"] for weight in row],
        }
        for each in frames
    ]
    last = len(frames) - 1
    slider = void(
        "input",
        type="range",
        min=0,
        max=last,
        value=last,
        aria_label="Epoch",
        aria_valuetext=frames[-1]["text"],
    )
    button = tag("button", "Play", type="button")
    now = tag("output", frames[-1]["text"], aria_live="polite")
    return tag("div", button, slider, now, class_="replay") + data(shown, "frames")


def curve_chart(data: dict[str, Any], iterations: Sequence[int], *, log: bool) -> Markup:
    """Curves over epochs or steps, with a line at the one that a replay shows."""
    curves = data["curves"]
    heights = [_height(v, log=log) for curve in curves for v in curve["values"]]
    last = max(curve["n_iter"][-1] for curve in curves)
    box = Box.around([[1, min(heights)], [last, max(heights)]], 0.04)
    if data["kind"] in FROM_ZERO:
        box = box._replace(bottom=0.0)
    frame = Frame(box, width=520, height=280, log=log)
    parts = [
        tag(
            "polyline",
            points=frame.points(
                [(p, _height(v, log=log)) for p, v in zip(c["n_iter"], c["values"], strict=True)]
            ),
            stroke=palette.colour(k),
            class_="curve",
        )
        for k, c in enumerate(curves)
    ]
    single = len(curves) == 1
    unit = "step" if data["kind"] in {"gap", "objective"} else "epoch"
    axes = frame.axes(unit, curves[0]["name"] if single else data["kind"], whole=True)
    names = [curve["name"] for curve in curves]
    chart = frame.drawing(f"{names[0]} of each {unit}", *parts, _now(frame, iterations, last), axes)
    return chart if single else chart + legend_of_lines(names)


def _height(value: float, *, log: bool) -> float:
    return log10(max(value, MIN_LOG_VALUE)) if log else float(value)


def _now(frame: Frame, iterations: Sequence[int], last: int) -> Markup:
    """A line at the epoch that a replay shows."""
    if len(iterations) < 2:
        return Markup()
    places = [frame.x(min(p, last)) for p in iterations]
    top, bottom = frame.y(frame.box.top), frame.y(frame.box.bottom)
    x = places[-1]
    return line(x, top, x, bottom, class_="now", data_places=places)


def legend_of_lines(names: Sequence[str]) -> Markup:
    """Colours of curves and their names."""
    items = []
    for k, name in enumerate(names):
        stroke = line(0, 8, 16, 8, stroke=palette.colour(k), stroke_width=3)
        mark = tag("svg", stroke, viewBox="0 0 16 16", class_="symbol", aria_hidden="true")
        items.append(tag("li", mark, " ", name))
    return tag("ul", *items, class_="legend")


def calibration_chart(table: list[dict[str, Any]]) -> Markup:
    """The reliability diagram: accuracy of predictions against their confidence."""
    frame = Frame(Box(0.0, 1.05, 0.0, 1.05), width=460, height=360)
    rows = sum(each["n_rows"] for each in table)
    dots = [
        tag(
            "circle",
            tag(
                "title",
                f"{each['n_rows']:,} rows: confidence {each['confidence']:.1%},"
                f" accuracy {each['accuracy']:.1%}",
            ),
            cx=frame.x(each["confidence"]),
            cy=frame.y(each["accuracy"]),
            r=round(4 + 14 * (each["n_rows"] / rows) ** 0.5, 1),
            fill=palette.colour(0),
            class_="rows",
        )
        for each in table
    ]
    ends = [frame.x(0), frame.y(0), frame.x(1), frame.y(1)]
    return frame.drawing(
        "Accuracy of predictions against their confidence",
        line(*ends, class_="diagonal"),
        *dots,
        frame.axes("confidence", "accuracy"),
    )


def weights_chart(weights: dict[str, float], most: int = 15) -> Markup:
    """The largest weights of one output as bars."""
    *features, intercept = weights
    shown = [*features[:most], intercept]
    largest = max(abs(weights[name]) for name in shown) or 1.0
    height, middle, reach = 24, 370, 150  # of a bar; where bars begin; how long they can be
    parts = []
    for k, name in enumerate(shown):
        value, top = weights[name], 6 + k * height
        length = round(reach * abs(value) / largest, 1)
        colour = palette.POSITIVE if value > 0 else palette.NEGATIVE
        left = middle if value > 0 else middle - length
        parts += [
            label_at(205, top + 14, _short(name), "end"),
            tag("rect", x=left, y=top, width=length, height=height - 6, fill=colour),
            label_at(610, top + 14, number(float(f"{value:.4g}")), "end"),
        ]
    frame = Frame(Box(0, 1, 0, 1), width=620, height=12 + height * len(shown))
    parts.append(line(middle, 2, middle, frame.height - 4, stroke=palette.INK))
    return frame.drawing("The largest weights by name", *parts)


def _short(name: str, most: int = 30) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def weight_pictures(plot: dict[str, Any], units: Sequence[str]) -> Markup:
    """The weights of each output as an image."""
    W = np.array(plot["units"])
    shape = (plot["side"], plot["side"])
    largest = float(np.abs(W).max())
    figures = (
        tag(
            "figure",
            picture(w.reshape(shape), largest, f"Weights for {unit} as an image"),
            tag("figcaption", f"for {unit}"),
        )
        for unit, w in zip(units, W, strict=True)
    )
    return tag("div", *figures, class_="pictures")


REGION_OPACITY = 0.13  # of the colour of a class


def picture(matrix: Floats, largest: float, title: str) -> Markup:
    """An image of weights: blue below 0, white at 0, orange above, full at ± the largest."""
    share = np.clip(matrix / (largest or 1.0), -1, 1)[..., None]
    white, below, above = map(_rgb, (palette.NEUTRAL, palette.NEGATIVE, palette.POSITIVE))
    ends = np.where(share < 0, below, above)
    pixels = np.rint(white + np.abs(share) * (ends - white)).astype(np.uint8)
    return void("img", src=_data_url(pixels), alt=title, class_="pixels")


def shading(codes: Any) -> str:
    """Class regions as a pale image, the lowest row first, in a data URL."""
    shown = np.asarray(codes, dtype=int)[::-1]
    colours = np.array([_rgb(palette.colour(k)) for k in range(shown.max() + 1)])
    white = _rgb(palette.NEUTRAL)
    return _data_url(np.rint(white + REGION_OPACITY * (colours[shown] - white)).astype(np.uint8))


def _data_url(pixels: Array) -> str:
    return f"data:image/png;base64,{b64encode(_png(pixels)).decode()}"


def _rgb(colour: str) -> Floats:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=float)


def _png(pixels: Array) -> bytes:
    """Rows of red, green and blue as a PNG file."""
    height, width, _ = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"".join(b"\0" + row.tobytes() for row in pixels)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(body, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(kind, content) for kind, content in parts)


def _part(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check
