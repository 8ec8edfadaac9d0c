"""Statistics of samples, computed as in pqlab's reports.

Samples are lists or other sequences of numbers, NumPy arrays, or Polars or pandas columns. Results have the same unit
as the samples. Invalid samples or arguments raise :class:`pqlab.InvalidArgument`. Objects that are not samples raise
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
    """An array or column of numbers, such as a NumPy array or a Polars column."""

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
    """Increase from the first mean to the second, as a percentage of the first."""


@dataclass(frozen=True)
class ThroughputPoint:
    """Throughput at one level of concurrency."""

    concurrency: int
    """Number of threads, or of tasks in progress at the same time."""
    ops_per_sec: float
    """Operations per second."""
    speedup: float
    """Throughput divided by the throughput at the smallest concurrency."""
    efficiency: float
    """Speedup divided by the growth in concurrency. 1 means perfect scaling."""
    loss_from_peak_pct: float
    """Loss of throughput from the peak, as a percentage of the peak."""
    loss_from_smallest_pct: float
    """Loss of throughput from the smallest concurrency, in percent. Negative for a gain."""


@dataclass(frozen=True)
class ThroughputCurve:
    """Throughput at several levels of concurrency."""

    points: tuple[ThroughputPoint, ...]
    """Points in ascending order of concurrency."""
    peak: ThroughputPoint
    """Point with the highest throughput. If several points tie, the one with the smallest concurrency."""


@dataclass(frozen=True)
class Stability:
    """Coefficient of variation of one operation, compared with a threshold."""

    name: str
    """Name of the operation."""
    cov_pct: float | None
    """Coefficient of variation in percent. ``None`` for a single sample, or if the mean is zero."""
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
    """Sample standard deviation. ``None`` for a single sample."""
    cov_pct: float | None
    """Coefficient of variation in percent. ``None`` for a single sample, or if the mean is zero."""
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
    """Median absolute deviation, without scaling."""


def bootstrap_ci(
    samples: Samples, confidence: float = 0.95, n_resamples: int = 2000, seed: int = 42
) -> Interval:
    """Computes a percentile bootstrap interval for the median.

    :param samples: The samples.
    :param confidence: Confidence level between 0 and 1 (default 0.95).
    :param n_resamples: Number of resamples (default 2000).
    :param seed: Seed for the resampling (default 42). The same seed gives the same interval.
    :return: The low end of the interval, the median, and the high end of the interval.
    """
    return Interval(*_pqlab.stats_bootstrap_ci(samples, confidence, n_resamples, seed))


def welch_t_test(a: Samples, b: Samples, alpha: float = 0.05) -> WelchTest:
    """Tests whether two independent sets of samples have the same mean. The variances may differ.

    :param a: The first samples, at least two.
    :param b: The second samples, at least two.
    :param alpha: Significance level between 0 and 1 (default 0.05).
    :return: The test statistic, the p-value, and the increase from the first mean to the second.
    """
    return WelchTest(*_pqlab.stats_welch_t_test(a, b, alpha))


def cohens_d(a: Samples, b: Samples) -> float:
    """Returns the difference between the means, ``b`` minus ``a``, in units of the pooled standard deviation."""
    return _pqlab.stats_cohens_d(a, b)


def throughput_curve(points: Iterable[tuple[int, int, float]]) -> ThroughputCurve:
    """Computes throughput, speedup and efficiency at several levels of concurrency.

    :param points: Concurrency, number of finished operations, and elapsed seconds of each measurement.
    :return: The points and the peak.
    """
    loads = list(points)
    if any(len(load) != 3 for load in loads):
        raise InvalidArgument("points: each point needs a concurrency, a number of operations, and seconds")
    found, peak = _pqlab.stats_throughput_curve(loads)
    curve = tuple(ThroughputPoint(*point) for point in found)
    return ThroughputCurve(curve, curve[peak])


def cov_stability_report(results: Mapping[str, Samples], threshold: float = 5.0) -> list[Stability]:
    """Returns the coefficient of variation for each operation, most variable first.

    The coefficient measures spread and does not show leaks. For example, signing with rejection sampling varies a lot,
    but this does not mean that it leaks.

    :param results: Samples of each operation, keyed by the name of the operation.
    :param threshold: Percentage above which an operation is marked as unstable (default 5).
    """
    return [Stability(*row) for row in _pqlab.stats_cov_stability_report(list(results.items()), threshold)]


def describe_samples(samples: Samples) -> Description:
    """Returns the number, mean, spread and quantiles of samples."""
    n, fields = _pqlab.stats_describe_samples(samples)
    found = dict(fields)

    def sure(name: str) -> float:
        value = found[name]
        if value is None:
            raise InvalidArgument(f"samples: {name} is undefined")
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
    """Describes a file of samples, or compares two files. Figures have the same unit as the file.

    :param file: CSV or JSON file, or output of a tool that ``pqlab stats --help`` lists.
    :param other: File to compare with the first file (default none).
    :param column: Name of the only series to read (default all).
    :param confidence: Confidence level of the intervals, between 0 and 1 (default 0.95).
    :param resamples: Number of bootstrap resamples (default 10,000).
    :param seed: Seed for the bootstrap (default 1).
    :param limit: Coefficient of variation in percent above which a series is marked as unstable (default 5).
    :return: Output of ``pqlab stats --json`` as a dictionary.
    :raises pqlab.StoreError: A file cannot be read.
    """
    found: dict[str, Any] = json.loads(
        _pqlab.stats_files(file, other, column, confidence, resamples, seed, limit)
    )
    return found


def latex_table(rows: Iterable[Iterable[object]], columns: Sequence[str], caption: str = "", label: str = "") -> str:
    """Returns a LaTeX table in the style of ``booktabs``. All cells are escaped as plain text.

    :param rows: The rows, each a list of cells.
    :param columns: Column headings. The first column is left-aligned, all others are right-aligned.
    :param caption: Caption (default none).
    :param label: Label (default none).
    """
    cells = [[str(cell) for cell in row] for row in rows]
    return _pqlab.stats_latex_table(cells, list(columns), caption, label)
