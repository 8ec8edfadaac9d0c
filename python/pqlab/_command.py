"""What the program ``pqlab`` hands to the Python package: ``python -m pqlab._command verify FILE ...``."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time

from pqlab._errors import Error
from pqlab.cluster import ClusterReport, verify_block

SHOWN = 20
"""Rejected transactions that are printed one by one, as by the program itself."""


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="pqlab ledger", allow_abbrev=False)
    verify = parser.add_subparsers(required=True).add_parser("verify")
    verify.add_argument("file")
    verify.add_argument("--cluster", required=True)
    verify.add_argument("--chain-id", type=int, default=1)
    verify.add_argument("--form", default="txv2")
    verify.add_argument("--threads", type=int, default=1)
    verify.add_argument("--provider")
    verify.add_argument("--batch", type=int)
    verify.add_argument("--journal")
    verify.add_argument("--keep-keys", action="store_true")
    verify.add_argument("--json", action="store_true")
    verify.add_argument("--no-progress", action="store_true")
    return parser.parse_args(words)


def _phases(report: ClusterReport) -> dict[str, float]:
    names = ["reading", "decoding", "verifying", "threads_waited", "reading_waited"]
    return {f"{name}_s": getattr(report.phases, name) / 1e9 for name in names}


def document(asked: argparse.Namespace, report: ClusterReport) -> dict[str, object]:
    """What ``--json`` prints: the program's own document, and beside it what the cluster did."""
    seconds = max(report.elapsed_ns, 1) / 1e9
    return {
        "schema": "pqlab-ledger/1",
        "file": asked.file,
        "format": report.format,
        "form": "TXv1" if asked.form == "txv1" else "TXv2",
        "chain_id": asked.chain_id,
        "threads": report.threads,
        "batch": report.batch,
        "providers": report.providers,
        "complete": True,
        "transactions": report.transactions,
        "accepted": report.transactions - report.rejected,
        "rejected": report.rejected,
        "rejected_by_kind": report.kinds,
        "rejections": [{"index": one.index, "kind": one.kind, "reason": one.reason} for one in report.rejections],
        "rejections_listed": len(report.rejections),
        "bytes": report.bytes,
        "phases": _phases(report),
        "seconds": seconds,
        "transactions_per_s": report.transactions / seconds,
        "bytes_per_s": report.bytes / seconds,
        "cluster": {
            "nodes": report.nodes,
            "parts": report.parts,
            "parts_of_the_journal": report.resumed,
            "parts_begun_again": report.begun_again,
            "start_s": report.start_ns / 1e9,
            "unshared_memory_bytes": report.unshared_memory,
        },
    }


def sentences(asked: argparse.Namespace, report: ClusterReport) -> str:
    """What is printed without ``--json``."""
    seconds = max(report.elapsed_ns, 1) / 1e9
    accepted, spent = report.transactions - report.rejected, _phases(report)
    nodes = "1 node" if report.nodes == 1 else f"{report.nodes} nodes"
    lines = [
        f"{asked.file}: {accepted:,} of {report.transactions:,} transactions accepted, {report.rejected:,} rejected",
        f"{report.bytes / 2**20:.3g} MiB in {seconds:.3g} s on {nodes} with {report.threads} threads: "
        f"{report.transactions / seconds:,.0f} transactions/s, {report.bytes / seconds / 2**20:.3g} MiB/s",
        f"{report.parts} parts, {report.resumed} of them from the journal, {report.begun_again} begun again; the start took "
        f"{report.start_ns / 1e9:.3g} s; at most {report.unshared_memory / 2**20:.3g} MiB of a process's own",
        f"over all threads reading {spent['reading_s']:.3g} s, decoding {spent['decoding_s']:.3g} s, verifying "
        f"{spent['verifying_s']:.3g} s, waiting to be read {spent['threads_waited_s']:.3g} s; reading waited "
        f"{spent['reading_waited_s']:.3g} s for them",
    ]
    lines += [f"  {count:>9,}  {kind}" for kind, count in report.kinds.items()]
    lines += [f"  transaction {one.index}: {one.reason}" for one in report.rejections[:SHOWN]]
    if report.rejected > SHOWN:
        lines.append(f"  and {report.rejected - SHOWN:,} more: --json lists them")
    return "\n".join(lines)


class _Bar:
    """How far it is, on one line of the terminal."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def __call__(self, done: int, every: int) -> None:
        left = (time.monotonic() - self.began) / done * (every - done) if done else 0
        sys.stderr.write(f"\r\x1b[K{done:,} of {every:,} transactions verified, about {left:.0f} s left")
        if done == every:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def main(words: list[str]) -> int:
    """Does what the words say; the exit code."""
    asked = _arguments(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    shown = sys.stderr.isatty() and not asked.no_progress and not asked.json
    try:
        report = verify_block(
            asked.file,
            asked.chain_id,
            address=asked.cluster,
            form=asked.form,
            threads=asked.threads,
            provider=asked.provider,
            keep_keys=asked.keep_keys,
            batch=asked.batch,
            journal=asked.journal,
            progress=_Bar() if shown else None,
        )
    except KeyboardInterrupt:
        kept = f": the same command goes on with {asked.journal}" if asked.journal else ""
        sys.stderr.write(f"pqlab: stopped{kept}\n")
        return 130
    except Error as error:
        what = " ".join(str(error).split())
        sys.stderr.write(f"pqlab: {what}\n")
        return 2
    sys.stdout.write((json.dumps(document(asked, report), indent=2) if asked.json else sentences(asked, report)) + "\n")
    return 1 if report.rejected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
