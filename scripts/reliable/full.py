"""A full disk at every write: pqlab must print one error line, lose no result, leave no partial file, and recover."""

import dataclasses
import os
import re
import shutil
import subprocess

from reliable.common import PASSED, Broken, Figure, Unfit, judged, last_line, say
from reliable.program import Pqlab, Session, integrity

FIGURE = Figure(
    name="full",
    title="A full disk at every write",
    how="Each command runs once under `strace`, which lists its writes. It then runs once for each write, sync or "
    "truncate call. In each of these runs, that call and all later ones fail with ENOSPC. This covers the database files "
    "of `pqlab run`, with a new database and with one that contains a run. It also covers the output of `report`, "
    "`export` and `ledger generate`. Each command must print an error in one line and exit with a non-zero code, without a panic. Earlier "
    "results must still exist, and SQLite's `integrity_check` must report `ok`. Each file must contain its old content "
    "or the complete new content, and no file may be left over. The same command, or `--resume`, must then succeed. "
    "The short form tests every tenth write.",
    limits="The disk is not really full; only the system calls report ENOSPC. Errors that appear only when the kernel "
    "writes pages back are not covered. Cleanup after closing a database may fail silently, because everything is "
    "already stored.",
)

# System calls that can need disk space, and calls that can report a full disk afterwards.
CALLS = ("write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "ftruncate", "fallocate")
# `4211  pwrite64(5</folder/pqlab.db-wal>, ""..., 4096, 0) = 4096`
LINE = re.compile(r"^(?:(\d+) +)?(\w+)\(\d+<([^>]*)>")
INJECTED = "(INJECTED)"
# The short form tests every tenth write.
STRIDE = 10
# Files that SQLite keeps next to a database.
BESIDE = ("", "-wal", "-shm", "-journal")
RUN = ("hash", "--provider", "rustcrypto", "--filter", "hash/SHA3-256/digest*", "--processes", "2", "--max-time", "0.02", "--seed", "7")
# Content of an output file before the command runs.
OLD = b"what was here before\n"
# Last bytes of a complete file, by extension, for formats that are not reproducible byte for byte.
ENDS = {".pdf": b"%%EOF"}


@dataclasses.dataclass(frozen=True)
class Write:
    """A system call that a command made, and the file."""

    call: str
    path: str


class Strace:
    """Runs the program under strace, which records writes or makes them fail."""

    def __init__(self, program, log):
        self.program, self.log = program, log

    def words(self, more, follow):
        # Let the kernel filter system calls, so that workers are not slowed down.
        following = ("-f", "--seccomp-bpf") if follow else ()
        traced = ("-e", f"trace={','.join(CALLS)}", "-e", "signal=none", "-y", "-s", "0", "-qq")
        return (self.program, "-o", str(self.log), *following, *traced, *more)

    def seen(self):
        """Returns the writes of the thread with the most writes, in order."""
        threads = {}
        for line in self.log.read_text(errors="replace").splitlines():
            if found := LINE.match(line):
                threads.setdefault(found[1], []).append(Write(found[2], found[3]))
        return max(threads.values(), key=len, default=[])

    def hit(self):
        """Whether strace made any call fail."""
        return INJECTED in self.log.read_text(errors="replace")


def from_there_on(writes, place):
    """Returns strace options that make this and all later writes fail. strace counts each system call separately."""
    counts = {call: 1 + sum(write.call == call for write in writes[:place]) for call in CALLS}
    return [word for call, count in counts.items() for word in ("-e", f"inject={call}:error=ENOSPC:when={count}+")]


def this_one(writes, place):
    """Returns strace options that make only this write fail, because later writes may go to the terminal."""
    call = writes[place].call
    count = 1 + sum(write.call == call for write in writes[:place])
    return ["-e", f"inject={call}:error=ENOSPC:when={count}"]


def complaint(code, said, path):
    """Checks how a command that could not write to this path ended. Returns the faults."""
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("strace:")]
    faults = [f"exit code {code}"] * (code == 0 or code < 0 or code >= 128)
    faults += [f"a panic: {last_line(said)}"] * ("panicked" in said)
    if len(lines) != 1 or not lines[0].startswith("pqlab: "):
        faults.append(f"expected one error line, got {len(lines)}: {' / '.join(lines)}")
    elif path not in lines[0]:
        faults.append(f"the error does not name {path}: {lines[0]}")
    return faults


