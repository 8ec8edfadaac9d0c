"""Checks licences and sources of dependencies and the reasons for unsafe code, and runs tests with sanitizers."""

import os
import re
import subprocess

from reliable import races
from reliable.common import ROOT, Figure, Row, Unfit, judged, last_line, not_run, output_of, say, target_folder

FIGURE = Figure(
    name="supply",
    title="Dependencies, unsafe code, sanitizers",
    how="`cargo deny check` checks the lock file. `scripts/safety` checks every `unsafe` in the sources, as Clippy "
    "does. The long form also checks that `cargo auditable` embeds a list of crates that `rust-audit-info` can read. "
    "With a nightly compiler, it also runs tests with sanitizers: the adapters with AddressSanitizer, and the store, "
    "the server and the harness with ThreadSanitizer. Miri runs the tests of crates that call no C.",
    limits="AddressSanitizer instruments Rust and replaces the allocator. In the C libraries, it sees only calls to "
    "the allocator and to libc. Without the sources of the standard library, Miri does not run, "
    "and ThreadSanitizer does not see synchronisation inside the standard library. Reports about the standard library "
    "and about other crates are counted but excluded.",
)

PLATFORM = "x86_64-unknown-linux-gnu"
ADAPTERS = ("pqlab-openssl-sys", "pqlab-adapters", "pqlab-providers", "pqlab-foreign", "pqlab-mldsa-batch", "pqlab-keccak")
THREADED = ("pqlab-store", "pqlab-server", "pqlab-harness")
WITHOUT_C = ("pqlab-primitives", "pqlab-record", "pqlab-stats")
REPORTS = re.compile(r"(?:ERROR|WARNING): (?:Address|Thread)Sanitizer.*|error: Undefined Behavior.*")
# Tests that ThreadSanitizer cannot run: one checks the allocator, which ThreadSanitizer replaces, and one limits the
# address space.
NOT_THREAD = ("peaks", "random_bytes_neither_panic_nor_take_memory")
PASSED_TESTS = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.MULTILINE)


def ended(task, name, words, **environment):
    """Runs a command. Returns its exit code and its output, which is also stored in the figure's folder."""
    log = task.folder / f"{name}.txt"
    say(f"supply: {' '.join(words)}")
    with open(log, "w") as output:
        given = {**os.environ, **environment}
        code = subprocess.run(words, cwd=ROOT, env=given, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    return code, log.read_text(errors="replace")


def deny(task) -> Row:
    code, said = ended(task, "deny", ["scripts/tool", "cargo-deny", "--locked", "check", "licenses", "bans", "sources"])
    return judged("cargo deny", crates(), "crates", {}, [last_line(said)] if code else [])


def advisories(task) -> Row:
    code, said = ended(task, "advisories", ["scripts/tool", "cargo-deny", "--locked", "check", "advisories"])
    if code and "advisories FAILED" not in said:
        raise Unfit("cannot fetch the list of known vulnerabilities")
    return judged("known vulnerabilities", crates(), "crates", {}, [last_line(said)] if code else [])


def crates() -> int:
    return len(re.findall(r"^\[\[package\]\]", (ROOT / "Cargo.lock").read_text(), re.MULTILINE))


def safety(task) -> Row:
    code, said = ended(task, "safety", ["scripts/safety"])
    count = re.search(r"(\d+) unsafe", said)
    return judged("SAFETY: comments", int(count[1]) if count else 0, "unsafe blocks", {}, [last_line(said)] if code else [])


def auditable(task) -> Row:
    tools = output_of("scripts/tool", "--folder", "cargo-auditable", "rust-audit-info")
    if not tools:
        raise Unfit("cannot build cargo-auditable (`scripts/tool --folder cargo-auditable` shows why)")
    folder = target_folder()
    words = ["cargo", "auditable", "build", "--release", "--locked"]
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    code, said = ended(task, "auditable", words, PATH=path, CARGO_TARGET_DIR=str(folder))
    if code:
        return judged("cargo auditable", 0, "crates", {}, [last_line(said)])
    listed = output_of(f"{tools}/rust-audit-info", str(folder / "release" / "pqlab"))
    count = listed.count('"name":')
    return judged("cargo auditable", count, "crates", {}, [] if count else ["the program contains no list of its crates"])


def tested(task, part, crates, flags, words, look=None, **environment):
    """Runs the tests of crates with a tool from the nightly toolchain. `look` extracts faults and results from
    output."""
    given = [word for crate in crates for word in ("-p", crate)]
    folder = str(target_folder() / part.split()[0].lower())
    code, said = ended(
        task, part.split()[0], ["cargo", "+nightly", *words[:1], "--locked", "--target", PLATFORM, *given, *words[1:]],
        RUSTFLAGS=flags, CARGO_TARGET_DIR=folder, **environment,
    )
    numbers = [tuple(map(int, pair)) for pair in PASSED_TESTS.findall(said)]
    passed, failed = (sum(column) for column in zip(*numbers)) if numbers else (0, 0)
    reports, told = look(said) if look else (REPORTS.findall(said), {})
    faults = reports + ([f"exit code {code}: {last_line(said)}"] if code and not reports else [])
    return judged(part, passed, "tests", {"failed": failed, "crates": ", ".join(crates), **told}, faults)


def there(component):
    """Whether this component of the nightly toolchain is installed."""
    return os.path.exists(f"{output_of('rustc', '+nightly', '--print', 'sysroot')}/{component[1]}")


def nightly(*components):
    if not output_of("cargo", "+nightly", "--version"):
        raise Unfit("no nightly compiler is installed (`rustup toolchain install nightly`)")
    for component, path in components:
        if not there((component, path)):
            raise Unfit(f"the nightly toolchain lacks {component} (`rustup component add {component} --toolchain nightly`)")


SOURCE = ("rust-src", "lib/rustlib/src/rust/library")


def address(task) -> Row:
    nightly()
    words = ["test", "--release", "--lib", "--tests", "--no-fail-fast"]
    options = {"LSAN_OPTIONS": f"suppressions={ROOT / 'scripts/reliable/leaks.supp'}:print_suppressions=0"}
    return tested(task, "AddressSanitizer", ADAPTERS, "-Zsanitizer=address", words, **options)


def thread(task) -> Row:
    nightly()
    words = ["test", "--release", "--lib", "--tests", "--no-fail-fast"]
    skipped = ["--", *(word for name in NOT_THREAD for word in ("--skip", name))]
    if there(SOURCE):
        return tested(task, "ThreadSanitizer", THREADED, "-Zsanitizer=thread", [*words, "-Zbuild-std", *skipped])

    def look(said):
        ours, left_out = races.of_project(said, ROOT)
        return ours, {"standard library": "not instrumented", "reports left out": left_out}

    flags = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
    return tested(task, "ThreadSanitizer", THREADED, flags, [*words, *skipped], look, TSAN_OPTIONS="exitcode=0 history_size=4")


def miri(task) -> Row:
    nightly(SOURCE, ("miri", "bin/miri"))
    return tested(task, "Miri", WITHOUT_C, "", ["miri", "test", "--lib"])


def measure(task):
    parts = [("cargo deny", deny), ("known vulnerabilities", advisories), ("SAFETY: comments", safety)]
    if task.long:
        parts += [("cargo auditable", auditable), ("AddressSanitizer", address), ("ThreadSanitizer", thread), ("Miri", miri)]
    rows = []
    for name, part in parts:
        try:
            rows.append(part(task))
        except Unfit as reason:
            rows.append(not_run(name, reason))
    return rows
