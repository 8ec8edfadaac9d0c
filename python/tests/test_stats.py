"""Statistics compared with NumPy and SciPy, and rejected input."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import polars
import pytest
from scipy import stats as scipy_stats  # type: ignore[import-untyped, unused-ignore]

import pqlab
from pqlab import stats

RELATIVE = 1e-9
OF_A_PROBABILITY = 1e-6


def sets() -> list[list[float]]:
    """Returns sets of 7 to 699 samples with several distributions and scales. No mean is near zero."""
    draw = np.random.default_rng(20)
    found: list[list[float]] = []
    for index in range(120):
        number = int(draw.integers(7, 700))
        shape = [
            draw.normal(size=number),
            draw.lognormal(size=number),
            draw.normal(size=number) + np.where(draw.random(number) < 0.3, 8.0, 0.0),
            np.round(3 * draw.normal(size=number)),
        ][index % 4]
        found.append((10.0 ** int(draw.integers(-3, 4)) * (shape + 100.0)).tolist())
    return found


def close(ours: float | None, theirs: float) -> None:
    assert ours is not None and math.isclose(ours, theirs, rel_tol=RELATIVE), (ours, theirs)


def test_descriptions_agree_with_numpy() -> None:
    for samples in sets():
        ours = stats.describe_samples(samples)
        close(ours.mean, float(np.mean(samples)))
        close(ours.stdev, float(np.std(samples, ddof=1)))
        close(ours.cov_pct, 100 * float(np.std(samples, ddof=1)) / float(np.mean(samples)))
        for name, order in [("p5", 0.05), ("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p95", 0.95), ("p99", 0.99)]:
            close(asdict(ours)[name], float(np.quantile(samples, order)))
        assert (ours.n, ours.min, ours.max) == (len(samples), min(samples), max(samples))
        close(ours.mad, float(np.median(np.abs(np.array(samples) - np.median(samples)))))


def test_tests_agree_with_scipy() -> None:
    found = sets()
    halves = [(one[: len(one) // 2], one[len(one) // 2 :]) for one in found]
    for first, second in [*zip(found, found[4:], strict=False), *halves]:
        ours, theirs = stats.welch_t_test(first, second), scipy_stats.ttest_ind(first, second, equal_var=False)
        close(ours.t, float(theirs.statistic))
        close(ours.df, float(theirs.df))
        assert abs(ours.p_value - float(theirs.pvalue)) < OF_A_PROBABILITY
        assert ours.significant == (ours.p_value < 0.05)
        close(ours.overhead_pct, 100 * (float(np.mean(second)) / float(np.mean(first)) - 1))
        weights = [(len(one) - 1) * float(np.var(one, ddof=1)) for one in (first, second)]
        pooled = math.sqrt(sum(weights) / (len(first) + len(second) - 2))
        close(stats.cohens_d(first, second), (float(np.mean(second)) - float(np.mean(first))) / pooled)


def test_bootstrap_is_a_percentile_bootstrap_of_the_median() -> None:
    samples = sets()[1]
    ours = stats.bootstrap_ci(samples, confidence=0.9, n_resamples=5000, seed=3)
    assert ours == stats.bootstrap_ci(samples, confidence=0.9, n_resamples=5000, seed=3)
    assert ours.median == float(np.median(samples))
    draw = np.random.default_rng(1)
    medians = np.median(np.array(samples)[draw.integers(0, len(samples), (5000, len(samples)))], axis=1)
    low, high = np.quantile(medians, [0.05, 0.95])
    spread = float(high - low)
    assert abs(ours.low - low) < 0.15 * spread and abs(ours.high - high) < 0.15 * spread


def test_every_container_gives_the_same_result() -> None:
    samples = sets()[0]
    expected = stats.describe_samples(samples)
    array = np.array(samples)
    strided = np.column_stack([array, -array])[:, 0]
    read_only = array.copy()
    read_only.flags.writeable = False
    holders: list[stats.Samples] = [
        tuple(samples),
        array,
        strided,
        read_only,
        memoryview(array),  # type: ignore[arg-type, unused-ignore]
        polars.Series("ns", samples),
        polars.DataFrame({"ns": samples})["ns"],
        list(array),
    ]
    for holder in holders:
        assert stats.describe_samples(holder) == expected, type(holder)
    whole = [3, 1, 2]
    described = stats.describe_samples(whole)
    others: list[stats.Samples] = [np.array(whole), np.array(whole, dtype=np.float32), polars.Series(whole), range(1, 4)]
    for other in others:
        assert stats.describe_samples(other) == described, type(other)


def test_curves_reports_and_tables_show_their_figures() -> None:
    curve = stats.throughput_curve([(4, 3000, 2.0), (1, 1000, 2.0), (2, 1900, 2.0), (8, 2400, 2.0)])
    assert [point.concurrency for point in curve.points] == [1, 2, 4, 8]
    assert (curve.peak.concurrency, curve.peak.ops_per_sec) == (4, 1500.0)
    assert (curve.points[1].speedup, curve.points[1].efficiency) == (1.9, 0.95)
    report = stats.cov_stability_report({"calm": [100.0, 101.0], "wild": np.array([1.0, 2.0, 9.0]), "one": [5.0]})
    assert [(row.name, row.unstable) for row in report] == [("wild", True), ("calm", False), ("one", False)]
    assert report[2].cov_pct is None
    table = stats.latex_table([["X25519", 33], ["50% \\input{x}", 1]], ["Algorithm", "Median"], "KEM", "tab:kem")
    assert "\\toprule" in table and "\\label{tab:kem}" in table and "\\input" not in table and "50\\%" in table


@pytest.mark.parametrize(
    "call",
    [
        lambda: stats.bootstrap_ci([]),
        lambda: stats.bootstrap_ci([1.0], confidence=1.0),
        lambda: stats.bootstrap_ci([1.0], confidence=math.nan),
        lambda: stats.bootstrap_ci([1.0], n_resamples=0),
        lambda: stats.bootstrap_ci([1.0], n_resamples=10**18),
        lambda: stats.bootstrap_ci([1.0], n_resamples=-1),
        lambda: stats.bootstrap_ci([1.0], seed=2**64),
        lambda: stats.bootstrap_ci([1.0, math.nan]),
        lambda: stats.bootstrap_ci(polars.Series([1.0, None])),
        lambda: stats.bootstrap_ci(np.ones((2, 2))),
        lambda: stats.welch_t_test([1.0], [1.0, 2.0]),
        lambda: stats.welch_t_test([1.0, 1.0], [2.0, 2.0]),
        lambda: stats.welch_t_test([1.0, 2.0], [2.0, 3.0], alpha=0.0),
        lambda: stats.cohens_d([1.0, 1.0], [1.0, 1.0]),
        lambda: stats.throughput_curve([]),
        lambda: stats.throughput_curve([(0, 1, 1.0)]),
        lambda: stats.throughput_curve([(1, -1, 1.0)]),
        lambda: stats.cov_stability_report({"a": [1.0]}, threshold=math.nan),
        lambda: stats.describe_samples([]),
        lambda: stats.latex_table([["a", "b"]], ["one"]),
        lambda: stats.latex_table([], []),
    ],
)
def test_invalid_arguments_raise_an_explained_exception(call: Callable[[], object]) -> None:
    with pytest.raises(pqlab.InvalidArgument) as raised:
        call()
    assert ":" in str(raised.value)


@pytest.mark.parametrize("samples", ["1.0", b"12", {1.0: 2.0}, 1.0, None, {1.0, 2.0}, object()])
def test_objects_without_numbers_raise_type_error(samples: object) -> None:
    with pytest.raises(TypeError):
        stats.describe_samples(samples)  # type: ignore[arg-type]