class Tally:
    """Results for a command."""

    def __init__(self, name, task, writes):
        self.name, self.writes = name, writes
        self.step = task.given or (1 if task.long else STRIDE)
        self.tried = self.hits = self.silent = 0
        self.faults = []

    def places(self, places):
        """Yields every `step`-th place to test, and reports progress."""
        for place in places[:: self.step]:
            self.tried += 1
            if self.tried % 25 == 0:
                say(f"full: {self.name}: {self.tried} of {-(-len(places) // self.step)}, {len(self.faults)} faults")
            yield place

    def try_each(self, places, trial):
        """Calls `trial` for each write. `trial` returns faults, whether a write failed, and whether pqlab succeeded."""
        for place in self.places(places):
            try:
                faults, hit, well = trial(place)
            except Broken as error:
                faults, hit, well = [str(error)], True, False
            self.hits += hit
            self.silent += hit and well
            write = self.writes[place]
            where = f"{write.call} of {os.path.basename(write.path)}, write {place + 1}"
            self.faults += [f"{where}: {fault}" for fault in faults]

    def row(self):
        found = {"injected failures": self.hits, "writes seen": len(self.writes), "succeeded anyway": self.silent}
        nothing = ["strace saw no write"] * (not self.writes)
        nothing += ["no write failed"] * (bool(self.writes) and not self.hits)
        return judged(self.name, self.tried, "full disks", found, self.faults + nothing)


def fresh(task, template):
    """Returns the program with a copy of the template's database, or without a database."""
    folder = task.folder / "now"
    shutil.rmtree(folder, ignore_errors=True)
    pqlab = Pqlab(task.program, folder)
    if template:
        shutil.copy(template.database, pqlab.database)
    return pqlab


def traced_run(pqlab, strace, options):
    """Measures a run while strace records writes to the database or makes them fail."""
    paths = [word for end in BESIDE for word in ("-P", f"{pqlab.database}{end}")]
    words, before = ("run", *RUN, "-q", "--format", "events", "--no-progress"), strace.words([*options, *paths], follow=True)
    session = Session(pqlab, *words[1:-2], before=before)
    session.end()
    return session


def checked_run(pqlab, strace, options, earlier):
    """Tests a run on a full disk. Returns faults, whether a write failed, and whether the run succeeded."""
    session = traced_run(pqlab, strace, options)
    hit, well = strace.hit(), session.code == 0
    faults = [] if well else complaint(session.code, session.said(), str(pqlab.database))
    if (not hit) and not well:
        faults.append("the run failed although no write failed")
    if pqlab.database.exists() and (sound := integrity(pqlab.database)) != "ok":
        faults.append(f"integrity_check: {sound}")
    # Resume the run if it had begun. A database without tables is treated as missing, because read-only commands reject
    # it.
    listed = pqlab.run("runs", "--json")
    if listed.returncode and (session.run or earlier):
        return [*faults, f"`pqlab runs` exited with code {listed.returncode}: {last_line(listed.stderr)}"], hit, well
    stopped = [run for run in pqlab.runs() if not run["complete"]] if listed.returncode == 0 else []
    if well and stopped:
        faults.append("the run exited with code 0 but is not complete")
    if stopped or not well:
        pqlab.read("run", *(["--resume"] if stopped else RUN), "-q")
    # Every case that the run reported as finished must still exist after the next run.
    stored = {run["id"]: pqlab.results(run["id"]) for run in pqlab.runs()}
    if any(not run["complete"] for run in pqlab.runs()):
        faults.append("a run is not complete at the end")
    if lost := set(session.cases) - set(stored.get(session.run, ())):
        faults.append(f"lost: {', '.join(sorted(lost))}")
    if any(len(cases) > len(set(cases)) for cases in stored.values()):
        faults.append("cases are duplicated")
    if earlier and pqlab.read("export", earlier[0], "--format", "csv") != earlier[1]:
        faults.append("the earlier run has changed")
    return faults, hit, well


