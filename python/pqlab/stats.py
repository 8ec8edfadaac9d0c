"""Statistics of samples, as in pqlab's own reports.

Samples are lists or other sequences of numbers, NumPy arrays, or columns of Polars or pandas. Results have the unit
of the samples. Invalid samples or arguments raise :class:`pqlab.InvalidArgument`; objects that are not samples raise
``TypeError``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pqlab import _pqlab
from pqlab._errors import InvalidArgument

__all__ = [
    "Description",
    "Interval",
    "Samples",
    "Stability",
    "ThroughputCurve",
    "ThroughputPoint",
    "WelchTest",
    "bootstrap_ci",
    "cohens_d",
    "cov_stability_report",
    "describe_samples",
    "file_report",
    "latex_table",
    "throughput_curve",
    "welch_t_test",
]


@runtime_checkable
class Array(Protocol):
    """An object with a buffer of doubles, or that makes one: NumPy arrays, Polars columns."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> object: ...


Samples = Sequence[float] | Array
"""A sequence, array or column of numbers."""


class Interval(NamedTuple):
    """A median with its bootstrap interval."""

    low: float
    """Low end of the interval."""
    median: float
    """Median of the samples."""
    high: float
    """High end of the interval."""


@dataclass(frozen=True)
class WelchTest:
    """Welch's t-test of two sets of samples."""

    t: float
    """Test statistic, positive if the first mean is larger."""
    df: float
    """Degrees of freedom (Welch and Satterthwaite)."""
    p_value: float
    """Two-sided p-value."""
    significant: bool
    """Whether the p-value is below ``alpha``."""
    overhead_pct: float
    """Excess of the second mean over the first, in percent of the first."""


@dataclass(frozen=True)
class ThroughputPoint:
    """Throughput at one level of concurrency."""

    concurrency: int
    """Threads, or tasks in flight."""
    ops_per_sec: float
    """Operations per second."""
    speedup: float
    """Rate divided by that of the smallest concurrency."""
    efficiency: float
    """Speedup divided by the growth of the concurrency: 1 for perfect scaling."""
    loss_from_peak_pct: float
    """Difference to the peak rate, in percent of the peak."""
    loss_from_smallest_pct: float
    """Difference to the rate of the smallest concurrency, in percent of that rate; negative for a gain."""


@dataclass(frozen=True)
class ThroughputCurve:
    """Throughput by concurrency."""

    points: tuple[ThroughputPoint, ...]
    """Points in ascending order of concurrency."""
    peak: ThroughputPoint
    """Point with the highest rate; on a tie, the smallest concurrency."""


@dataclass(frozen=True)
class Stability:
    """Coefficient of variation of one operation, compared with a threshold."""

    name: str
    """Name of the operation."""
    cov_pct: float | None
    """Coefficient of variation in percent; ``None`` for a single sample or a mean of zero."""
    unstable: bool
    """Whether the coefficient exceeds the threshold."""


@dataclass(frozen=True)
class Description:
    """Summary of samples. Quantiles interpolate linearly between order statistics, as in NumPy."""

    n: int
    """Number of samples."""
    mean: float
    """Arithmetic mean."""
    stdev: float | None
    """Sample standard deviation; ``None`` for a single sample."""
    cov_pct: float | None
    """Coefficient of variation in percent; ``None`` for a single sample or a mean of zero."""
    min: float
    """Smallest sample."""
    p5: float
    """5% quantile."""
    p25: float
    """25% quantile."""
    median: float
    """Median."""
    p75: float
    """75% quantile."""
    p95: float
    """95% quantile."""
    p99: float
    """99% quantile."""
    max: float
    """Largest sample."""
    iqm: float
    """Interquartile mean."""
    mad: float
    """Median absolute deviation, unscaled."""


def bootstrap_ci(
    samples: Samples, confidence: float = 0.95, n_resamples: int = 2000, seed: int = 42
) -> Interval:
    """Computes the percentile bootstrap interval of the median.

    :param samples: The samples.
    :param confidence: Confidence level between 0 and 1 (default 0.95).
    :param n_resamples: Number of resamples (default 2000).
    :param seed: Seed of the resampling. The same seed gives the same interval (default 42).
    :return: The low end, the median and the high end.
    """
    return Interval(*_pqlab.stats_bootstrap_ci(samples, confidence, n_resamples, seed))


