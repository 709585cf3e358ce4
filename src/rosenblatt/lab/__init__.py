"""The lab: a local page on which to draw points, train a line, step through it and see the proof."""
