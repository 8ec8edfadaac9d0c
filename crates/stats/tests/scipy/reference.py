"""Reads sets of samples as JSON from standard input, and writes their statistics from NumPy and SciPy as JSON."""

import json
import sys

import numpy as np
from scipy import stats


def describe(samples):
    x = np.asarray(samples)
    n = len(x)
    shape = stats.jarque_bera(x)
    # The middle half with fractional weights. SciPy's trim_mean removes only whole samples.
    weights = np.clip(np.minimum(3 * n / 4, np.arange(1, n + 1)) - np.maximum(n / 4, np.arange(n)), 0, None)
    interval = stats.t.interval(0.95, n - 1, loc=x.mean(), scale=stats.sem(x))
    return {
        "mean": x.mean(),
        "stdev": x.std(ddof=1),
        "cov_pct": 100 * stats.variation(x, ddof=1),
        "min": x.min(),
        "p5": np.quantile(x, 0.05),
        "p25": np.quantile(x, 0.25),
        "median": np.median(x),
        "p75": np.quantile(x, 0.75),
        "p95": np.quantile(x, 0.95),
        "p99": np.quantile(x, 0.99),
        "max": x.max(),
        "iqm": np.sum(weights * np.sort(x)) / weights.sum(),
        "mad": stats.median_abs_deviation(x),
        "skewness": stats.skew(x),
        "excess_kurtosis": stats.kurtosis(x),
        "jarque_bera": shape.statistic,
        "p:jarque_bera": shape.pvalue,
        "mean_low": interval[0],
        "mean_high": interval[1],
    }


def compare(first, second):
    a, b = np.asarray(first), np.asarray(second)
    welch = stats.ttest_ind(a, b, equal_var=False)
    pooled = np.sqrt((a.var(ddof=1) * (len(a) - 1) + b.var(ddof=1) * (len(b) - 1)) / (len(a) + len(b) - 2))
    return {
        "welch_t": welch.statistic,
        "welch_df": welch.df,
        "p:welch": welch.pvalue,
        "overhead_pct": 100 * (b.mean() / a.mean() - 1),
        "cohens_d": (b.mean() - a.mean()) / pooled,
    }


corpus = json.load(sys.stdin)
answer = {
    "sets": [describe(samples) for samples in corpus["sets"]],
    "pairs": [compare(first, second) for first, second in corpus["pairs"]],
    "adjusted": stats.false_discovery_control(corpus["p_values"], method="bh").tolist(),
}
json.dump(answer, sys.stdout, default=float)
