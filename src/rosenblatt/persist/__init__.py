"""Model files that contain only data, and exports to other formats."""
