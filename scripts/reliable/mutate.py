"""Changes every field of every input format: pqlab must reject the file in one line, or accept the new value."""

import os
import re
import subprocess

from reliable.common import ROOT, Figure, Unfit, judged, last_line, say, target_folder

FIGURE = Figure(
    name="mutate",
    title="Changed files: rejected or accepted, never a panic",
    how="A test changes every field of every format that can be imported, one field at a time. It removes the field, "
    "or changes its type, sign or length, for example. `pqlab import` and similar commands must reject the file in one line "
    "that names the place, or accept the file if the new value is possible.",
    limits="Only one field changes at a time. Combinations of several wrong fields are left to the fuzzer.",
)

# Integration test of crates/cli that changes the fields, and the environment variable for its long form.
MUTATION_TEST = "mutation"
LONG = {"PQLAB_MUTATIONS": "long"}
LINE = re.compile(r"mutations: ([\d,]+) tried, ([\d,]+) rejected, ([\d,]+) accepted")


def measure(task):
    if not (ROOT / "crates/cli/tests" / f"{MUTATION_TEST}.rs").exists():
        raise Unfit(f"the test crates/cli/tests/{MUTATION_TEST}.rs is missing")
    # Build the whole workspace, so that no C library is rebuilt. Do not use nextest, which sets time limits.
    words = ["cargo", "test", "--workspace", "--release", "--locked", "--test", MUTATION_TEST, "--", "--nocapture"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target_folder()), **(LONG if task.long else {})}
    log = task.folder / "output.txt"
    say(f"mutate: {' '.join(words)}")
    with open(log, "w") as output:
        code = subprocess.run(words, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    text = log.read_text(errors="replace")
    numbers = [[int(number.replace(",", "")) for number in line] for line in LINE.findall(text)]
    tried, rejected, accepted = (sum(column) for column in zip(*numbers)) if numbers else (0, 0, 0)
    faults = [f"the test exited with code {code}: {last_line(text)}"] * bool(code)
    faults += ["the test does not report the number of changes"] * (not numbers)
    return [judged("", tried, "changes", {"rejected": rejected, "accepted": accepted}, faults)]
