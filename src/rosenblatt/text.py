"""Words joined to text: the one place that puts commas between them."""

from collections.abc import Iterable, Sequence


def listed(items: Iterable[object], most: int | None = None) -> str:
    """Items with commas between them, at most so many, and how many more there are."""
    words = [str(item) for item in items]
    if most is None or len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])}, … ({len(words) - most:,} more)"


def listed_with_and(items: Sequence[str]) -> str:
    """Items with commas between them, and "and" before the last."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
