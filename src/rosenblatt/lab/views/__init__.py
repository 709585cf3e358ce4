"""One view a file: its Bokeh models, and `update` with what there is to show."""
