//! Presents the verification of a block, by this machine or by a cluster, as JSON and text.

use super::{BlockReport, Phases, TransactionForm, VerifyBlockRequest};
use pqlab_analysis::number::{grouped, memory, rate, significant};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Maximum number of rejected transactions that the text lists. The JSON document lists more.
const SHOWN: usize = 20;

/// Verification of a block, with its result.
#[derive(Clone, Debug)]
pub struct VerifiedBlock {
    /// Name of the file or object, as the user wrote it.
    pub file: String,
    /// Form that the transactions must have.
    pub form: TransactionForm,
    /// Chain id that the transactions must have.
    pub chain_id: u32,
    /// Result of the verification.
    pub figures: BlockFigures,
    /// Figures for the cluster; `None` if this machine verified the block alone.
    pub cluster: Option<ClusterFigures>,
}

/// Result of a verification, with names as text. It is either a converted [`BlockReport`] or the combined results of
/// a cluster's nodes.
#[derive(Clone, Debug, Deserialize)]
pub struct BlockFigures {
    /// Name of the file's format.
    pub format: String,
    /// Number of transactions.
    pub transactions: u64,
    /// Total length of the transactions in bytes.
    pub bytes: u64,
    /// Number of rejected transactions.
    pub rejected: u64,
    /// Number of rejected transactions for each kind of fault, such as `wrong-signature`.
    pub kinds: BTreeMap<String, u64>,
    /// The first rejected transactions by position, at most 100,000, with the reasons.
    pub rejections: Vec<RejectedTransaction>,
    /// Wall time of reading, decoding and verifying, in ns.
    pub elapsed_ns: u64,
    /// Time spent in each phase.
    pub phases: PhaseTimes,
    /// Number of verifying threads.
    pub threads: usize,
    /// Batch size in transactions, if a provider verified in batches.
    pub batch: Option<usize>,
    /// Schemes, each with the id of the provider that verifies it.
    pub providers: Vec<(String, String)>,
    /// Versions of the providers in this result, keyed by id.
    pub versions: BTreeMap<String, String>,
    /// Ids of the providers that offer batch verifiers.
    pub batch_providers: Vec<String>,
    /// Whether the verification was stopped before its end.
    #[serde(default)]
    pub stopped: bool,
}

/// A rejected transaction.
#[derive(Clone, Debug, Deserialize)]
pub struct RejectedTransaction {
    /// Position in the block, from 0.
    pub index: u64,
    /// Kind of fault, such as `wrong-signature`.
    pub kind: String,
    /// Reason for the rejection.
    pub reason: String,
}

/// Time that a verification spent in each phase, in ns, summed over threads.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct PhaseTimes {
    /// Time spent reading, on one thread.
    pub reading: u64,
    /// Time spent decoding transactions and computing their digests.
    pub decoding: u64,
    /// Time spent verifying signatures.
    pub verifying: u64,
    /// Time that the verifying threads spent waiting for transactions.
    pub threads_waited: u64,
    /// Time that the reading thread spent waiting for free buffers.
    pub reading_waited: u64,
}

/// Figures for a verification by a cluster.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct ClusterFigures {
    /// Number of verifying nodes.
    pub nodes: u64,
    /// Number of parts into which the block was divided.
    pub parts: u64,
    /// Number of parts with results from the journal of an interrupted verification.
    pub resumed: u64,
    /// Number of times that a part was started again because a process or a node died.
    pub begun_again: u64,
    /// Time to start or reach the cluster and to prepare every node, in ns. Not part of the verification time.
    pub start_ns: u64,
    /// Peak private (unshared) memory of the worker process with the highest peak, in bytes.
    pub unshared_memory: u64,
}

impl From<&BlockReport> for BlockFigures {
    fn from(report: &BlockReport) -> BlockFigures {
        let Phases { reading, decoding, verifying, starved, held } = report.phases;
        let rejections = report.list.iter().map(|rejected| RejectedTransaction {
            index: rejected.index,
            kind: rejected.reason.kind().to_owned(),
            reason: rejected.reason.to_string(),
        });
        let providers = report.providers.iter().map(|(scheme, id)| (scheme.algorithm().to_owned(), id.clone()));
        BlockFigures {
            format: report.format.name().to_owned(),
            transactions: report.transactions,
            bytes: report.bytes,
            rejected: report.rejected,
            kinds: report.kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
            rejections: rejections.collect(),
            elapsed_ns: report.elapsed_ns,
            phases: PhaseTimes { reading, decoding, verifying, threads_waited: starved, reading_waited: held },
            threads: report.threads,
            batch: report.batch,
            providers: providers.collect(),
            versions: report.versions.clone(),
            batch_providers: report.batch_providers.clone(),
            stopped: report.stopped,
        }
    }
}

