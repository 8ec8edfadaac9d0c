"""Figures of scripts/reliability, one file each, and their shared code.

A figure is a module with a `FIGURE` and a function `measure(task)` that returns its rows. It is listed in `FIGURES` of
scripts/reliability. `common` defines what figures return, `program` runs the program under test, `web` has clients over
sockets, and `record` writes the record and its page.
"""
