"""Runs the commands that the ``pqlab`` program delegates to Python: ``python -m pqlab._command VERB REQUEST``.

The request is a JSON object with every field that the verb needs. The program has already checked the fields.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from dataclasses import asdict
from types import SimpleNamespace

import pqlab
from pqlab import _pqlab, cluster
from pqlab._errors import Error, InvalidArgument
from pqlab._machines import kind, machines
from pqlab.cluster import ClusterReport, generate_block, verify_block


def answer(text: str) -> None:
    """Prints a result to the real standard output. All other output, such as Ray's messages, goes to standard error."""
    print(text, file=sys.__stdout__)


class _Bar:
    """Shows progress on one line of the terminal."""

    def __init__(self, what: str) -> None:
        self.what, self.began = what, time.monotonic()

    def __call__(self, done: int, every: int) -> None:
        left = (time.monotonic() - self.began) / done * (every - done) if done else 0
        sys.stderr.write(f"\r\x1b[K{done:,} of {every:,} transactions {self.what}, about {left:.0f} s left")
        if done == every:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _generate(asked: SimpleNamespace) -> int:
    shown = sys.stderr.isatty() and asked.progress
    made = generate_block(asked.out, asked.count, address=asked.cluster, progress=_Bar("signed") if shown else None, **asked.options)
    nodes = "1 node" if made.nodes == 1 else f"{made.nodes} nodes"
    parts = "1 part" if made.parts == 1 else f"{made.parts} parts"
    answer(
        f"{asked.out}: {made.transactions:,} transactions ({made.invalid:,} invalid), {made.bytes / 2**20:.3g} MiB, signed by "
        f"{made.provider}{'' if made.reproducible else ' (not reproducible: the provider does not accept seeds)'}\n"
        f"{made.elapsed_ns / 1e9:.3g} s on {nodes} in {parts} (restarts: {made.begun_again}); start-up took "
        f"{made.start_ns / 1e9:.3g} s"
    )
    return 0


def _scaling(asked: SimpleNamespace) -> int:
    # Reject invalid numbers before measuring.
    _scaled(asked, cluster.Scaling(asked.scheme, (), 1, 1, 1, 1))
    found = cluster.measure_scaling(
        asked.scheme,
        asked.count,
        nodes=asked.nodes,
        repetitions=asked.repetitions,
        provider=asked.provider,
        progress=(lambda text: print(text, file=sys.stderr)) if asked.progress else None,
    )
    estimates = _scaled(asked, found)
    if asked.json:
        rows = [{**asdict(one), "seconds": one.seconds, "limit": one.limit} for one in estimates]
        estimated = {
            "transactions": asked.transactions,
            "cores": asked.cores,
            "bandwidth_mb_s": asked.bandwidth,
            "rows": rows,
        }
        answer(json.dumps({"schema": "pqlab-ledger-scaling/1", **found.document(), "estimated": estimated}, indent=2))
        return 0
    volume = asked.transactions * found.size / 1e9
    answer(
        f"{found.scheme} on this machine; seconds: median of {asked.repetitions} rounds (minimum to maximum)\n\n"
        f"{found.markdown()}\n"
        f"On one core, decoding and verifying a transaction takes {found.core_us:.3g} us, "
        f"and each part adds {found.part_us / 1e3:.3g} ms. "
        f"The coordinating process needs {found.handing_us:.3g} us to hand out a part.\n\n"
        f"Estimate for {asked.transactions:,} transactions ({volume:,.0f} GB), calculated from these figures:\n\n"
        f"{cluster.scaling_table(estimates, asked.cores)}\n"
        "Assumptions: each core is as fast as a core of this machine when all cores are busy. Each node receives\n"
        f"{asked.bandwidth:g} MB/s from a store that can supply all nodes at the same time. Reading, verifying and\n"
        "handing out parts overlap, so the slowest of the three is the limit."
    )
    return 0


def _scaled(asked: SimpleNamespace, found: cluster.Scaling) -> list[cluster.Estimate]:
    return found.estimates(asked.transactions, asked.machines, asked.cores, asked.bandwidth * 1e6)


def render(asked: SimpleNamespace, report: ClusterReport) -> str:
    """Formats a verification report as text or JSON, with the same code as the program."""
    found = json.dumps({**asdict(report), "providers": [*report.providers.items()]})
    text = _pqlab.ledger_cluster_report(asked.file, asked.form, asked.chain_id, found, asked.json)
    # ASCII, because standard output can have any encoding.
    return json.dumps(json.loads(text), indent=2) if asked.json else text.rstrip("\n")


def _verify(asked: SimpleNamespace) -> int:
    shown = sys.stderr.isatty() and asked.progress and not asked.json
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
    answer(render(asked, report))
    return 1 if report.rejected else 0


def _pairs(option: str, words: list[str]) -> dict[str, str]:
    """Parses the values of an option that takes ``KEY=VALUE``."""
    for word in words:
        if not word.rpartition("=")[0]:
            raise InvalidArgument(f"{option} {word!r}: expected KEY=VALUE")
    return {word.rpartition("=")[0]: word.rpartition("=")[2] for word in words}


def _prices(words: list[str]) -> dict[str, float]:
    prices: dict[str, float] = {}
    for pattern, price in _pairs("--price", words).items():
        try:
            prices[pattern] = float(price)
        except ValueError:
            raise InvalidArgument(f"--price {pattern}={price}: {price!r} is not a price in dollars") from None
    return prices


def _fleet(asked: SimpleNamespace) -> int:
    prices, labels = _prices(asked.prices), _pairs("--label", asked.labels)
    options = {"max_time": asked.max_time, "seed": asked.seed}
    options = {name: value for name, value in options.items() if value is not None}
    found = pqlab.fleet.run(
        *asked.what,
        address=asked.address,
        labels=labels,
        database=asked.database,
        progress=(lambda text: print(text, file=sys.stderr)) if asked.progress else None,
        algorithms=asked.algorithms,
        providers=asked.providers,
        filters=asked.filters,
        quick=asked.quick,
        rigorous=asked.rigorous,
        **options,
    )
    page = None if asked.out is None else str(found.page(asked.out, prices=prices))
    if asked.json:
        nodes = [asdict(node) for node in found.nodes]
        result = {
            "schema": "pqlab-fleet/1",
            "complete": found.complete,
            "shared": found.shared,
            "nodes": nodes,
            "page": page,
        }
        answer(json.dumps(result, indent=2))
    else:
        for node in found.nodes:
            state = "complete" if node.complete else f"incomplete: {node.reason}"
            answer(f"{node.name}  {', '.join(node.runs) or 'no runs'}  {state}")
        if page is not None:
            answer(page)
    return 0 if found.complete else 1


def _page(asked: SimpleNamespace) -> int:
    prices, store = _prices(asked.prices), pqlab.open(asked.database)
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


VERBS = {"verify": _verify, "generate": _generate, "scaling": _scaling, "fleet": _fleet, "page": _page}


def main(verb: str, request: str) -> int:
    """Runs a verb with a request and returns the exit code."""
    asked = SimpleNamespace(**json.loads(request))
    sys.stdout = sys.stderr
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return VERBS[verb](asked)
    except KeyboardInterrupt:
        kept = f": run the same command again to resume from {asked.journal}" if getattr(asked, "journal", None) else ""
        sys.stderr.write(f"pqlab: stopped{kept}\n")
        return 130
    except Error as error:
        what = " ".join(str(error).split())
        sys.stderr.write(f"pqlab: {what}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
