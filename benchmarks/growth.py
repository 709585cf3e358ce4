"""The part of docs/benchmarks.md that reports what benchmarks/scaling.py has measured."""

from collections.abc import Iterator

from scaling import KINDS, LOSSES, Point, exponents

LAST = 3  # sizes: there what a fit costs in any case is no longer seen


def growth(points: list[Point]) -> Iterator[str]:
    """The measured exponents, the picture and the times."""
    everywhere, at_last = exponents(points), exponents(points, last=LAST)
    for kind, what in KINDS.items():
        sizes = sorted({p.size for p in points if p.kind == kind})
        told = " and ".join(
            f"{everywhere[kind, loss]:.2f} for the {loss} loss"
            f" ({at_last[kind, loss]:.2f} over the last {LAST} sizes)"
            for loss in LOSSES
        )
        yield (
            f"From {sizes[0]:,} to {sizes[-1]:,} {what}, the time of a fit to a certified gap of"
            f" 1e-6, with an intercept, grows as their number to the power of {told}."
        )
    yield steeper(points)
    yield "![Time of a fit against rows and against entries of text](images/scaling.png)"
    yield "\n".join(times(points))


def steeper(points: list[Point]) -> str:
    """Why time grows faster than the data where it does."""
    words = [p for p in points if (p.kind, p.loss) == ("text", "hinge")]
    most = max(
        (p for p in points if p.kind == "rows"), key=lambda p: (p.size, p.system / p.seconds)
    )
    share = f"{100 * most.system / most.seconds:.0f} %"
    return (
        f"Text takes more steps as it grows, {words[0].steps:,} to {words[-1].steps:,} for the"
        " hinge; the reason was not examined (rows eventually outnumber words). The largest tables"
        " of numbers take about as many steps as smaller ones, but the operating system spends up"
        f" to {share} of their time on allocating memory: vectors of one number per row are then"
        " too large for the allocator to keep between fits."
    )


def times(points: list[Point]) -> Iterator[str]:
    names = " | ".join(f"{loss}, s | steps | MB above the data" for loss in LOSSES)
    yield f"| size | {names} |"
    yield "|---|" + "---|" * 3 * len(LOSSES)
    found = {(p.kind, p.size, p.loss): p for p in points}
    for kind, size in dict.fromkeys((p.kind, p.size) for p in points):
        cells = [f"{size:,} {KINDS[kind]}"]
        for loss in LOSSES:
            point = found.get((kind, size, loss))
            cells += told(point) if point else ["–"] * 3
        yield f"| {' | '.join(cells)} |"


def told(point: Point) -> list[str]:
    return [f"{point.seconds:.3g}", f"{point.steps:,}", f"{point.megabytes:,.0f}"]
