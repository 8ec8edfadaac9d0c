"""Every feature of the command line has a counterpart in Python. ``parity.toml`` lists the counterparts.

The tests compare the table with ``pqlab --help`` and with the package.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import tomllib
import typing
from pathlib import Path

import pytest

import pqlab
from pqlab import _worker

TABLE: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("parity.toml").read_text(encoding="utf-8"))
# Options that every verb accepts.
COMMON = TABLE.pop("*")
# Headings of lists of verbs in the help.
HEADINGS = ("Measure", "Look", "Compare", "Check", "Exchange", "Special", "Commands")


def help_of(*verb: str) -> str:
    done = subprocess.run([_worker.program(), *verb, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def section(text: str, name: str) -> str:
    found = re.search(rf"^{name}:\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def verbs(*before: str) -> list[tuple[str, ...]]:
    """Returns every verb, including the verbs of subcommands."""
    found: list[tuple[str, ...]] = []
    text = help_of(*before)
    lists = [section(text, heading) for heading in HEADINGS]
    names = re.findall(r"^  ([a-z-]+)", "".join(lists), re.MULTILINE)
    for name in names:
        if name != "help":
            found += [(*before, name), *verbs(*before, name)]
    return found


def arguments(verb: tuple[str, ...]) -> list[str]:
    text = help_of(*verb)
    options: list[str] = re.findall(r"^ {2,6}(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)
    words = [] if section(text, "Commands") else re.findall(r"^  [\[<]([A-Z]+)", section(text, "Arguments"), re.MULTILINE)
    return [*options, *words]


VERBS = verbs()


def called(name: str) -> object:
    """Returns the object that an entry in the table names, such as ``Run.export`` or ``ledger.verify_block``."""
    found: object = pqlab
    for part in name.split("."):
        found = getattr(found, part)
    return found


def parameters(call: object) -> set[str]:
    """Returns the names of a call's arguments, including the fields of an unpacked TypedDict."""
    assert callable(call)
    found: set[str] = set()
    for name, parameter in inspect.signature(call).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (fields,) = typing.get_args(typing.get_type_hints(call)[name])
            found |= fields.__optional_keys__
        else:
            found.add(name)
    return found


def test_every_verb_is_in_the_table() -> None:
    assert {" ".join(verb) for verb in VERBS} == set(TABLE)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_option_has_an_argument_or_a_reason(verb: tuple[str, ...]) -> None:
    listed = {**COMMON, **TABLE[" ".join(verb)]}
    there = arguments(verb)
    missing = [name for name in there if name not in listed]
    assert not missing, f"pqlab {' '.join(verb)}: parity.toml must list {', '.join(missing)}"
    gone = [name for name in TABLE[" ".join(verb)] if name not in there and name != "call"]
    assert not gone, f"pqlab {' '.join(verb)}: parity.toml lists removed options: {', '.join(gone)}"


def answers() -> list[tuple[str, str]]:
    rows = [*TABLE.items(), ("*", COMMON)]
    return [(f"{verb} {name}", answer) for verb, row in rows for name, answer in row.items()]


@pytest.mark.parametrize(("name", "answer"), answers())
def test_calls_of_the_table_exist(name: str, answer: str) -> None:
    if reason := re.fullmatch(r"none: (.+)", answer):
        assert len(reason[1]) > 10
        return
    for one in answer.split(", "):
        found = re.fullmatch(r"([\w.]+)(?:\((\w+)\))?", one)
        assert found, f"{name}: {one!r} must be CALL, CALL(ARGUMENT) or `none: REASON`"
        call = called(found[1])
        assert found[2] is None or found[2] in parameters(call), f"{name}: {one}"
