"""Writes the record of all figures, docs/reliability.json, and generates the page docs/reliability.md from it."""

import dataclasses
import datetime
import json
import os
import pathlib
import platform
import textwrap

from reliable.common import FAILED, NOT_RUN, PASSED, ROOT, UNFINISHED, cache, output_of

RECORD = ROOT / "docs" / "reliability.json"
PAGE = ROOT / "docs" / "reliability.md"
# Files whose changes do not affect figures.
RENEWED = ("docs/reliability.json", "docs/reliability.md")
WORDS = {PASSED: "passed", FAILED: "**FAILED**", UNFINISHED: "not finished", NOT_RUN: "not run"}


def machine():
    """Describes the machine by processor, cores, system and kernel, without its name."""
    processor = platform.processor() or platform.machine()
    information = pathlib.Path("/proc/cpuinfo")
    if information.exists():
        names = [line.partition(":")[2].strip() for line in information.read_text().splitlines() if line.startswith("model name")]
        processor = names[0] if names else processor
    release = pathlib.Path("/etc/os-release")
    fields = dict(line.split("=", 1) for line in release.read_text().splitlines() if "=" in line) if release.exists() else {}
    system = fields.get("PRETTY_NAME", platform.system()).strip('"')
    return f"{processor}, {os.cpu_count()} cores, {system}, kernel {platform.release()}"


def commit():
    """Returns the commit, followed by `with changes` if there are uncommitted changes."""
    changed = [line for line in output_of("git", "status", "--porcelain").splitlines() if line.split(maxsplit=1)[-1] not in RENEWED]
    return (output_of("git", "rev-parse", "--short=12", "HEAD") or "unknown") + (" with changes" if changed else "")


def read():
    return json.loads(RECORD.read_text()) if RECORD.exists() else []


def neutral(row):
    """Replaces this machine's paths in the faults."""
    folders = ((cache(), "PQLAB_CACHE"), (ROOT, "."), (pathlib.Path.home(), "~"))
    for folder, word in folders:
        row["why"] = [why.replace(str(folder), word) for why in row["why"]]
    return row


def entry(figure, task, rows, seconds):
    """Returns the record's entry for a figure that was measured."""
    return {
        "figure": figure.name, "form": "long" if task.long else "short", "seed": task.seed, "seconds": round(seconds),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"), "commit": commit(), "machine": machine(),
        "rows": [neutral(dataclasses.asdict(row)) for row in rows],
    }


def keep(new):
    """Stores an entry in the record. Replaces an entry for the same figure and form."""
    same = lambda old: (old["figure"], old["form"]) == (new["figure"], new["form"])
    entries = [*(old for old in read() if not same(old)), new]
    partial = RECORD.with_suffix(".new")
    partial.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
    partial.replace(RECORD)


def command(made):
    """Returns the command that measures a figure again."""
    return f"make reliability{' LONG=1' if made['form'] == 'long' else ''} ONLY={made['figure']}"


def spoken(seconds):
    return f"{seconds} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def cell(text):
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def lines_of(row):
    found = [f"{name}: {value:,}" if isinstance(value, int) else f"{name}: {value}" for name, value in row["found"].items()]
    return "; ".join(found + row["why"])


def wrapped(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def table(figure, made):
    """Returns the section about a figure, with a table of its rows."""
    lines = [
        f"## {figure.title}", "", *wrapped(figure.how), "", *wrapped(f"Limits: {figure.limits}"), "",
        f"`{command(made)}`: the {made['form']} form, {made['date']}, {spoken(made['seconds'])}, commit `{made['commit']}`, seed {made['seed']}.", "",
        "| what | how many | outcome | found |", "|---|---:|---|---|",
    ]
    for row in made["rows"]:
        many = f"{row['count']:,} {row['unit']}".strip()
        lines.append(f"| {cell(row['part'] or figure.name)} | {many} | {WORDS[row['outcome']]} | {cell(lines_of(row))} |")
    return [*lines, ""]


def page(figures):
    """Returns the page. For each figure, it shows the long form if the record contains it, else the short form."""
    entries = read()
    shown = []
    for figure in figures:
        of = [made for made in entries if made["figure"] == figure.name]
        of.sort(key=lambda made: made["form"] == "long")
        shown.append((figure, of[-1] if of else None))
    machines = list(dict.fromkeys(made["machine"] for _, made in shown if made))
    lines = [
        "# How hard pqlab is to break", "",
        "Does pqlab lose results or stop working if processes are killed, disks fill up, files are damaged or clients are",
        "hostile? Each section describes one such test, with its limits and its latest result.", "",
        "`make reliability` repeats the tests in a short form, in about 15 minutes; `LONG=1` runs the long form, which takes",
        "hours. `ONLY='kill full'` selects tests. The page shows the long form of a test if there is one. It is generated from",
        "`reliability.json`: do not edit it by hand.", "",
        *(f"- Machine: {one}" for one in machines), "",
    ]
    for figure, made in shown:
        lines += table(figure, made) if made else [f"## {figure.title}", "", *wrapped(figure.how), "", "Not measured yet.", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def write_page(figures):
    PAGE.write_text(page(figures))
