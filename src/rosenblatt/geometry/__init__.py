"""What there is to draw, as numbers: lines, regions, planes. Nothing here draws."""
