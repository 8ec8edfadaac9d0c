"""What scripts/reliability measures: one file a figure, and what they share.

A figure is a module with a `FIGURE` and a function `measure(task)` that hands back its rows; it stands in `FIGURES` of
scripts/reliability. `common` has what a figure hands back, `program` the program under test, `web` clients over sockets, `record`
the record and its page.
"""
