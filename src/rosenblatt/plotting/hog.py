"""Plot of the histograms of oriented gradients of an image."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.estimators.base import clone_with
from rosenblatt.features.transformers.images import HOG
from rosenblatt.geometry.shapes import edge_segments
from rosenblatt.plotting import canvas
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FADED = 0.45  # opacity of the image below the glyphs


class HOGDisplay:
    """An image and the edges that HOG finds in it: in each cell a line for each orientation.

    A line lies along the edges of its orientation; its length is the value in the histogram of the
    cell, the mean over the blocks that the cell belongs to.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        The image.
    histograms : ndarray of shape (cells_down, cells_across, n_bins)
        The histogram of each cell.
    segments : ndarray of shape (n_cells, n_bins, 2, 2)
        The ends of the lines, in pixels.
    cell : tuple of int
        Height and width of a cell.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    An image that is dark on the left has one edge, which is vertical.

    >>> import numpy as np
    >>> from rosenblatt.plotting import HOGDisplay
    >>> image = np.zeros((32, 32))
    >>> image[:, 16:] = 1.0
    >>> display = HOGDisplay.from_image(image)
    >>> display.histograms.shape, int(display.histograms[0, 1].argmax())
    ((4, 4, 9), 0)
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self, *, image: Floats, histograms: Floats, segments: Floats, cell: tuple[int, int]
    ) -> None:
        self.image, self.histograms, self.segments, self.cell = image, histograms, segments, cell

    @classmethod
    def from_image(cls, image: Any, *, hog: HOG | None = None, ax: "Axes | None" = None) -> Self:
        """Compute and draw the histograms of an image.

        Parameters
        ----------
        image : array-like of shape (height, width), or flat with a `hog` that knows its shape
            The pixels.
        hog : HOG, optional
            The transformer, fitted or not; by default `HOG` with cells of 8 × 8 pixels.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        HOGDisplay
        """
        pixels = np.asarray(image, dtype=float)
        if pixels.ndim == 2 and 1 not in pixels.shape:
            shape: Any = pixels.shape
        elif hog is not None and pixels.ndim:
            shape = hog.image_shape
        else:
            raise DataError(
                f"image must have rows and columns of pixels, or be flat with hog=HOG(image_shape);"
                f" got shape {pixels.shape}."
            )
        known = HOG() if hog is None else hog
        if known.image_shape not in (None, shape) and tuple(known.image_shape) != tuple(shape):
            raise DataError(f"hog is for images of {known.image_shape}; this one has {shape}.")
        row = pixels.reshape(1, -1)
        fitted = clone_with(known, image_shape=shape).fit(row)
        found = fitted.map_
        histograms = found.cell_histograms(fitted.transform(row)[0])
        return cls(
            image=pixels.reshape(found.image),
            histograms=histograms,
            segments=edge_segments(histograms, found.bin_angles(), found.cell),
            cell=found.cell,
        ).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        HOGDisplay
        """
        ax = canvas.axes(ax, (5.2, 5.2))
        ax.imshow(self.image, cmap="gray", alpha=FADED)
        height, width = self.image.shape
        for k in range(1, self.histograms.shape[0]):
            ax.axhline(k * self.cell[0] - 0.5, color=palette.PALE, lw=0.6)
        for k in range(1, self.histograms.shape[1]):
            ax.axvline(k * self.cell[1] - 0.5, color=palette.PALE, lw=0.6)
        lines = self.segments.reshape(-1, 2, 2)
        lines = lines[np.ptp(lines, axis=1).any(axis=1)]
        broken = np.full((len(lines), 3, 2), np.nan)  # so that one call draws them all
        broken[:, :2] = lines
        ax.plot(*broken.reshape(-1, 2).T, color=palette.POSITIVE, lw=1.6, label="edges")
        ax.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), xticks=[], yticks=[])
        canvas.note(
            ax,
            f"{self.histograms.shape[2]} orientations in cells of"
            f" {self.cell[0]} × {self.cell[1]} pixels",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self
