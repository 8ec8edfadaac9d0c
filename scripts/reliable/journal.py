"""Journals of a cluster's verification: a bit that changed is found."""

import os
import subprocess

from reliable.common import ROOT, Figure, Unfit, judged, last_line

FIGURE = Figure(
    name="journal",
    title="Journals: every flipped bit found",
    how="A block is verified in parts with a journal, in both formats. Then one bit that is drawn at random is flipped in the file, or in the "
    "journal, and the verification goes on with the journal: it has to refuse, or to verify again what the journal has lost.",
    limits="The parts are verified by the functions that a node calls, without a cluster. A file that changes and changes back between two "
    "readings is not seen.",
)


def measure(task):
    flips = task.count(25, 250)
    log = task.folder / "pytest.txt"
    words = ["scripts/python", "python/tests/test_cluster.py", "-q", "-k", "one_bit_flipped"]
    environment = {**os.environ, "PQLAB_FLIPS": str(flips), "PQLAB_FLIPS_SEED": str(task.seed)}
    with open(log, "w") as output:
        code = subprocess.run(words, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    said = log.read_text(errors="replace")
    if "2 passed" not in said and "failed" not in said:
        raise Unfit(f"the package for Python cannot be built or tested here: {last_line(said)}")
    # Two formats, and the journal of each.
    return [judged("", 4 * flips, "flipped bits", {}, [last_line(said)] if code else [])]
