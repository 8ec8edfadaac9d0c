"""Runs the program under test: with a separate database, as a session that measures, and as a service."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import threading
import urllib.parse

from reliable.common import MOMENT, PATIENCE, Broken, cache, last_line, size, start

# Exit codes of a complete run: 0 if every case was measured, 1 if cases failed.
ENDED = (0, 1)


class Pqlab:
    """The program, with a folder for its database and everything else that it creates, such as claims on cores."""

    def __init__(self, program, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        self.program = str(program.absolute())
        self.database = self.folder / "pqlab.db"
        own = {"PQLAB_DB": self.database, "HOME": self.folder, "TMPDIR": self.folder, "PQLAB_CACHE": cache()}
        self.environment = {**os.environ, **{name: str(path) for name, path in own.items()}}

    def start(self, *words, before=(), **options):
        """Starts the program. The words `before` precede it on the command line."""
        return start([*before, self.program, *words], env=self.environment, cwd=self.folder, **options)

    def run(self, *words, before=()):
        """Runs the program until it ends. Accepts any exit code."""
        command = [*before, self.program, *words]
        try:
            return subprocess.run(
                command, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=MOMENT, check=False,
            )
        except subprocess.TimeoutExpired:
            raise Broken(f"`pqlab {' '.join(words)}` did not end within {MOMENT} s") from None

    def read(self, *words, codes=(0,)):
        """Runs the program and returns its output. Raises `Broken` unless the exit code is one of `codes`."""
        ended = self.run(*words)
        if ended.returncode not in codes:
            raise Broken(f"`pqlab {' '.join(words)}` exited with code {ended.returncode}: {last_line(ended.stderr)}")
        return ended.stdout

    def runs(self):
        return json.loads(self.read("runs", "--json"))

    def results(self, run):
        """Returns the ids of the finished cases in the export of a run."""
        areas = json.loads(self.read("export", run, "--format", "json"))["results"].values()
        return [result["id"] for area in areas for result in area]


def integrity(database):
    """Returns the result of SQLite's integrity check: `ok`, or the errors."""
    # Open for writing, because SQLite first merges the log of a killed process into the database.
    name = f"file:{urllib.parse.quote(str(database))}?mode=rw"
    try:
        with contextlib.closing(sqlite3.connect(name, uri=True, timeout=60)) as connection:
            said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
            orphans = len(connection.execute("PRAGMA foreign_key_check").fetchall())
    except sqlite3.Error as error:
        return str(error)
    return "; ".join(said + [f"orphaned rows: {orphans}"] * bool(orphans))


class Session:
    """A running `pqlab run`, with the run id and the cases that it has reported."""

    def __init__(self, pqlab, *words, before=()):
        self.run, self.cases, self.code = None, [], None
        self.begun = threading.Event()
        self.errors = pqlab.folder / "errors.txt"
        with open(self.errors, "w") as errors:
            words = ("run", *words, "--format", "events", "--no-progress")
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
                # Ignore an incomplete last line, which a killed process can leave.
                continue
            if event.get("event") == "begin":
                self.run = event["run"]["id"]
                self.begun.set()
            elif event.get("event") == "case":
                self.cases.append(event["result"]["id"])

    def end(self):
        """Waits until the process has ended, and returns its exit code, negative for a signal."""
        try:
            self.code = self.process.wait(MOMENT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Broken(f"a run did not end within {MOMENT} s") from None
        finally:
            self.reader.join(PATIENCE)
        return self.code

    def said(self):
        """Returns the standard error of the process."""
        return self.errors.read_text(errors="replace")


class Service:
    """`pqlab serve` or `pqlab ntor-relay`, which runs until the `with` block ends."""

    def __init__(self, pqlab, *words):
        self.errors = pqlab.folder / f"{words[0]}-errors.txt"
        with open(self.errors, "w") as errors:
            self.process = pqlab.start(*words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        first = self.process.stdout.readline()
        if not first:
            raise Broken(f"`pqlab {words[0]}` ended: {last_line(self.errors.read_text(errors='replace'))}")
        # The first line is `http://127.0.0.1:8000/` or `listening at 127.0.0.1:9001`.
        host, _, port = first.split()[-1].removeprefix("http://").rstrip("/").rpartition(":")
        self.address = (host, int(port))
        # Discard further output, so that the pipe does not fill up.
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
        """Address of the service, as HOST:PORT."""
        return f"{self.address[0]}:{self.address[1]}"

    def alive(self):
        return self.process.poll() is None

    def size(self):
        if not self.alive():
            said = last_line(self.errors.read_text(errors="replace"))
            raise Broken(f"the service exited with code {self.process.returncode}: {said}")
        return size(self.process.pid)
