"""Blocks of transactions on a Ray cluster: made and verified by all of its nodes, as one machine makes and verifies them, and how that
grows with them. ``pip install 'pqlab[cluster]'`` brings Ray, and what reads objects in stores."""

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
