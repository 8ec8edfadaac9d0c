"""Journals of cluster verifications: pqlab must detect every flipped bit."""

import os
import subprocess

from reliable.common import ROOT, Figure, Unfit, judged, last_line

FIGURE = Figure(
    name="journal",
    title="Journals: every flipped bit detected",
    how="The test verifies a block in parts and writes a journal, for both block formats. It then flips one random bit "
    "in the block or in the journal and resumes. pqlab must reject the journal, or re-verify the parts that "
    "the journal has lost.",
    limits="The test calls the functions that run on a node, without a cluster. pqlab cannot detect a file that "
    "changes and changes back between two reads.",
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
        raise Unfit(f"cannot build or test the Python package: {last_line(said)}")
    # The test flips bits in the block and in the journal, for each of two formats.
    return [judged("", 4 * flips, "flipped bits", {}, [last_line(said)] if code else [])]
