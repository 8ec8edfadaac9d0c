"""Reports of ThreadSanitizer with a standard library that is not instrumented.

It then does not see the synchronisation inside the library: that a `OnceLock` is filled before it is read, that a
contended mutex is taken, a channel is read, or a thread is joined after the work before it. A report belongs to this
project if the innermost frame outside the library, of one of the two accesses, is in this workspace, and neither access
is to data that the library passes on in these ways.
"""

import re

# Data that is filled once, the library's data about threads, and data passed on by the test harness.
HANDED = (
    "std::sync::once_lock", "std::sync::lazy_lock", "std::sys::sync::once", "std::sync::once", "std::thread::lifecycle::Packet",
    "std::thread::thread::Inner", "test::event::CompletedTest",
)
BEGIN = "WARNING: ThreadSanitizer: "
REPORT = re.compile(rf"^{BEGIN}(.*?)\n(.*?)^SUMMARY", re.MULTILINE | re.DOTALL)
# `  Read of size 8 at 0x561c46d390c8 by thread T118:`, and the frames below it.
ACCESS = re.compile(r"^  (?:Previous )?(?:atomic )?(?:[Rr]ead|[Ww]rite) of size .*\n((?:    #\d+ .*\n)+)", re.MULTILINE)
FRAME = re.compile(r"^    #\d+ (.*?)(?: (/\S+?)(?::\d+)*)? \(", re.MULTILINE)


def place(frames):
    """Returns the file of the innermost frame outside the library; `None` if the program does not tell."""
    return next((path for _, path in frames if path and not path.startswith("/rustc/")), None)


def counts(report, root):
    """Whether a report is about code below this folder."""
    accesses = [FRAME.findall(stack) for stack in ACCESS.findall(report)]
    if not accesses:
        # Not a race, for example a lock order inversion.
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
        ours.append(f"{unread} reports cannot be read")
    return ours, left_out
