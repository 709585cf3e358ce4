"""One file a panel: its Bokeh models, and `update` with what there is to show."""
