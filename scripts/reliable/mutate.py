"""Changes every field of every format that is read: it must be refused in one line, or taken at its new value."""

import os
import re
import subprocess

from reliable.common import ROOT, Figure, Unfit, judged, last_line, say, target_folder

FIGURE = Figure(
    name="mutate",
    title="Changed files: refused or taken, never a panic",
    how="A test changes every field of every format that can be imported, one at a time: it is left out, has another type, another sign, a "
    "length that is not its own, and so on. `pqlab import` and its siblings refuse it in one line that names the place, or take it where "
    "it says something that can be.",
    limits="One field at a time, beside the rest as it was: what only several wrong fields together do is left to the fuzzer.",
)

# The integration test of crates/cli that does this, and the variable for its long form.
MUTATION_TEST = "mutation"
LONG = {"PQLAB_MUTATIONS": "long"}
LINE = re.compile(r"mutations: ([\d,]+) tried, ([\d,]+) refused, ([\d,]+) taken")


def measure(task):
    if not (ROOT / "crates/cli/tests" / f"{MUTATION_TEST}.rs").exists():
        raise Unfit(f"there is no test crates/cli/tests/{MUTATION_TEST}.rs")
    # In the whole workspace, so that no C library is rebuilt, and without nextest, which sets time limits.
    words = ["cargo", "test", "--workspace", "--release", "--locked", "--test", MUTATION_TEST, "--", "--nocapture"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target_folder()), **(LONG if task.long else {})}
    log = task.folder / "output.txt"
    say(f"mutate: {' '.join(words)}")
    with open(log, "w") as output:
        code = subprocess.run(words, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    text = log.read_text(errors="replace")
    numbers = [[int(number.replace(",", "")) for number in line] for line in LINE.findall(text)]
    tried, refused, taken = (sum(column) for column in zip(*numbers)) if numbers else (0, 0, 0)
    faults = [f"the test ended with {code}: {last_line(text)}"] * bool(code)
    faults += ["the test does not say how many it has tried"] * (not numbers)
    return [judged("", tried, "changes", {"refused": refused, "taken": taken}, faults)]
