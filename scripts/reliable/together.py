"""Two runs, a server and readers on one database: no process may block another."""

import json

from reliable import web
from reliable.common import Broken, Figure, judged
from reliable.program import Pqlab, Service, Session, integrity

FIGURE = Figure(
    name="together",
    title="Two runs, a server and readers on one database",
    how="Two loops of `pqlab run`, a `pqlab serve` with eight clients, and two loops of list and export commands use "
    "one database at the same time. Every run must exit with code 0 and be complete. Every case that was reported as "
    "finished must be in the export exactly once. No answer may have a 5xx status other than 503, no command may "
    "report a locked database, and SQLite's `integrity_check` must report `ok`.",
    limits="The test uses one machine and a local disk: not every network file system supports SQLite's locks.",
)

WRITERS, CLIENTS = 2, 8
RUN = ("hash", "--provider", "rustcrypto", "--filter", "hash/SHA3-2*/digest*", "--processes", "2", "--max-time", "0.02")


def measure(task):
    seconds = task.count(20, 600)
    pqlab = Pqlab(task.program, task.folder)
    # Create the database to serve.
    pqlab.read("run", *RUN, "--seed", "1", "--no-progress", "-q")
    team, said = web.Team(), {}

    def write(index, turn):
        # Each loop uses a separate folder for output, and the same database.
        own = Pqlab(task.program, task.folder / f"writer-{index}")
        own.environment.update(PQLAB_DB=str(pqlab.database), TMPDIR=str(pqlab.folder))
        session = Session(own, *RUN, "--seed", str(1000 * index + turn))
        code = session.end()
        if code != 0 or session.run is None:
            team.fault(f"a run exited with code {code}: {session.said()}")
        else:
            said[session.run] = session.cases
        if "locked" in session.said():
            team.fault(f"a run: {session.said()}")

    def read(index, turn):
        words = ("runs", "--json") if (index + turn) % 2 else ("export", "last", "--format", "csv")
        ended = pqlab.run(*words)
        if ended.returncode or "locked" in ended.stderr:
            team.fault(f"`pqlab {words[0]}` exited with code {ended.returncode}: {ended.stderr}")
        team.count("read")

    with Service(pqlab, "serve", "--listen", "127.0.0.1:0") as service:

        def look(index, turn):
            runs = [run["id"] for run in newest]
            path = task.chance("together", index, turn).choice(["/", "/state", *(f"/runs/{run}" for run in runs)])
            page = web.get(service.address, path, limit=300)
            team.count(str(page.status))
            if page.status not in (200, 503) or page.body is None:
                team.fault(f"{path}: status {page.status}")

        newest = pqlab.runs()

        def renew(_index, _turn):
            newest[:] = pqlab.runs()[:5]
            team.stopping.wait(1)

        team.add(WRITERS, write)
        team.add(1, read)
        team.add(1, renew)
        team.add(CLIENTS, look)
        team.work(seconds)
    faults, lost, duplicated = list(team.faults), 0, 0
    runs = pqlab.runs()
    for run in runs:
        try:
            stored = pqlab.results(run["id"])
        except (Broken, json.JSONDecodeError) as error:
            faults.append(f"run {run['id']}: {error}")
            continue
        duplicated += len(stored) - len(set(stored))
        lost += len(set(said.get(run["id"], ())) - set(stored))
        if not run["complete"]:
            faults.append(f"run {run['id']} is not complete")
    lost += sum(len(cases) for run, cases in said.items() if run not in {run["id"] for run in runs})
    faults += [f"{lost} cases lost"] * bool(lost) + [f"{duplicated} cases duplicated"] * bool(duplicated)
    if (sound := integrity(pqlab.database)) != "ok":
        faults.append(f"integrity_check: {sound}")
    pages = team.counted("200")
    faults += ["no run was measured"] * (not said) + ["no page was served"] * (not pages)
    found = {"lost": lost, "duplicated": duplicated, "pages": pages, "503": team.counted("503"), "reads": team.counted("read"), "seconds": seconds}
    return [judged("", len(said), "runs", found, faults)]
