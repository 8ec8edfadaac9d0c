"""Comparison of machines, from their runs: medians, ratios with intervals, changes in rank, and operations per
dollar."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from html import escape
from pathlib import Path as File
from typing import Any

from pqlab._errors import InvalidArgument
from pqlab._request import Path
from pqlab._runs import Run

Row = list[str]

_STYLE = """:root{color-scheme:light dark;font:15px/1.45 system-ui,sans-serif}body{max-width:110rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0}th,td{padding:.2rem .6rem;border-bottom:1px solid #8885;
text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left}"""


@dataclass(frozen=True)
class Machine:
    """A machine and its runs."""

    name: str
    """Host name and kind, followed by a number if several machines share them."""
    kind: str
    """Processor, number of CPUs, and memory."""
    cpus: int
    """Number of CPUs that the operating system reports."""
    runs: tuple[Run, ...]
    """Runs on the machine, oldest first."""

    def cases(self) -> dict[str, dict[str, Any]]:
        """Returns the figures by case id. If several runs contain a case, returns the figures from the newest run."""
        return {
            str(result["id"]): result
            for run in self.runs
            for result in run.results
            if result["status"] == "ok" and result["median_us"] is not None
        }


def machines(
    runs: Iterable[Run], folder: Path, *, prices: Mapping[str, float] | None = None, shared: bool = False
) -> File:
    """Compares machines. Writes an HTML page, a Markdown file and a CSV file, and returns the path of the page.

    :param runs: The runs. All machines are compared with the machine of the oldest run.
    :param folder: Output folder, which is created if missing.
    :param prices: Dollars per hour, keyed by patterns that match ``Machine.kind``, such as
        ``{"*EPYC*": 0.34}`` (default none).
    :param shared: Whether the runs are from different nodes that share one machine (default false). If so, the page
        shows the figures without comparing nodes.
    :raises pqlab.InvalidArgument: There are no runs, or a price is invalid.
    """
    there = columns(list(runs), shared)
    if not there:
        raise InvalidArgument("no runs to compare")
    tables = [_times(there), _ratios(there), _ranks(there)] if not shared else [_times(there)]
    if prices:
        tables.append(_costs(there, prices))
    to = File(folder)
    to.mkdir(parents=True, exist_ok=True)
    page = to / "machines.html"
    page.write_text(_html(there, tables, shared), encoding="utf-8")
    (to / "machines.md").write_text("\n".join(table.markdown() for table in tables), encoding="utf-8")
    (to / "machines.csv").write_text(_csv(there), encoding="utf-8")
    return page


def columns(runs: Sequence[Run], shared: bool = False) -> list[Machine]:
    """Groups runs by machine. The machine of the oldest run comes first.

    Runs with the same host name and kind belong to one machine. With ``shared``, each run counts as a separate machine.
    """
    found: dict[tuple[str, str, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.id):
        found.setdefault((str(run.environment["host"]["name"]), kind(run.environment), run.id if shared else ""), []).append(run)
    names = [f"{host}: {what}" for host, what, _ in found]
    numbered = [name if names.count(name) == 1 else f"{name} ({names[: at + 1].count(name)})" for at, name in enumerate(names)]
    return [
        Machine(name, what, int(group[0].environment["cpu"]["cores"]), tuple(group))
        for name, ((_, what, _), group) in zip(numbered, found.items(), strict=True)
    ]


def kind(environment: Mapping[str, Any]) -> str:
    """Describes a machine by its processor, number of CPUs and memory."""
    cpu, memory = environment["cpu"], round(environment["host"]["memory"]["total"] / 2**30)
    return f"{cpu['model']}, {cpu['cores']} CPUs, {memory} GiB"


@dataclass(frozen=True)
class _Table:
    title: str
    about: str
    heads: Row
    rows: list[Row]

    def markdown(self) -> str:
        lines = [self.heads, ["---"] + ["---:"] * (len(self.heads) - 1), *self.rows]
        body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"## {self.title}\n\n{self.about}\n\n{body if self.rows else 'None.'}\n"

    def html(self) -> str:
        head = "".join(f"<th>{escape(text)}</th>" for text in self.heads)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if self.rows else "<p>None.</p>"
        return f"<h2>{escape(self.title)}</h2><p>{escape(self.about)}</p>{table}"


def _ids(there: Sequence[Machine]) -> list[str]:
    """Returns all case ids. The cases of the first machine come first, then cases that only later machines measured."""
    return list(dict.fromkeys(case for machine in there for case in machine.cases()))


def _time_us(result: dict[str, Any]) -> float:
    """Returns the time in µs that ``half_width_pct`` refers to: the median, the mean, or the time at the expected
    number of attempts."""
    attempts: dict[str, Any] | None = result.get("attempts")
    if attempts is not None:
        return float(attempts["at_expected_us"])
    return float(result["mean_us" if result["statistic"] == "mean" else "median_us"])


def _times(there: Sequence[Machine]) -> _Table:
    found = [machine.cases() for machine in there]

    def cell(result: dict[str, Any] | None) -> str:
        if result is None:
            return ""
        width = result["half_width_pct"]
        return f"{_time_us(result):.4g}" + ("" if width is None else f" ±{width:.2g}%")

    rows = [[case, *(cell(cases.get(case)) for cases in found)] for case in _ids(there)]
    about = (
        "Time per operation in µs, with the half-width of its 95% interval. The time is the median, or the mean for "
        "operations with a random number of attempts. Empty if not measured."
    )
    return _Table("By machine", about, ["case", *(machine.name for machine in there)], rows)


def _ratios(there: Sequence[Machine]) -> _Table:
    """Returns the table that compares each machine with the first."""
    first, others = there[0], there[1:]
    found: list[dict[str, dict[str, Any]]] = []
    for machine in others:
        compared: dict[str, dict[str, Any]] = {}
        for mine in first.runs:
            for theirs in machine.runs:
                compared.update({str(case["first"]): case for case in mine.compare(theirs, metric="time")["cases"]})
        found.append(compared)

    def cell(case: dict[str, Any] | None) -> str:
        if case is None or case["time_ratio"] is None:
            return ""
        interval = case["time_ratio_ci"]
        return f"{case['time_ratio']:.3f}" + ("" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]")

    rows = [[case, *(cell(one.get(case)) for one in found)] for case in first.cases()]
    about = (
        f"Time on each machine divided by the time on {first.name}, with the 95% interval of this ratio. "
        "A ratio does not show why machines differ: clocks, memory, virtualisation and other tenants all matter."
    )
    return _Table("Compared with the first", about, ["case", *(machine.name for machine in others)], [row for row in rows if any(row[1:])])


def _ranks(there: Sequence[Machine]) -> _Table:
    """Returns the table of library pairs whose order differs between machines."""
    found = [machine.cases() for machine in there]
    jobs: dict[str, list[str]] = {}
    for case in _ids(there):
        jobs.setdefault(case.rpartition("@")[0], []).append(case)
    rows: list[Row] = []
    for job, cases in jobs.items():
        for at, one in enumerate(cases):
            for other in cases[at + 1 :]:
                order = [faster(known.get(one), known.get(other)) for known in found]
                if {-1, 1} <= set(order):
                    names = (one.rpartition("@")[2], other.rpartition("@")[2])
                    rows.append([job, *("" if which == 0 else names[which > 0] for which in order)])
    about = (
        "Operations for which the faster of two libraries differs between machines. "
        "The columns name the faster library. A cell is empty if the 95% intervals overlap."
    )
    return _Table("Changes in rank", about, ["job", *(machine.name for machine in there)], rows)


def faster(one: dict[str, Any] | None, other: dict[str, Any] | None) -> int:
    """Returns -1 if the first result is faster, 1 if the second is, and 0 if the intervals overlap or are unknown."""
    if one is None or other is None or one["median_ci_us"] is None or other["median_ci_us"] is None:
        return 0
    if one["median_ci_us"][1] < other["median_ci_us"][0]:
        return -1
    return int(other["median_ci_us"][1] < one["median_ci_us"][0])


def _costs(there: Sequence[Machine], prices: Mapping[str, float]) -> _Table:
    for pattern, price in prices.items():
        if not price > 0:
            raise InvalidArgument(f"price of {pattern!r} is {price}", "pass dollars per hour, above zero")
    paid = [next((price for pattern, price in prices.items() if fnmatch(machine.kind, pattern)), None) for machine in there]
    known = [machine for machine, price in zip(there, paid, strict=True) if price is not None]
    if not known:
        kinds = ", ".join(dict.fromkeys(repr(machine.kind) for machine in there))
        raise InvalidArgument(f"no price matches a measured machine: {kinds}", "use a pattern such as '*EPYC*'")
    found = [(machine.cases(), price) for machine, price in zip(there, paid, strict=True) if price is not None]
    rows = [
        [case, *(f"{cases[case]['ops_per_s'] * 3600 / price:.3g}" if case in cases else "" for cases, price in found)]
        for case in _ids(known)
        # Cases with several threads used more than one CPU.
        if "threads=" not in case
    ]
    rates = "; ".join(f"{machine.name} ${price:g} an hour" for machine, (_, price) in zip(known, found, strict=True))
    about = (
        f"Operations per dollar, with one busy thread and the price of the whole machine: {rates}. "
        "With all CPUs busy, multiply by at most the number of CPUs; the `scaling` suite measures the actual factor."
    )
    return _Table("Operations per dollar", about, ["case", *(machine.name for machine in known)], rows)


def _html(there: Sequence[Machine], tables: Sequence[_Table], shared: bool) -> str:
    builds = {f"{run.environment['build']['version']} {run.environment['build']['commit'] or ''}".strip() for one in there for run in one.runs}
    notes = [f"Builds: {', '.join(sorted(builds))}."]
    if shared:
        notes.append("The nodes share a machine and took turns, so their figures are not compared.")
    if len(builds) > 1:
        notes.append("The machines ran different builds of pqlab, which can also cause differences.")
    listed = "".join(
        f"<li>{escape(one.name)}: {', '.join(escape(run.id) + ('' if run.complete else ' (not complete)') for run in one.runs)}</li>"
        for one in there
    )
    listed = f"<ul>{listed}</ul>"
    body = "".join(f"<p>{escape(note)}</p>" for note in notes) + listed + "".join(table.html() for table in tables)
    policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    head = f"<meta charset=utf-8>{policy}<meta name=viewport content='width=device-width'><title>pqlab: by machine</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body><h1>By machine</h1>{body}</body></html>\n"


def _csv(there: Sequence[Machine]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["machine", "run", "case", "median_us", "low_us", "high_us", "ops_per_s"])
    for machine in there:
        for case, result in machine.cases().items():
            low, high = result["median_ci_us"] or (None, None)
            writer.writerow([machine.name, result["run"], case, result["median_us"], low, high, result["ops_per_s"]])
    return out.getvalue()
