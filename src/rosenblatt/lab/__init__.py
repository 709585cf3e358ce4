"""The lab: a page on this machine to draw points, train a line, step through it, see the proof."""