impl BlockFigures {
    fn per_second(&self, amount: u64) -> f64 {
        amount as f64 * 1e9 / self.elapsed_ns.max(1) as f64
    }

    /// Lists the providers with their versions and schemes, such as `aws-lc 1.19.0 (Ed25519, ML-DSA-65)`.
    fn verifiers(&self) -> String {
        let mut schemes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (scheme, provider) in &self.providers {
            schemes.entry(provider).or_default().push(scheme);
        }
        let suffix = |id: &str| self.versions.get(id).map_or_else(String::new, |version| format!(" {version}"));
        let named = |(provider, schemes): (&&str, &Vec<&str>)| {
            let halves: Vec<String> = provider.split('+').map(|id| format!("{id}{}", suffix(id))).collect();
            format!("{} ({})", halves.join(" + "), schemes.join(", "))
        };
        schemes.iter().map(named).collect::<Vec<_>>().join("; ")
    }
}

impl VerifiedBlock {
    /// Returns the verification of a block by this machine.
    pub fn here(request: &VerifyBlockRequest, report: &BlockReport) -> VerifiedBlock {
        VerifiedBlock {
            file: request.path.display().to_string(),
            form: request.form,
            chain_id: request.chain_id,
            figures: report.into(),
            cluster: None,
        }
    }

    /// Returns the JSON document that `pqlab ledger verify --json` prints.
    pub fn to_json(&self) -> Value {
        let VerifiedBlock { file, form, chain_id, figures, cluster } = self;
        let providers = figures.providers.iter().map(|(scheme, provider)| (scheme.clone(), json!(provider)));
        let rejections = figures.rejections.iter().map(|rejected| {
            let RejectedTransaction { index, kind, reason } = rejected;
            json!({"index": index, "kind": kind, "reason": reason})
        });
        let mut document = json!({
            "schema": "pqlab-ledger/1",
            "file": file,
            "format": figures.format,
            "form": form.name(),
            "chain_id": chain_id,
            "threads": figures.threads,
            "batch": figures.batch,
            "providers": providers.collect::<Map<_, _>>(),
            "versions": figures.versions,
            "batch_providers": figures.batch_providers,
            "complete": !figures.stopped,
            "transactions": figures.transactions,
            "accepted": figures.transactions - figures.rejected,
            "rejected": figures.rejected,
            "rejected_by_kind": figures.kinds,
            "rejections": rejections.collect::<Vec<_>>(),
            "rejections_listed": figures.rejections.len(),
            "bytes": figures.bytes,
            "phases": phases(&figures.phases),
            "seconds": seconds(figures.elapsed_ns),
            "transactions_per_s": figures.per_second(figures.transactions),
            "bytes_per_s": figures.per_second(figures.bytes),
        });
        if let Some(cluster) = cluster {
            document["cluster"] = json!({
                "nodes": cluster.nodes,
                "parts": cluster.parts,
                "parts_of_the_journal": cluster.resumed,
                "parts_begun_again": cluster.begun_again,
                "start_s": seconds(cluster.start_ns),
                "unshared_memory_bytes": cluster.unshared_memory,
            });
        }
        document
    }

