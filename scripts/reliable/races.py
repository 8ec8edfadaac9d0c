"""Filters ThreadSanitizer reports from builds with a standard library that is not instrumented.

In these builds, ThreadSanitizer does not see synchronization inside the standard library. Examples are filling a
`OnceLock`, locking a contended mutex, sending through a channel, and joining a thread. A report is about this project
if both of these conditions hold:

- For one of the two accesses, the innermost frame outside the standard library is in this workspace.
- Neither access is to data that the standard library synchronizes in these ways.
"""

import re

# Parts of stack frames that show that the standard library synchronizes an access: to a cell that is filled once, to
# data about threads, or to results of the test harness.
HANDED = (
    "std::sync::once_lock", "std::sync::lazy_lock", "std::sys::sync::once", "std::sync::once", "std::thread::lifecycle::Packet",
    "std::thread::thread::Inner", "test::event::CompletedTest",
)
BEGIN = "WARNING: ThreadSanitizer: "
REPORT = re.compile(rf"^{BEGIN}(.*?)\n(.*?)^SUMMARY", re.MULTILINE | re.DOTALL)
# Matches `  Read of size 8 at 0x561c46d390c8 by thread T118:` and the frames that follow.
ACCESS = re.compile(r"^  (?:Previous )?(?:atomic )?(?:[Rr]ead|[Ww]rite) of size .*\n((?:    #\d+ .*\n)+)", re.MULTILINE)
FRAME = re.compile(r"^    #\d+ (.*?)(?: (/\S+?)(?::\d+)*)? \(", re.MULTILINE)


def place(frames):
    """Returns the file of the innermost frame outside the standard library, or `None` if no frame names a file."""
    return next((path for _, path in frames if path and not path.startswith("/rustc/")), None)


def counts(report, root):
    """Whether a report is about code below this folder."""
    accesses = [FRAME.findall(stack) for stack in ACCESS.findall(report)]
    if not accesses:
        # Keep reports that are not about races, such as lock order inversions.
        return True
    handed = any(word in name for frames in accesses for name, _ in frames for word in HANDED)
    places = [place(frames) for frames in accesses]
    return not handed and any(path.startswith(f"{root}/") for path in places if path)


def of_project(said, root):
    """Returns the reports about code below this folder, and the number of other reports."""
    reports = REPORT.findall(said)
    ours = [" ".join([kind, *body.split()])[:200] for kind, body in reports if counts(body, root)]
    left_out = len(reports) - len(ours)
    if unread := said.count(BEGIN) - len(reports):
        ours.append(f"reports that cannot be parsed: {unread}")
    return ours, left_out
