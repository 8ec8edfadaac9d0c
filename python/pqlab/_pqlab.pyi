"""The compiled part of pqlab. Use what the package :mod:`pqlab` offers instead."""

__version__: str
