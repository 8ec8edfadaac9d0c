"""Statistics over samples, as pqlab's own reports use them.

Samples are lists or other sequences of numbers, NumPy arrays, columns of Polars or pandas. Results are in the samples' unit.
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
    """What has a buffer of doubles, or makes one: arrays of NumPy, columns of Polars."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> object: ...


Samples = Sequence[float] | Array
"""Numbers: a sequence, an array, a column."""


class Interval(NamedTuple):
    """A median with its bootstrap interval."""

    low: float
    """The low end."""
    median: float
    """The median of the samples."""
    high: float
    """The high end."""


@dataclass(frozen=True)
class WelchTest:
    """Welch's test of a first set of samples against a second one."""

    t: float
    """The statistic: positive where the first mean is the larger one."""
    df: float
    """Degrees of freedom after Welch and Satterthwaite."""
    p_value: float
    """Two-sided."""
    significant: bool
    """Whether the p-value is below ``alpha``."""
    overhead_pct: float
    """By how much the second mean exceeds the first, in percent of the first."""


@dataclass(frozen=True)
class ThroughputPoint:
    """One level of concurrency."""

    concurrency: int
    """Threads, or tasks in flight."""
    ops_per_sec: float
    """Operations a second."""
    speedup: float
    """Times the rate of the smallest concurrency."""
    efficiency: float
    """The speedup over the factor by which the concurrency is larger: 1 where it scales perfectly."""
    loss_from_peak_pct: float
    """By how much the rate is below the peak, in percent of the peak."""
    loss_from_smallest_pct: float
    """By how much the rate is below that of the smallest concurrency, in percent of that; negative for a gain."""


@dataclass(frozen=True)
class ThroughputCurve:
    """How throughput grows with concurrency."""

    points: tuple[ThroughputPoint, ...]
    """In ascending order of concurrency."""
    peak: ThroughputPoint
    """The highest rate; the smallest concurrency of several that reach it."""


@dataclass(frozen=True)
class Stability:
    """The coefficient of variation of one operation, against a threshold."""

    name: str
    """The operation's name."""
    cov_pct: float | None
    """In percent; ``None`` of a single sample, or where the mean is zero."""
    unstable: bool
    """Whether it is above the threshold."""


@dataclass(frozen=True)
class Description:
    """What a set of samples looks like. Quantiles are linear between order statistics, as NumPy's."""

    n: int
    """How many samples there are."""
    mean: float
    """Arithmetic mean."""
    stdev: float | None
    """Sample standard deviation; ``None`` of a single sample."""
    cov_pct: float | None
    """Coefficient of variation in percent; ``None`` of a single sample, or where the mean is zero."""
    min: float
    """The smallest sample."""
    p5: float
    """5% of the samples are below."""
    p25: float
    """25% of the samples are below."""
    median: float
    """Half of the samples are below."""
    p75: float
    """75% of the samples are below."""
    p95: float
    """95% of the samples are below."""
    p99: float
    """99% of the samples are below."""
    max: float
    """The largest sample."""
    iqm: float
    """Interquartile mean."""
    mad: float
    """Median absolute deviation, not scaled."""


def bootstrap_ci(
    samples: Samples, confidence: float = 0.95, n_resamples: int = 2000, seed: int = 42
) -> Interval:
    """The percentile bootstrap of the median: low end, median, high end. The same seed gives the same interval to the bit."""
    return Interval(*_pqlab.stats_bootstrap_ci(samples, confidence, n_resamples, seed))


def welch_t_test(a: Samples, b: Samples, alpha: float = 0.05) -> WelchTest:
    """Whether two sets of independent samples have the same mean, whatever their variances."""
    return WelchTest(*_pqlab.stats_welch_t_test(a, b, alpha))


def cohens_d(a: Samples, b: Samples) -> float:
    """The difference of the means, second less first, in pooled standard deviations."""
    return _pqlab.stats_cohens_d(a, b)


def throughput_curve(points: Iterable[tuple[int, int, float]]) -> ThroughputCurve:
    """The curve of some loads: each a concurrency, a number of finished operations, and the seconds that they took together."""
    loads = list(points)
    if any(len(load) != 3 for load in loads):
        raise InvalidArgument("points: each needs a concurrency, a number of operations, and seconds")
    found, peak = _pqlab.stats_throughput_curve(loads)
    curve = tuple(ThroughputPoint(*point) for point in found)
    return ThroughputCurve(curve, curve[peak])


def cov_stability_report(results: Mapping[str, Samples], threshold: float = 5.0) -> list[Stability]:
    """The coefficient of variation of each operation's samples, those above ``threshold`` percent marked, the most variable first.

    It measures spread and says nothing about secrets: a signer that rejects and repeats is far above any threshold and leaks nothing.
    """
    return [Stability(*row) for row in _pqlab.stats_cov_stability_report(list(results.items()), threshold)]


def describe_samples(samples: Samples) -> Description:
    """Number, mean, spread and quantiles."""
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
    """What is said of a file of samples, or of a second one against it: the document of ``pqlab stats --json``.

    A file is CSV, JSON, or what hyperfine, Google Benchmark or pyperf wrote; ``column`` is the one series that is wanted. ``limit`` is
    the coefficient of variation in percent above which a series is marked unstable. Figures are in the file's unit.
    """
    found: dict[str, Any] = json.loads(
        _pqlab.stats_files(file, other, column, confidence, resamples, seed, limit)
    )
    return found


def latex_table(rows: Iterable[Iterable[object]], columns: Sequence[str], caption: str = "", label: str = "") -> str:
    """A table of ``booktabs``, ready to be pasted. Everything in it is plain text: none of it is a command of LaTeX."""
    cells = [[str(cell) for cell in row] for row in rows]
    return _pqlab.stats_latex_table(cells, list(columns), caption, label)
