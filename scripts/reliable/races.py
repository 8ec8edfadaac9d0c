"""What ThreadSanitizer reports where the standard library beside it is not instrumented.

It does not see then that a `OnceLock` is filled before it is read, a contended mutex taken, a channel read or a thread ended behind what was
done before: the code that does it is in the library. A report is of this project where, of one of the two accesses, the innermost frame that
is not the library's stands in this workspace, and neither is what the library hands over in these ways."""

import re

# What is filled once; what the library knows of a thread; what the test harness hands over.
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
    """The file of the innermost frame that is not the library's; `None` where the program does not say."""
    return next((path for _, path in frames if path and not path.startswith("/rustc/")), None)


def counts(report, root):
    """Whether a report is of code below this folder."""
    accesses = [FRAME.findall(stack) for stack in ACCESS.findall(report)]
    if not accesses:
        # No race: a lock that is taken in two orders, or the like.
        return True
    handed = any(word in name for frames in accesses for name, _ in frames for word in HANDED)
    places = [place(frames) for frames in accesses]
    return not handed and any(path.startswith(f"{root}/") for path in places if path)


def of_project(said, root):
    """What was reported of code below this folder, and how many reports were of other code."""
    reports = REPORT.findall(said)
    ours = [" ".join([kind, *body.split()])[:200] for kind, body in reports if counts(body, root)]
    left_out = len(reports) - len(ours)
    if unread := said.count(BEGIN) - len(reports):
        ours.append(f"{unread} reports cannot be read")
    return ours, left_out
