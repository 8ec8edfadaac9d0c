"""Fuzzes the decoders: no execution may violate an assertion of the target."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import time

from reliable.common import ROOT, Figure, Row, Unfit, cache, judged, last_line, not_run, output_of, say, start, target_folder
from reliable.common import PASSED, UNFINISHED

FIGURE = Figure(
    name="fuzz",
    title="Executions of each fuzz target",
    how="Each target in `fuzz/` runs under libFuzzer with AddressSanitizer (`cargo fuzz`, a nightly compiler). The "
    "corpus is kept below `PQLAB_CACHE`, so each call continues from the previous ones. The short form requests 100,000 "
    "executions of each target. The long form requests 100,000,000 executions of each of the three fastest decoders and "
    "10,000,000 of every other decoder, in alternating slices of a few minutes. Two targets are not decoders: "
    "`ntor_relay` runs a relay behind its socket, and `mldsa_batch` compares complete verifications. The long form "
    "requests 1,000,000 executions of each. Executions of the long form add up over several calls, as long as the "
    "sources of the targets stay at the same commit.",
    limits="C code is not instrumented: AddressSanitizer sees only heap use through C library functions. The "
    "number of executions shows how long the fuzzer searched, not how much code it covered.",
)

SHORT, LONG, FASTEST_LONG, FASTEST = 100_000, 10_000_000, 100_000_000, 3
# Executions in the long form for targets that are slower than decoders.
LARGE = {"ntor_relay": 1_000_000, "mldsa_batch": 1_000_000}
# Seconds per target in the short form, and per slice in the long form.
SHORT_SECONDS, SLICE = 180, 180
# Maximum number of targets that run at the same time. Never more than the number of processors.
AT_ONCE = 2
# Default minutes of the long form.
MINUTES = 60
PLATFORM = "x86_64-unknown-linux-gnu"
# Sources of the code that targets execute. Only executions of the current version count.
# pqlab-stats is not listed: it is built too, but no target uses it.
CRATES = (
    "constructions", "harness", "keccak", "mldsa-batch", "network", "primitives", "providers", "record", "tls", "verification", "workloads",
)
SOURCES = ("fuzz/fuzz_targets", "fuzz/Cargo.toml", "fuzz/Cargo.lock", *(f"crates/{crate}" for crate in CRATES))
# Suffix for a commit with uncommitted changes to the sources. Such executions are not added up, because each call may
# run different code.
CHANGED = "-changed"
# Prefixes of the files with inputs that break a target. libFuzzer also writes files for slow inputs.
BREAKING = ("crash-", "leak-", "oom-", "timeout-")
# Options for the build, for libFuzzer and for AddressSanitizer, by target. mldsa_batch does not
# trace comparisons, because tracing the comparisons in its arithmetic would take most of the time.
# ntor_relay does not detect leaks, because threads of the last clients may still be running when
# the target ends.
BUILD = {"mldsa_batch": ("--no-trace-compares",)}
FLAGS = {"mldsa_batch": ("-entropic=0", "-use_counters=0", "-max_len=256")}
SANITIZER = {"ntor_relay": "detect_leaks=0"}
UNITS = re.compile(r"^stat::number_of_executed_units:\s+(\d+)", re.MULTILINE)


def targets():
    """Returns the names of all targets, in the order of the manifest."""
    manifest = (ROOT / "fuzz" / "Cargo.toml").read_text()
    return re.findall(r'^\[\[bin\]\]\nname = "(\w+)"', manifest, re.MULTILINE)


class Target:
    """A fuzz target, and the files that it keeps between runs."""

    def __init__(self, name, commit, folder):
        self.name, self.commit = name, commit
        self.kept = cache() / "fuzz" / name
        self.corpus, self.artifacts, self.notes = self.kept / "corpus", self.kept / "artifacts" / commit, self.kept / "executions.json"
        for place in (self.corpus, self.artifacts):
            place.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"{name}.txt"
        # Number of executions and seconds, by commit.
        self.all = json.loads(self.notes.read_text()) if self.notes.exists() else {}
        self.program = None
        # Number of earlier executions to leave out. The long form adds up executions over several calls.
        # The short form starts from zero.
        self.earlier = 0
        if commit.endswith(CHANGED):
            self.all.pop(commit, None)
            self.faults = []
        else:
            # An input that broke the target in an earlier call is still a fault.
            broke = sorted(path.name for path in self.artifacts.iterdir() if path.name.startswith(BREAKING))
            self.faults = [f"{name} in {self.artifacts} breaks the target" for name in broke]

    @property
    def executions(self):
        """Number of executions to report in this form."""
        return self.all.get(self.commit, [0, 0])[0] - self.earlier

    @property
    def rate(self):
        """Executions per second, or 0 if the target has not run yet."""
        executions, seconds = self.all.get(self.commit, [0, 0])
        return executions / seconds if seconds else 0

    def add(self, executions, seconds):
        before = self.all.get(self.commit, [0, 0])
        self.all[self.commit] = [before[0] + executions, round(before[1] + seconds, 1)]
        partial = self.notes.with_suffix(".new")
        partial.write_text(json.dumps(self.all))
        partial.replace(self.notes)

    def run(self, executions, seconds):
        """Runs the target until it reaches this number of executions or seconds."""
        words = [
            str(self.program), str(self.corpus), f"-artifact_prefix={self.artifacts}/", f"-runs={executions}",
            f"-max_total_time={max(1, round(seconds))}", "-print_final_stats=1", "-verbosity=0", *FLAGS.get(self.name, ()),
        ]
        began = time.monotonic()
        with open(self.log, "w") as log:
            # `cargo fuzz run` sets the first option too.
            options = ["detect_odr_violation=0", *([SANITIZER[self.name]] if self.name in SANITIZER else [])]
            given = {**os.environ, "ASAN_OPTIONS": ":".join(options)}
            code = start(words, env=given, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).wait()
        said = self.log.read_text(errors="replace")
        found = UNITS.search(said)
        self.add(int(found[1]) if found else 0, time.monotonic() - began)
        if code:
            errors = re.findall(r"^.*(?:panicked at|ERROR: ).*$", said, re.MULTILINE)
            self.faults.append(f"{errors[0] if errors else last_line(said)} ({self.artifacts})")
        elif not found:
            self.faults.append("the output does not contain the number of executions")


def built(names, log):
    """Builds the targets. Returns the programs by name, with `None` for targets that cannot be built."""
    host = output_of("rustc", "-vV")
    if f"host: {PLATFORM}" not in host:
        raise Unfit(f"the fuzzer requires {PLATFORM}")
    if not output_of("cargo", "+nightly", "--version"):
        raise Unfit("no nightly compiler is installed (`rustup toolchain install nightly`)")
    tools = output_of("scripts/tool", "--folder", "cargo-fuzz")
    if not tools:
        raise Unfit("cannot build cargo-fuzz (`scripts/tool --folder cargo-fuzz` shows why)")
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    groups = {}
    for name in names:
        groups.setdefault(BUILD.get(name, ()), []).append(name)
    programs = {}
    for number, (options, group) in enumerate(groups.items()):
        # Different build flags rebuild everything, so each combination uses a separate folder.
        folder = target_folder() / "fuzz" / ("-".join(options).replace("--", "") or "usual")
        for name in group:
            say(f"fuzz: building {name} ({number + 1} of {len(groups)} builds)")
            words = ["cargo", "+nightly", "fuzz", "build", *options, "--target-dir", str(folder), name]
            with open(log, "a") as output:
                code = subprocess.run(words, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
            program = folder / PLATFORM / "release" / name
            programs[name] = program if code == 0 and program.exists() else None
    return programs


def rows_of(all_targets, goals, long):
    rows = []
    for target in all_targets:
        found = {"inputs kept": sum(1 for _ in target.corpus.iterdir()), "per second": round(target.rate), "sources": target.commit}
        row = judged(target.name, target.executions, "executions", found, target.faults)
        if row.outcome == PASSED and target.executions < goals[target.name]:
            row = Row(row.part, row.count, row.unit, found, UNFINISHED, [f"of {goals[target.name]:,}" + (": the next call continues" if long else "")])
        rows.append(row)
    return rows


def goals_of(all_targets, task):
    """Returns the number of requested executions, by target."""
    usual = task.count(SHORT, LONG)
    goals = {target.name: usual for target in all_targets}
    if not task.long or task.given:
        return goals
    goals.update((name, count) for name, count in LARGE.items() if name in goals)
    if all(target.rate for target in all_targets) and len(all_targets) > FASTEST:
        for target in sorted(all_targets, key=lambda target: -target.rate)[:FASTEST]:
            goals[target.name] = FASTEST_LONG
    return goals


def measure(task):
    names = [name for name in targets() if not task.targets or name in task.targets]
    commit = output_of("git", "log", "-1", "--format=%h", "--", *SOURCES) or "unknown"
    if output_of("git", "status", "--porcelain", "--", *SOURCES):
        commit += CHANGED
    programs = built(names, task.folder / "build.txt")
    missing = [not_run(name, "cannot be built: see build.txt in the figure's folder") for name in names if programs[name] is None]
    found = [Target(name, commit, task.folder) for name in names if programs[name]]
    for target in found:
        target.program = pathlib.Path(programs[target.name])
        target.earlier = 0 if task.long else target.executions
    until = time.monotonic() + 60 * (task.minutes or MINUTES) if task.long else None
    slice_seconds = SLICE if task.long else SHORT_SECONDS
    at_once = min(AT_ONCE, os.cpu_count() or 1)
    while True:
        goals = goals_of(found, task)
        # Start with targets that have not run yet, then those that need the least time to reach their goal. That way,
        # most targets finish even if time is short.
        left = [target for target in found if not target.faults and target.executions < goals[target.name]]
        left.sort(key=lambda target: (goals[target.name] - target.executions) / target.rate if target.rate else 0)
        if not left or (until and time.monotonic() >= until):
            break
        turn = left if not task.long else left[:at_once]

        def work(target, goals=goals):
            seconds = min(slice_seconds, until - time.monotonic()) if until else slice_seconds
            target.run(goals[target.name] - target.executions, seconds)
            say(f"fuzz: {target.name}: {target.executions:,} of {goals[target.name]:,} executions, {target.rate:,.0f} a second")

        with concurrent.futures.ThreadPoolExecutor(at_once) as team:
            list(team.map(work, turn))
        if not task.long:
            break
    return rows_of(found, goals_of(found, task), task.long) + missing