def welch_t_test(a: Samples, b: Samples, alpha: float = 0.05) -> WelchTest:
    """Tests whether two sets of independent samples have the same mean. Their variances may differ.

    :param a: The first samples, at least two.
    :param b: The second samples, at least two.
    :param alpha: Significance level between 0 and 1 (default 0.05).
    :return: The test statistic, its p-value, and the overhead of the second mean.
    """
    return WelchTest(*_pqlab.stats_welch_t_test(a, b, alpha))


def cohens_d(a: Samples, b: Samples) -> float:
    """Returns the difference of the means, second minus first, in pooled standard deviations."""
    return _pqlab.stats_cohens_d(a, b)


def throughput_curve(points: Iterable[tuple[int, int, float]]) -> ThroughputCurve:
    """Computes the throughput of several loads.

    Each point is a concurrency, a number of finished operations, and the elapsed seconds.

    :return: The points and the peak.
    """
    loads = list(points)
    if any(len(load) != 3 for load in loads):
        raise InvalidArgument("points: each needs a concurrency, a number of operations, and seconds")
    found, peak = _pqlab.stats_throughput_curve(loads)
    curve = tuple(ThroughputPoint(*point) for point in found)
    return ThroughputCurve(curve, curve[peak])


def cov_stability_report(results: Mapping[str, Samples], threshold: float = 5.0) -> list[Stability]:
    """Returns the coefficient of variation of each operation's samples, the most variable first.

    Operations above ``threshold`` percent (default 5) are marked. The coefficient measures spread and does not show
    leaks: signing by rejection sampling exceeds any threshold and leaks nothing.
    """
    return [Stability(*row) for row in _pqlab.stats_cov_stability_report(list(results.items()), threshold)]


def describe_samples(samples: Samples) -> Description:
    """Returns the number, mean, spread and quantiles of samples."""
    n, fields = _pqlab.stats_describe_samples(samples)
    found = dict(fields)

    def sure(name: str) -> float:
        value = found[name]
        if value is None:
            raise InvalidArgument(f"samples: no {name}")
        return value

    return Description(
        n=n,
        mean=sure("mean"),
        stdev=found["stdev"],
        cov_pct=found["cov_pct"],
        min=sure("min"),
        p5=sure("p5"),
        p25=sure("p25"),
        median=sure("median"),
        p75=sure("p75"),
        p95=sure("p95"),
        p99=sure("p99"),
        max=sure("max"),
        iqm=sure("iqm"),
        mad=sure("mad"),
    )


def file_report(
    file: str | os.PathLike[str],
    other: str | os.PathLike[str] | None = None,
    *,
    column: str | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 1,
    limit: float = 5.0,
) -> dict[str, Any]:
    """Describes a file of samples, or compares a second file with it. Figures have the unit of the file.

    :param file: File in CSV or JSON, or a result of hyperfine, Google Benchmark or pyperf.
    :param other: File to compare with the first one (default none).
    :param column: Name of the only series to read (default all).
    :param confidence: Confidence level of the intervals, between 0 and 1 (default 0.95).
    :param resamples: Bootstrap resamples (default 10,000).
    :param seed: Seed of the bootstrap (default 1).
    :param limit: Coefficient of variation in percent above which a series is marked unstable (default 5).
    :return: The document of ``pqlab stats --json``.
    :raises pqlab.StoreError: A file cannot be read.
    """
    found: dict[str, Any] = json.loads(
        _pqlab.stats_files(file, other, column, confidence, resamples, seed, limit)
    )
    return found


def latex_table(rows: Iterable[Iterable[object]], columns: Sequence[str], caption: str = "", label: str = "") -> str:
    """Returns a LaTeX table in the style of ``booktabs``. All cells are escaped as plain text.

    :param rows: The rows, each a list of cells.
    :param columns: Headings of the columns. The first column is left-aligned, all others right-aligned.
    :param caption: Caption (default none).
    :param label: Label (default none).
    """
    cells = [[str(cell) for cell in row] for row in rows]
    return _pqlab.stats_latex_table(cells, list(columns), caption, label)
