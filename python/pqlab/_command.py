"""What the program ``pqlab`` hands to the Python package: ``python -m pqlab._command verify FILE ...``,
``generate``, ``fleet``, ``page``."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from dataclasses import asdict

import pqlab
from pqlab import cluster
from pqlab._errors import Error, InvalidArgument
from pqlab._machines import kind, machines
from pqlab.cluster import ClusterReport, generate_block, verify_block

SHOWN = 20
"""Rejected transactions that are printed one by one, as by the program itself."""


def answer(text: str) -> None:
    """What was asked for, which alone goes to standard output: Ray writes there of what dies."""
    print(text, file=sys.__stdout__)


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="pqlab", allow_abbrev=False)
    verbs = parser.add_subparsers(required=True)
    verify = verbs.add_parser("verify", allow_abbrev=False)
    verify.set_defaults(verb=_verify)
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
    generate = verbs.add_parser("generate", allow_abbrev=False)
    generate.set_defaults(verb=_generate)
    generate.add_argument("out")
    generate.add_argument("--cluster", required=True)
    for name in ("--scheme", "--provider", "--format", "--form"):
        generate.add_argument(name)
    for name in ("--count", "--senders", "--invalid", "--chain-id", "--seed", "--threads"):
        generate.add_argument(name, type=int)
    generate.add_argument("--no-progress", action="store_true")
    scaling = verbs.add_parser("scaling", allow_abbrev=False)
    scaling.set_defaults(verb=_scaling)
    for name in ("--scheme", "--provider"):
        scaling.add_argument(name)
    for name in ("--count", "--repetitions", "--transactions", "--cores"):
        scaling.add_argument(name, type=int, required=True)
    for name in ("--nodes", "--machines"):
        scaling.add_argument(name, type=lambda text: [int(word) for word in text.split(",")], required=True)
    scaling.add_argument("--bandwidth", type=float, required=True)
    for name in ("--json", "--no-progress"):
        scaling.add_argument(name, action="store_true")
    fleet = verbs.add_parser("fleet", allow_abbrev=False)
    fleet.set_defaults(verb=_fleet)
    fleet.add_argument("what", nargs="*")
    fleet.add_argument("--address", required=True)
    for name in ("--label", "--algorithm", "--provider", "--filter"):
        fleet.add_argument(name, action="append", default=[])
    fleet.add_argument("--max-time", type=float)
    fleet.add_argument("--seed", type=int)
    for name in ("--quick", "--rigorous", "--json", "--no-progress"):
        fleet.add_argument(name, action="store_true")
    page = verbs.add_parser("page", allow_abbrev=False)
    page.set_defaults(verb=_page)
    page.add_argument("runs", nargs="*")
    for verb in (fleet, page):
        verb.add_argument("--out")
        verb.add_argument("--price", action="append", default=[])
        verb.add_argument("--db")
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
        "versions": report.versions,
        "batch_providers": list(report.batch_providers),
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

    def __init__(self, what: str) -> None:
        self.what, self.began = what, time.monotonic()

    def __call__(self, done: int, every: int) -> None:
        left = (time.monotonic() - self.began) / done * (every - done) if done else 0
        sys.stderr.write(f"\r\x1b[K{done:,} of {every:,} transactions {self.what}, about {left:.0f} s left")
        if done == every:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _generate(asked: argparse.Namespace) -> int:
    names = ("scheme", "senders", "invalid", "chain_id", "seed", "format", "form", "provider", "threads")
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    shown = sys.stderr.isatty() and not asked.no_progress
    made = generate_block(asked.out, asked.count, address=asked.cluster, progress=_Bar("signed") if shown else None, **given)
    nodes = "1 node" if made.nodes == 1 else f"{made.nodes} nodes"
    answer(
        f"{asked.out}: {made.transactions:,} transactions, {made.invalid:,} of them invalid, {made.bytes / 2**20:.3g} MiB signed by "
        f"{made.provider}{'' if made.reproducible else ' (whose signatures no seed repeats)'}\n"
        f"{made.elapsed_ns / 1e9:.3g} s on {nodes} in {made.parts} parts, {made.begun_again} begun again; the start took "
        f"{made.start_ns / 1e9:.3g} s"
    )
    return 0


def _scaling(asked: argparse.Namespace) -> int:
    # What cannot be computed is refused before anything is measured.
    _scaled(asked, cluster.Scaling(asked.scheme, (), 1, 1, 1, 1))
    found = cluster.measure_scaling(
        asked.scheme,
        asked.count,
        nodes=asked.nodes,
        repetitions=asked.repetitions,
        provider=asked.provider,
        progress=None if asked.no_progress else lambda text: print(text, file=sys.stderr),
    )
    estimates = _scaled(asked, found)
    if asked.json:
        rows = [{**asdict(one), "seconds": one.seconds, "limit": one.limit} for one in estimates]
        told = {"transactions": asked.transactions, "cores": asked.cores, "bandwidth_mb_s": asked.bandwidth, "rows": rows}
        answer(json.dumps({"schema": "pqlab-ledger-scaling/1", **found.document(), "estimated": told}, indent=2))
        return 0
    volume = asked.transactions * found.size / 1e9
    answer(
        f"{found.scheme}, measured on this machine, each the median of {asked.repetitions} rounds with the least and the most:\n\n"
        f"{found.markdown()}\n"
        f"Of one core a transaction takes {found.core_us:.3g} us to decode and verify, and a part {found.part_us / 1e3:.3g} ms more; "
        f"handing out a part takes {found.handing_us:.3g} us of the one process that does it.\n\n"
        f"{asked.transactions:,} transactions ({volume:,.0f} GB), arithmetic on these figures, measured nowhere:\n\n"
        f"{cluster.scaling_table(estimates, asked.cores)}\n"
        f"Assumed: cores as fast as one of this machine when all of them work; {asked.bandwidth:g} MB/s to each node at once, from a store\n"
        "that has as much for all; fetching, decoding and handing out go on side by side, so that the largest of the three is the limit."
    )
    return 0


def _scaled(asked: argparse.Namespace, found: cluster.Scaling) -> list[cluster.Estimate]:
    return found.estimates(asked.transactions, asked.machines, asked.cores, asked.bandwidth * 1e6)


def _verify(asked: argparse.Namespace) -> int:
    shown = sys.stderr.isatty() and not asked.no_progress and not asked.json
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
        progress=_Bar("verified") if shown else None,
    )
    answer(json.dumps(document(asked, report), indent=2) if asked.json else sentences(asked, report))
    return 1 if report.rejected else 0


def _pairs(option: str, words: list[str]) -> dict[str, str]:
    """The words of an option that is given as ``KEY=VALUE``."""
    for word in words:
        if not word.rpartition("=")[0]:
            raise InvalidArgument(f"{option} {word!r} is no KEY=VALUE")
    return {word.rpartition("=")[0]: word.rpartition("=")[2] for word in words}


def _prices(words: list[str]) -> dict[str, float]:
    prices: dict[str, float] = {}
    for pattern, price in _pairs("--price", words).items():
        try:
            prices[pattern] = float(price)
        except ValueError:
            raise InvalidArgument(f"--price {pattern}={price}: {price!r} is no number of dollars") from None
    return prices


def _fleet(asked: argparse.Namespace) -> int:
    prices, labels = _prices(asked.price), _pairs("--label", asked.label)
    how = {"max_time": asked.max_time, "seed": asked.seed, "quick": asked.quick, "rigorous": asked.rigorous}
    found = pqlab.fleet.run(
        *asked.what,
        address=asked.address,
        labels=labels,
        database=asked.db,
        progress=None if asked.no_progress else lambda text: print(text, file=sys.stderr),
        algorithms=asked.algorithm,
        providers=asked.provider,
        filters=asked.filter,
        **{name: value for name, value in how.items() if value},
    )
    page = None if asked.out is None else str(found.page(asked.out, prices=prices))
    if asked.json:
        nodes = [asdict(node) for node in found.nodes]
        said = {"schema": "pqlab-fleet/1", "complete": found.complete, "shared": found.shared, "nodes": nodes, "page": page}
        answer(json.dumps(said, indent=2))
    else:
        for node in found.nodes:
            state = "complete" if node.complete else f"not complete: {node.reason}"
            answer(f"{node.name}  {', '.join(node.runs) or 'no run'}  {state}")
        if page is not None:
            answer(page)
    return 0 if found.complete else 1


def _page(asked: argparse.Namespace) -> int:
    prices, store = _prices(asked.price), pqlab.open(asked.db)
    if asked.runs:
        runs = [store.run(reference) for reference in asked.runs]
    else:
        newest: dict[tuple[str, str], pqlab.Run] = {}
        for row in store.runs():
            if row["complete"]:
                run = store.run(row["id"])
                newest.setdefault((str(run.environment["host"]["name"]), kind(run.environment)), run)
        runs = list(newest.values())
    answer(str(machines(runs, asked.out, prices=prices)))
    return 0


def main(words: list[str]) -> int:
    """Does what the words say; the exit code."""
    asked = _arguments(words)
    sys.stdout = sys.stderr
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code: int = asked.verb(asked)
    except KeyboardInterrupt:
        kept = f": the same command goes on with {asked.journal}" if getattr(asked, "journal", None) else ""
        sys.stderr.write(f"pqlab: stopped{kept}\n")
        return 130
    except Error as error:
        what = " ".join(str(error).split())
        sys.stderr.write(f"pqlab: {what}\n")
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