def of_runs(task, strace, name, template):
    """Tests a run with a new database, or with a copy of the template's database."""
    earlier = None
    if template:
        run = template.runs()[0]["id"]
        earlier = (run, template.read("export", run, "--format", "csv"))
    session = traced_run(fresh(task, template), strace, ())
    if session.code != 0:
        raise Broken(f"{name}: under strace, the run exited with code {session.code}: {session.said()}")
    writes = strace.seen()
    tally = Tally(name, task, writes)
    trial = lambda place: checked_run(fresh(task, template), strace, from_there_on(writes, place), earlier)
    tally.try_each(range(len(writes)), trial)
    return tally.row()


def content(folder):
    """Returns the content of all files below a folder, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def of_outputs(task, strace, name, pqlab, words, single):
    """Tests a command that writes into a folder or overwrites the file `single`."""
    out = pqlab.folder / "out"

    def made(before=()):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        if single:
            (out / single).write_bytes(OLD)
        return pqlab.run(*words, before=before)

    # Run the command twice, to find the files that are identical each time.
    wanted = []
    for before in ((), strace.words((), follow=False)):
        ended = made(before)
        if ended.returncode:
            raise Broken(f"{name} exited with code {ended.returncode}: {last_line(ended.stderr)}")
        wanted.append(content(out))
    # The bytes of a PDF sometimes differ between calls, so only the end of a PDF is checked.
    same = {file for file in wanted[0] if wanted[0][file] == wanted[1].get(file) and not file.endswith(".pdf")}
    writes = strace.seen()
    tally = Tally(name, task, writes)

    def whole(file, found):
        if file in same:
            return found == wanted[0][file]
        return bool(found) and found.rstrip().endswith(ENDS.get(file[-4:], b""))

    def trial(place):
        ended = made(strace.words(this_one(writes, place), follow=False))
        hit, well = strace.hit(), ended.returncode == 0
        faults = complaint(ended.returncode, ended.stderr, str(out)) if hit else []
        there = content(out)
        faults += [f"{file} is left over" for file in there if file not in wanted[0]]
        old = {single} if single and there.get(single) == OLD else set()
        faults += [f"{file} is not complete" for file in there if file in wanted[0] and file not in old and not whole(file, there[file])]
        if single and not well and not old:
            faults.append(f"{single} has changed although the command failed")
        again = made()
        after = content(out)
        if again.returncode or set(after) != set(wanted[0]) or not all(whole(file, after[file]) for file in after):
            faults.append(f"the next call exited with code {again.returncode}: {last_line(again.stderr)}")
        return faults, hit, well

    tally.try_each([place for place, write in enumerate(writes) if write.path.startswith(f"{out}/")], trial)
    return tally.row()


def measure(task):
    program = shutil.which("strace")
    if program is None:
        raise Unfit("strace is not installed (Debian package: strace)")
    if subprocess.run([program, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        raise Unfit("strace is not permitted here")
    strace = Strace(program, task.folder / "strace.txt")
    template = Pqlab(task.program, task.folder / "template")
    template.read("run", *RUN, "-q", "--no-progress")
    out = template.folder / "out"
    block = ("ledger", "generate", "--count", "20000", "--scheme", "Ed25519", "--threads", "1", "--no-progress")
    rows = [
        of_runs(task, strace, "run, new database", None),
        of_runs(task, strace, "run, existing database", template),
        of_outputs(task, strace, "report", template, ("report", "--out", str(out)), None),
        of_outputs(task, strace, "export", template, ("export", "last", "--format", "json-samples", "--out", str(out / "run.json")), "run.json"),
        of_outputs(task, strace, "ledger generate", template, (*block, "--out", str(out / "block.tx")), "block.tx"),
    ]
    for row in rows:
        say(f"full: {row.part}: {row.outcome}" + ("" if row.outcome == PASSED else f": {row.why[0]}"))
    return rows
