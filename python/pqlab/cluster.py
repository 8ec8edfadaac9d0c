"""Ledger blocks on a Ray cluster. All nodes generate or verify a block together, with the same result as one machine.

:func:`measure_scaling` measures how verification scales with the number of nodes. ``pip install 'pqlab[cluster]'``
installs Ray and the client for object stores.
"""

from __future__ import annotations

from pqlab._making import Made, generate_block
from pqlab._scaling import Estimate, Measurement, Scaling, measure_scaling, scaling_table
from pqlab._verifying import ClusterReport, verify_block

__all__ = [
    "ClusterReport",
    "Estimate",
    "Made",
    "Measurement",
    "Scaling",
    "generate_block",
    "measure_scaling",
    "scaling_table",
    "verify_block",
]
