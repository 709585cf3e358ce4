"""Matrices as small pictures within the page."""

import struct
import zlib
from base64 import b64encode
from typing import Any

import numpy as np

from rosenblatt import palette
from rosenblatt.report.html.markup import Markup, void
from rosenblatt.types import Array, Floats

PALE = 0.13  # how much of a class's colour its side has


def picture(matrix: Floats, largest: float, title: str) -> Markup:
    """Weights as pixels: blue below 0, white at 0, orange above, full at ± the largest."""
    share = np.clip(matrix / (largest or 1.0), -1, 1)[..., None]
    white, below, above = map(_rgb, (palette.NEUTRAL, palette.NEGATIVE, palette.POSITIVE))
    ends = np.where(share < 0, below, above)
    pixels = np.rint(white + np.abs(share) * (ends - white)).astype(np.uint8)
    return void("img", src=_address(pixels), alt=title, class_="pixels")


def shading(codes: Any) -> str:
    """Classes as pale pixels, the lowest row first: an address that holds the picture itself."""
    decided = np.asarray(codes, dtype=int)[::-1]
    colours = np.array([_rgb(palette.colour(k)) for k in range(decided.max() + 1)])
    white = _rgb(palette.NEUTRAL)
    return _address(np.rint(white + PALE * (colours[decided] - white)).astype(np.uint8))


def _address(pixels: Array) -> str:
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