    /// Returns the text that `pqlab ledger verify` prints.
    pub fn to_text(&self) -> String {
        let figures = &self.figures;
        let count = |number: u64, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let nodes = self.cluster.map_or_else(String::new, |cluster| format!("on {} ", count(cluster.nodes, "node")));
        let batch =
            figures.batch.map_or_else(String::new, |batch| format!(", in batches of {}", grouped(batch as u64)));
        let mut out = format!(
            "{}: {} of {} transactions accepted, {} rejected{}\n\
             {} in {} s {nodes}with {}{batch}: {} transactions/s, {}/s\n",
            self.file,
            grouped(figures.transactions - figures.rejected),
            grouped(figures.transactions),
            grouped(figures.rejected),
            if figures.stopped { " before the verification was stopped" } else { "" },
            memory(figures.bytes),
            significant(seconds(figures.elapsed_ns)),
            count(figures.threads as u64, "thread"),
            rate(figures.per_second(figures.transactions)),
            memory(figures.per_second(figures.bytes) as u64),
        );
        let in_seconds = |ns: u64| significant(seconds(ns));
        let PhaseTimes { reading, decoding, verifying, threads_waited, reading_waited } = figures.phases;
        match &self.cluster {
            None => out.push_str(&format!("reading {} s; sum over all threads: ", in_seconds(reading))),
            Some(cluster) => out.push_str(&format!(
                "{} (from the journal: {}; restarts: {}); start-up took {} s; at most {} of private memory per \
                 process\nsum over all threads: reading {} s, ",
                count(cluster.parts, "part"),
                cluster.resumed,
                cluster.begun_again,
                in_seconds(cluster.start_ns),
                memory(cluster.unshared_memory),
                in_seconds(reading),
            )),
        }
        out.push_str(&format!(
            "decoding {} s, verifying {} s, waiting for the reader {} s; the reader waited {} s for threads\n",
            in_seconds(decoding),
            in_seconds(verifying),
            in_seconds(threads_waited),
            in_seconds(reading_waited),
        ));
        if self.cluster.is_none() {
            out.push_str(&format!("verified by {}\n", figures.verifiers()));
            if figures.batch.is_none() && !figures.batch_providers.is_empty() {
                let names = figures.batch_providers.join(", ");
                out.push_str(&format!(
                    "to verify in batches (--at-once), select one of these providers with \
                                       --provider: {names}\n"
                ));
            }
        }
        for (kind, count) in &figures.kinds {
            out.push_str(&format!("  {:>9}  {kind}\n", grouped(*count)));
        }
        for rejected in figures.rejections.iter().take(SHOWN) {
            out.push_str(&format!("  transaction {}: {}\n", rejected.index, rejected.reason));
        }
        if figures.rejected > SHOWN as u64 {
            out.push_str(&format!("  and {} more: --json lists them\n", grouped(figures.rejected - SHOWN as u64)));
        }
        out
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Returns the time of each phase in seconds, as JSON.
fn phases(times: &PhaseTimes) -> Value {
    json!({
        "reading_s": seconds(times.reading),
        "decoding_s": seconds(times.decoding),
        "verifying_s": seconds(times.verifying),
        "threads_waited_s": seconds(times.threads_waited),
        "reading_waited_s": seconds(times.reading_waited),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(cluster: Option<ClusterFigures>) -> VerifiedBlock {
        let rejections: Vec<Value> =
            (0..21).map(|index| json!({"index": index, "kind": "signature", "reason": "bad"})).collect();
        let report = json!({
            "format": "block",
            "transactions": 20_000,
            "bytes": 3 << 20,
            "rejected": 21,
            "kinds": {"signature": 20, "truncated": 1},
            "rejections": rejections,
            "elapsed_ns": 2_000_000_000_u64,
            "phases": {"reading": 1, "decoding": 2, "verifying": 3, "threads_waited": 4, "reading_waited": 5},
            "threads": 2,
            "batch": null,
            "providers": [["Ed25519", "aws-lc"], ["Falcon-512", "fn-dsa"], ["ML-DSA-65", "aws-lc"]],
            "versions": {"aws-lc": "1.19.0"},
            "batch_providers": ["mldsa-batch:avx2"],
        });
        let figures = serde_json::from_value(report).unwrap();
        VerifiedBlock { file: "block.tx".into(), form: TransactionForm::TxV2, chain_id: 1, figures, cluster }
    }

    const CLUSTER: ClusterFigures = ClusterFigures {
        nodes: 1,
        parts: 4,
        resumed: 1,
        begun_again: 2,
        start_ns: 1_500_000_000,
        unshared_memory: 16 << 20,
    };

    #[test]
    fn text_names_verifiers_and_first_rejections() {
        let text = block(None).to_text();
        let first = "block.tx: 19,979 of 20,000 transactions accepted, 21 rejected\n\
                     3.00 MiB in 2.00 s with 2 threads: 10,000 transactions/s, 1.50 MiB/s\nreading ";
        assert!(text.starts_with(first), "{text}");
        assert!(text.contains("\nverified by aws-lc 1.19.0 (Ed25519, ML-DSA-65); fn-dsa (Falcon-512)\n"), "{text}");
        assert!(text.contains("\n         20  signature\n          1  truncated\n  transaction 0: bad\n"), "{text}");
        assert!(text.ends_with("  transaction 19: bad\n  and 1 more: --json lists them\n"), "{text}");
    }

    #[test]
    fn a_cluster_adds_its_figures_to_text_and_json() {
        let (alone, cluster) = (block(None), block(Some(CLUSTER)));
        let text = cluster.to_text();
        assert_eq!(text.lines().next(), alone.to_text().lines().next());
        assert!(text.contains("3.00 MiB in 2.00 s on 1 node with 2 threads: 10,000 transactions/s"), "{text}");
        let parts =
            "4 parts (from the journal: 1; restarts: 2); start-up took 1.50 s; at most 16.0 MiB of private memory";
        assert!(text.contains(parts), "{text}");
        let mut document = cluster.to_json();
        let part = document.as_object_mut().unwrap().remove("cluster").unwrap();
        assert_eq!(document, alone.to_json());
        assert_eq!((&part["parts_of_the_journal"], &part["start_s"]), (&json!(1), &json!(1.5)));
    }
}
