"""The figures that scripts/reliability measures, one module each, and shared code.

A figure is a module with a description `FIGURE` and a function `measure(task)` that returns rows. `FIGURES` in
scripts/reliability lists all figures. `common` defines tasks and rows, `program` runs the program under test, `web`
contains socket clients, and `record` writes the record and the page.
"""
