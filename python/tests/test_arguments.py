"""Every argument leads to a result or an exception, and never crashes the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pqlab
from pqlab import _pqlab

# Set PQLAB_PYTHON_EXAMPLES=10000 for a longer test.
EXAMPLES = int(os.environ.get("PQLAB_PYTHON_EXAMPLES", "60"))

# Invalid values for numeric arguments, such as the number of processes. All must be rejected before anything is measured.
NONSENSE: st.SearchStrategy[Any] = st.one_of(
    st.none().map(lambda _: object()),
    st.text(max_size=8).filter(lambda text: not text.strip("0123456789")).map(lambda text: f"no number {text}"),
    st.integers(max_value=0),
    st.integers(min_value=2**64),
    st.sampled_from([float("nan"), float("inf"), -1.5]),
    st.binary(max_size=8),
    st.dictionaries(st.text(max_size=4), st.integers(), min_size=1, max_size=2),
    st.lists(st.lists(st.integers(), max_size=2), min_size=1, max_size=2),
)
TEXTS = st.text(st.characters(), max_size=40)
RULES = ["precision", "max_time", "processes", "iterations", "batch", "lengths", "pool_threads", "seed", "affinity"]
WORDS = ["what", "algorithms", "providers", "filters"]


def tried(call: Callable[[], object]) -> None:
    """Makes a call. It may succeed, or raise an error from pqlab, or Python's error for a wrong type or encoding."""
    try:
        call()
    except pqlab.Error as error:
        assert str(error)
    except (TypeError, UnicodeEncodeError):
        pass


@settings(max_examples=EXAMPLES, deadline=None)
@given(name=st.sampled_from([*RULES, "protocol", "counter", "over"]), value=NONSENSE)
def test_rejects_senseless_rules(name: str, value: Any) -> None:
    arguments: dict[str, Any] = {name: value}
    with pytest.raises((pqlab.Error, TypeError)):
        pqlab.run("kem", filters=["kem/nothing/*"], progress=False, **arguments)


@settings(max_examples=EXAMPLES, deadline=None)
@given(words=st.lists(TEXTS, min_size=1, max_size=3), field=st.sampled_from(WORDS))
def test_any_name_gives_a_result_or_a_known_exception(words: list[str], field: str) -> None:
    chosen: dict[str, Any] = {field: words}
    what = chosen.pop("what", ["kem"])
    tried(lambda: pqlab.cases(*what, **chosen))
    tried(lambda: pqlab.inspect(words[0]))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_any_reference_gives_a_result_or_a_known_exception(run: pqlab.Run, tmp_path: Path, text: str) -> None:
    tried(lambda: pqlab.open().run(text))
    tried(lambda: run.export(text))
    tried(lambda: run.export("csv", table=text))
    tried(lambda: run.chart(text))
    tried(lambda: run.sample_buffer(text))
    tried(lambda: run.compare(run, metric=text))
    file = tmp_path / "file"
    file.write_bytes(text.encode(errors="surrogatepass"))
    tried(lambda: pqlab.load(file))
    tried(lambda: pqlab.open(file).runs() if text else None)


@settings(max_examples=EXAMPLES, deadline=None)
@given(request=TEXTS, value=st.one_of(TEXTS, st.none(), st.integers(), st.binary(max_size=4)))
def test_compiled_module_checks_its_arguments(request: str, value: Any) -> None:
    functions: list[Callable[..., object]] = [
        _pqlab.cases,
        _pqlab.check_run,
        _pqlab.compare_libraries,
        _pqlab.compare_stored,
        _pqlab.delete_runs,
        _pqlab.inspect,
        _pqlab.leak,
        _pqlab.leak_tests,
        _pqlab.library,
        _pqlab.load,
        _pqlab.measure,
        _pqlab.measure_between,
        _pqlab.measure_independence,
        _pqlab.measure_noise,
        _pqlab.measure_placement,
        _pqlab.ntor_client,
        _pqlab.outline,
        _pqlab.report_stored,
        _pqlab.site_stored,
        _pqlab.stats_files,
        _pqlab.stored_run,
        _pqlab.verify,
    ]
    for function in functions:
        for arguments in ([], [value], [request, value], [request, value, None], [value] * 4):
            tried(lambda function=function, arguments=arguments: function(*arguments))  # type: ignore[misc]
