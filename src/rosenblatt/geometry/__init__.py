"""What plots show, as numbers: lines, polygons, projections. Nothing here draws."""
