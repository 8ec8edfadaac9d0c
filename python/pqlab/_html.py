"""Renders a run as an HTML fragment for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

# Tables that reports show and notebooks leave out.
_AT_LEISURE = {"library-facts", "spread", "sizes", "ntor-literature", "claims"}
# Maximum number of cases that a notebook shows.
_CASES = 60


def page(
    title: str,
    answers: Iterable[str],
    results: list[dict[str, Any]],
    tables: dict[str, dict[str, Any]],
    charts: Iterable[tuple[str, str, str]],
) -> str:
    """Returns HTML with the findings, the figures of each case, the tables and the charts."""
    parts = [f"<p><strong>{escape(title)}</strong></p>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in answers]
    parts.append(_cases(results))
    parts += [_table(table) for name, table in tables.items() if name not in _AT_LEISURE]
    parts += [f"<figure>{svg}<figcaption>{escape(about)}</figcaption></figure>" for _, about, svg in charts]
    return "\n".join(parts)


def _cases(results: list[dict[str, Any]]) -> str:
    rows: list[list[str]] = []
    for result in results[:_CASES]:
        interval = result.get("median_ci_us")
        middle = result.get("median_us")
        figures = [
            "" if middle is None else f"{middle:.4g}",
            "" if interval is None else f"{interval[0]:.4g} to {interval[1]:.4g}",
            str(result.get("status") or ""),
        ]
        rows.append([str(result["id"]), *figures])
    text = _rows(["case", "median, µs", "95% interval, µs", "status"], rows)
    more = len(results) - len(rows)
    return text if more <= 0 else f"{text}<p><code>Run.results</code> contains {more} more cases.</p>"


def _table(table: dict[str, Any]) -> str:
    columns: list[dict[str, Any]] = table["columns"]
    rows = [[str(row["cells"][column["name"]]["text"]) for column in columns] for row in table["rows"]]
    heads = [str(column["heading"]) for column in columns]
    return f"<h4>{escape(str(table['title']))}</h4>{_rows(heads, rows)}"


def _rows(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
