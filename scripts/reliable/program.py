"""The program under test: with its own database, as a running session, and as a service."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import threading
import urllib.parse

from reliable.common import MOMENT, PATIENCE, Broken, cache, last_line, size, start

# Exit codes of a run that completed: every case was measured, or some failed.
ENDED = (0, 1)


class Pqlab:
    """The program in its own folder, which holds its database and all else it creates, such as claims on cores."""

    def __init__(self, program, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        self.program = str(program.absolute())
        self.database = self.folder / "pqlab.db"
        own = {"PQLAB_DB": self.database, "HOME": self.folder, "TMPDIR": self.folder, "PQLAB_CACHE": cache()}
        self.environment = {**os.environ, **{name: str(path) for name, path in own.items()}}

    def start(self, *words, before=(), **options):
        """Starts it, prefixed by the words `before` if there are any."""
        return start([*before, self.program, *words], env=self.environment, cwd=self.folder, **options)

    def run(self, *words, before=()):
        """Runs it to its end, whatever the exit code."""
        command = [*before, self.program, *words]
        try:
            return subprocess.run(
                command, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=MOMENT, check=False,
            )
        except subprocess.TimeoutExpired:
            raise Broken(f"`pqlab {' '.join(words)}` did not end in {MOMENT} s") from None

    def read(self, *words, codes=(0,)):
        """Returns its output if its exit code is one of `codes`."""
        ended = self.run(*words)
        if ended.returncode not in codes:
            raise Broken(f"`pqlab {' '.join(words)}` ended with {ended.returncode}: {last_line(ended.stderr)}")
        return ended.stdout

    def runs(self):
        return json.loads(self.read("runs", "--json"))

    def results(self, run):
        """Returns the ids of the finished cases of a run, as exported."""
        areas = json.loads(self.read("export", run, "--format", "json"))["results"].values()
        return [result["id"] for area in areas for result in area]


def integrity(database):
    """Returns SQLite's check of the file: `ok`, or the errors."""
    # Not read-only, because the log of a killed process is first merged into the database.
    name = f"file:{urllib.parse.quote(str(database))}?mode=rw"
    try:
        with contextlib.closing(sqlite3.connect(name, uri=True, timeout=60)) as connection:
            said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
            orphans = len(connection.execute("PRAGMA foreign_key_check").fetchall())
    except sqlite3.Error as error:
        return str(error)
    return "; ".join(said + [f"{orphans} orphaned rows"] * bool(orphans))


class Session:
    """A running `pqlab run`, and the runs and cases that it has reported."""

    def __init__(self, pqlab, *words, before=()):
        self.run, self.cases, self.code = None, [], None
        self.begun = threading.Event()
        self.errors = pqlab.folder / "errors.txt"
        with open(self.errors, "w") as errors:
            words = ("run", *words, "--json", "--no-progress")
            self.process = pqlab.start(
                *words, before=before, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                # The last line of a killed process may be cut, and is then ignored.
                continue
            if event.get("event") == "begin":
                self.run = event["run"]["id"]
                self.begun.set()
            elif event.get("event") == "case":
                self.cases.append(event["result"]["id"])

    def end(self):
        """Waits until it has ended, by itself or by a signal. Returns its code."""
        try:
            self.code = self.process.wait(MOMENT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Broken(f"a run did not end in {MOMENT} s") from None
        finally:
            self.reader.join(PATIENCE)
        return self.code

    def said(self):
        """Returns its standard error."""
        return self.errors.read_text(errors="replace")


class Service:
    """`pqlab serve` or `pqlab ntor-relay`, until the `with` block ends."""

    def __init__(self, pqlab, *words):
        self.errors = pqlab.folder / f"{words[0]}-errors.txt"
        with open(self.errors, "w") as errors:
            self.process = pqlab.start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        first = self.process.stdout.readline()
        if not first:
            raise Broken(f"`pqlab {words[0]}` ended: {last_line(self.errors.read_text(errors='replace'))}")
        # `http://127.0.0.1:8000/` or `listening at 127.0.0.1:9001`.
        host, _, port = first.split()[-1].removeprefix("http://").rstrip("/").rpartition(":")
        self.address = (host, int(port))
        # Further output is discarded, so that it does not fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    @property
    def name(self):
        """Address as `host:port`."""
        return f"{self.address[0]}:{self.address[1]}"

    def alive(self):
        return self.process.poll() is None

    def size(self):
        if not self.alive():
            raise Broken(f"the service ended with {self.process.returncode}: {last_line(self.errors.read_text(errors='replace'))}")
        return size(self.process.pid)
