"""One view per file: its Bokeh models, and `update` with what there is to show."""
