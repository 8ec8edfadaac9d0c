//! Compares the number of vectors in each suite with recorded numbers, to detect lost vectors.

#![allow(clippy::unwrap_used, reason = "test helpers")]

#[path = "counts/hidden.rs"]
mod hidden;
#[path = "counts/tables.rs"]
mod tables;

use hidden::{hides_features, is_verified};
#[cfg(target_arch = "x86_64")]
use pqlab_cpu::{Feature, is_hidden};
use pqlab_primitives::{Kem, Primitive, Provider, SignatureScheme};
use pqlab_testing::{Need, require};
use pqlab_verification::{INTEROPERABILITY, Line, NOT_APPLICABLE, Vectors, everything, interop, vectors_root, verify};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tables::{BATCH_SUITES, DEFECTS, LANE_SUITES, SUITES};

/// Returns the providers that offer algorithms on this CPU. A code path that needs a newer CPU is listed without
/// algorithms.
fn providers() -> Vec<Arc<Provider>> {
    pqlab_providers::providers().into_iter().filter(|provider| !provider.algorithms().is_empty()).collect()
}

/// Returns whether to test a provider. `PQLAB_PROVIDER` selects one library; the default is all except `null`.
fn is_tested(provider: &Provider) -> bool {
    let usual = provider.library != "null" && is_verified(provider);
    std::env::var("PQLAB_PROVIDER").map_or(usual, |library| provider.library == library)
}

/// Returns whether liboqs runs its AVX2 code. liboqs queries the CPU itself, so pqlab cannot hide AVX2 from it.
fn avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Returns the code paths that need an x86-64 CPU feature, each with the feature and whether this CPU supports the code
/// path.
#[cfg(target_arch = "x86_64")]
fn code_paths() -> [(&'static str, Feature, bool); 8] {
    use std::arch::is_x86_feature_detected as has;
    let avx512f = has!("avx512f");
    let keccak = avx512f && has!("avx512dq") && has!("avx512vl");
    let mldsa_batch = keccak && has!("avx512bw") && has!("avx512vbmi");
    [
        ("cryptogams:avx2", Feature::Avx2, has!("avx2")),
        ("libcrux:avx2", Feature::Avx2, has!("avx2")),
        ("mldsa-batch:avx2", Feature::Avx2, has!("avx2")),
        ("cryptogams:avx512", Feature::Avx512, avx512f),
        ("cryptogams:avx512vl", Feature::Avx512, avx512f && has!("avx512vl")),
        ("keccak:avx512", Feature::Avx512, keccak),
        ("mldsa-batch:avx512", Feature::Avx512, mldsa_batch),
        ("graviola", Feature::Avx2, has!("avx2") && has!("adx") && has!("aes") && has!("bmi1") && has!("pclmulqdq")),
    ]
}

/// Checks that a code path offers algorithms if and only if this CPU supports the code path and the user does not hide
/// the CPU feature.
#[cfg(target_arch = "x86_64")]
#[test]
fn offers_exactly_the_code_paths_of_this_cpu() {
    let offers: BTreeSet<String> = providers().iter().map(|provider| provider.id()).collect();
    for (path, feature, runs) in code_paths() {
        assert_eq!(offers.contains(path), runs && !is_hidden(feature), "{path}: {offers:?}");
    }
    for feature in Feature::ALL.iter().filter(|feature| is_hidden(**feature)) {
        assert!(!offers.iter().any(|id| id.contains(feature.name())), "{offers:?}");
    }
    assert!(offers.contains("libcrux:portable"), "{offers:?}");
}

#[test]
fn every_vector_is_counted() {
    let root = require!(vectors_root(), Need::Vectors);
    let vectors = Vectors::new(Some(root.clone()));
    let providers: Vec<Arc<Provider>> = providers().into_iter().filter(|provider| is_tested(provider)).collect();
    let lines = parallel(&algorithms(&providers), |algorithm, report| {
        let select = |_: &str, name: &str, suite: &str| name == algorithm && is_published(suite);
        verify(&providers, &vectors, &select, report);
    });
    let mut wrong = Vec::new();
    let mut gaps = Vec::new();
    for provider in &providers {
        let mut actual: BTreeMap<(&str, &str), &Line> = lines
            .iter()
            .filter(|line| line.provider == provider.id())
            .map(|line| ((line.algorithm.as_str(), line.suite.as_str()), line))
            .collect();
        for (algorithm, suite, attempted, unsupported) in without_gaps(provider) {
            let Some(line) = actual.remove(&(algorithm, suite)) else {
                wrong.push(format!("{}: no line for {algorithm}, {suite}", provider.id()));
                continue;
            };
            let reasons = line.reasons.iter().map(|reason| reason.count).sum::<u64>();
            let whole = line.attempted + line.unsupported == attempted + unsupported && reasons == line.unsupported;
            if !whole || line.failed() > 0 || line.known() != known(&provider.id(), algorithm, suite) {
                wrong.push(format!("expected {attempted} attempted, {unsupported} unsupported: {line:#?}"));
            } else if line.attempted != attempted {
                gaps.push(gap(line));
            }
        }
        wrong.extend(actual.into_values().map(|line| format!("not in the tables: {line:#?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    compare_gaps(&providers, gaps);
    if std::env::var_os("PQLAB_PROVIDER").is_none() && !hides_features() {
        every_file_is_read(&root, &vectors.files());
    }
}

/// Checks the tables against the sizes of the ACVP suites. In each suite, the attempted and the unsupported vectors of
/// all parameter sets must add up to the published number.
#[test]
fn the_tables_have_the_required_sums() {
    let sum = |family: &str, suite: &str| -> u64 {
        let matching = SUITES.iter().filter(|(algorithm, name, ..)| algorithm.starts_with(family) && *name == suite);
        matching.map(|(_, _, attempted, unsupported)| attempted + unsupported).sum()
    };
    assert_eq!(sum("ML-KEM-", "ACVP ML-KEM keyGen"), 75);
    assert_eq!(sum("ML-KEM-", "ACVP ML-KEM encapDecap"), 165);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA keyGen"), 75);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigGen, pure, deterministic"), 45);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigGen, pure, hedged"), 45);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigGen, pre-hash"), 90);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigGen, internal"), 90);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigGen, internal, mu given"), 90);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigVer, pure"), 45);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigVer, pre-hash"), 45);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigVer, internal"), 45);
    assert_eq!(sum("ML-DSA-", "ACVP ML-DSA sigVer, internal, mu given"), 45);
    assert_eq!(sum("SLH-DSA-", "ACVP SLH-DSA keyGen"), 120);
    assert_eq!(sum("SLH-DSA-", "ACVP SLH-DSA sigGen, internal"), 54);
    assert_eq!(sum("SLH-DSA-", "ACVP SLH-DSA sigVer, internal"), 45);
}

#[test]
fn runs_every_ordered_pair() {
    let providers = providers();
    let tested: Vec<String> = providers.iter().filter(|it| is_tested(it)).flat_map(|it| it.algorithms()).collect();
    let algorithms = algorithms(&providers).into_iter().filter(|name| tested.contains(name)).collect::<Vec<_>>();
    let ids: BTreeSet<String> = providers.iter().filter(|it| is_verified(it)).map(|it| it.id()).collect();
    let lines = parallel(&algorithms, |algorithm, report| {
        let select =
            |id: &str, name: &str, suite: &str| name == algorithm && suite == INTEROPERABILITY && ids.contains(id);
        interop(&providers, &select, report);
    });
    let answering: Vec<&Arc<Provider>> = providers.iter().filter(|provider| provider.library != "null").collect();
    let mut expected = 0;
    let mut wrong = Vec::new();
    for first in &answering {
        for second in answering.iter().filter(|second| is_verified(first) || is_verified(second)) {
            for (algorithm, checks) in shared(first, second).into_iter().filter(|(name, _)| algorithms.contains(name)) {
                expected += 1;
                let lines: Vec<&Line> = lines
                    .iter()
                    .filter(|line| line.provider == first.id() && line.algorithm == algorithm)
                    .filter(|line| line.peer.as_deref() == Some(&second.id()))
                    .collect();
                // A pair may have several lines, because X25519 is also a KEM and signatures may also be verified in
                // batches.
                let counts: Vec<u64> = lines.iter().map(|line| line.attempted).collect();
                if !counts.contains(&checks) || lines.iter().any(|line| line.failed() > 0 || line.unsupported > 0) {
                    wrong.push(format!("{} and {}: {algorithm}, {checks} checks: {lines:#?}", first.id(), second.id()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(lines.len(), expected);
}

#[test]
fn without_the_folder_lines_are_skipped() {
    let providers: Vec<Arc<Provider>> =
        providers().into_iter().filter(|provider| provider.hash("SHA3-256").is_some()).collect();
    let mut lines = Vec::new();
    let select = |_: &str, algorithm: &str, suite: &str| algorithm == "SHA3-256" && is_published(suite);
    verify(&providers, &Vectors::new(None), &select, &mut |line| lines.push(line));
    assert!(lines.len() >= 3);
    for line in lines.iter().filter(|line| line.provider != "null") {
        // The program contains the seed and one digest of each chain.
        let known = u64::from(line.suite.contains("Monte Carlo"));
        assert_eq!((line.attempted, line.passed, line.unsupported), (known, known, 0), "{line:#?}");
        assert_eq!(line.skipped.is_some(), known == 0);
    }
}

#[test]
fn fails_with_an_empty_folder() {
    let providers: Vec<Arc<Provider>> =
        providers().into_iter().filter(|provider| provider.hash("SHA3-256").is_some()).collect();
    let empty = "src".into();
    let mut lines = Vec::new();
    let select = |_: &str, algorithm: &str, suite: &str| algorithm == "SHA3-256" && is_published(suite);
    verify(&providers, &Vectors::new(Some(empty)), &select, &mut |line| lines.push(line));
    // Fetched vectors come from another folder, so their lines are skipped.
    lines.retain(|line| line.skipped.is_none());
    assert!(!lines.is_empty() && lines.iter().all(|line| line.failed() == 1), "{lines:#?}");
    assert!(everything("any", "thing", "at all"));
}

/// Returns whether a suite contains published vectors. `bare.rs` checks the others.
fn is_published(suite: &str) -> bool {
    !suite.starts_with("run time")
}

/// Returns the counts expected from a provider without gaps: every suite for every algorithm that the provider offers.
fn without_gaps(provider: &Provider) -> Vec<(&'static str, &'static str, u64, u64)> {
    let offered = provider
        .primitives()
        .filter(|primitive| !matches!(primitive, Primitive::LaneHash(_) | Primitive::BatchVerifier(_)));
    let offered: Vec<&str> = offered.map(|primitive| primitive.algorithm()).collect();
    let lanes: Vec<&str> = provider.lane_hashes.iter().map(|hash| hash.algorithm()).collect();
    let batches: Vec<&str> = provider.batch_verifiers.iter().map(|of| &*of.parameters().algorithm).collect();
    let of = SUITES.iter().filter(|(algorithm, ..)| offered.contains(algorithm));
    let of = of.chain(BATCH_SUITES.iter().filter(|(algorithm, ..)| batches.contains(algorithm)));
    of.chain(LANE_SUITES.iter().filter(|(algorithm, ..)| lanes.contains(algorithm))).copied().collect()
}

/// Formats a line of `gaps.txt` for a suite with vectors that other providers can run, but this provider cannot. The
/// line contains the number of vectors that ran, and the reasons why the others did not.
fn gap(line: &Line) -> String {
    let mut reasons: Vec<&str> = line.reasons.iter().map(|reason| reason.reason.as_str()).collect();
    if reasons.len() > 3 {
        reasons.splice(3.., ["others"]);
    }
    let Line { provider, algorithm, suite, attempted, unsupported, .. } = line;
    format!("{provider} | {algorithm} | {suite} | {attempted} of {} | {}", attempted + unsupported, reasons.join("; "))
}

/// Compares the gaps with `gaps.txt` in the folder of each library. A library without gaps has no `gaps.txt`.
/// `PQLAB_RENEW_SNAPSHOTS=1` rewrites the files; review the changes before committing them.
fn compare_gaps(providers: &[Arc<Provider>], mut found: Vec<String>) {
    found.sort();
    let renew = std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some();
    let folders = Path::new("../providers/src");
    let libraries: BTreeSet<&str> = providers.iter().map(|provider| provider.library.as_str()).collect();
    let mut wrong = Vec::new();
    for library in libraries {
        let of_library = providers.iter().filter(|provider| provider.library == library);
        let ids: Vec<String> = of_library.map(|provider| provider.id()).collect();
        let here = |row: &&str| row.split(" | ").next().is_some_and(|id| ids.iter().any(|known| known == id));
        let found: Vec<&str> = found.iter().map(String::as_str).filter(here).collect();
        let file = folders.join(library.replace('-', "_")).join("gaps.txt");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        // Ignore rows for code paths that this CPU does not support.
        let (known, elsewhere): (Vec<&str>, Vec<&str>) = text.lines().partition(here);
        if renew {
            let mut rows = [elsewhere, found].concat();
            rows.sort_unstable();
            match rows.is_empty() {
                false => std::fs::write(&file, rows.join("\n") + "\n").unwrap(),
                true if file.exists() => std::fs::remove_file(&file).unwrap(),
                true => {}
            }
            continue;
        }
        let gone = known.iter().filter(|row| !found.contains(*row));
        let new = found.iter().filter(|row| !known.contains(*row));
        wrong.extend(gone.map(|row| format!("recorded, but not found: {row}")));
        wrong.extend(new.map(|row| format!("found, but not recorded: {row}")));
    }
    assert!(wrong.is_empty(), "a gaps.txt does not match; PQLAB_RENEW_SNAPSHOTS=1 rewrites it:\n{}", wrong.join("\n"));
}

/// Returns the number of vectors that must show a known defect.
fn known(provider: &str, algorithm: &str, suite: &str) -> u64 {
    let here = (provider, algorithm, suite);
    let defect = DEFECTS.iter().find(|(provider, algorithm, suite, _)| (*provider, *algorithm, *suite) == here);
    defect.filter(|_| avx2() || provider != "liboqs").map_or(0, |defect| defect.3)
}

/// Returns the algorithms that both providers offer, each with the number of checks that the pair must pass.
fn shared(first: &Provider, second: &Provider) -> Vec<(String, u64)> {
    let mut shared = Vec::new();
    for one in &first.kems {
        if let Some(other) = second.kem(&one.info().parameters.algorithm) {
            shared.push((one.info().parameters.algorithm.to_string(), kem_checks(one.as_ref(), other.as_ref())));
        }
    }
    for one in &first.signatures {
        if let Some(other) = second.signature(&one.info().parameters.algorithm) {
            shared.push((one.info().parameters.algorithm.to_string(), signature_checks(one.as_ref(), other.as_ref())));
        }
    }
    for one in &first.signatures {
        let algorithm = &one.info().parameters.algorithm;
        if second.batch_verifier(algorithm).is_some() {
            shared.push((algorithm.to_string(), batch_checks(one.as_ref())));
        }
    }
    let both = |name: &str, checks, of: &dyn Fn(&Provider, &str) -> bool| {
        (of(first, name) && of(second, name)).then(|| (name.to_owned(), checks))
    };
    shared.extend(both("X25519", 4, &|p, name| p.key_agreement(name).is_some()));
    for name in ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512"] {
        shared.extend(both(name, 35, &|p, name| p.hash(name).is_some()));
    }
    for name in ["SHAKE128", "SHAKE256"] {
        shared.extend(both(name, 69, &|p, name| p.xof(name).is_some()));
    }
    shared.extend(both("HMAC-SHA256", 280, &|p, name| p.mac(name).is_some()));
    shared.extend(both("HKDF-SHA256", 35, &|p, name| p.kdf(name).is_some()));
    shared.extend(both("AES-256-GCM", 60, &|p, name| p.aead(name).is_some()));
    shared.extend(both("AES-256-CTR", 60, &|p, name| p.stream_cipher(name).is_some()));
    shared
}

/// Returns the number of checks for a pair of KEMs: a prepared key, an encoded key, a modified ciphertext, and an
/// exported key in each encoding that both providers load.
fn kem_checks(one: &dyn Kem, other: &dyn Kem) -> u64 {
    let theirs = &other.info().encodings;
    3 + one.info().encodings.iter().filter(|encoding| theirs.contains(encoding)).count() as u64
}

/// Returns the number of checks for a pair of signature schemes: the messages, eight rejections, a different context,
/// and an exported key in each encoding that both providers load.
fn signature_checks(one: &dyn SignatureScheme, other: &dyn SignatureScheme) -> u64 {
    let (info, theirs) = (one.info(), &other.info().encodings);
    let algorithm = &info.parameters.algorithm;
    let hash_based = algorithm.starts_with("SLH-DSA-") || algorithm.starts_with("SPHINCS+-");
    let messages = match (hash_based, info.context) {
        (true, _) => 1,
        (false, true) => 4,
        (false, false) => 3,
    };
    let handed_over = info.encodings.iter().filter(|encoding| theirs.contains(encoding)).count() as u64;
    messages + 8 + u64::from(info.context) + handed_over
}

/// Returns the number of checks in batches: those in [`signature_checks`] without exported keys, plus all messages in
/// one batch.
fn batch_checks(one: &dyn SignatureScheme) -> u64 {
    let context = one.info().context;
    let messages = if context { 4 } else { 3 };
    messages + 8 + u64::from(context) + 1
}

/// Checks that every file in the folder was read or is listed as not applicable.
fn every_file_is_read(root: &Path, read: &[String]) {
    let left_out = |name: &str| NOT_APPLICABLE.iter().any(|one| one.part == "all" && name.starts_with(one.place));
    let mut folders = vec![root.to_owned()];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            assert!(read.contains(&name) != left_out(&name), "{name} must be either read or listed as not applicable");
            count += 1;
        }
    }
    assert!(count > 80, "the folder contains only {count} files");
    for one in NOT_APPLICABLE.iter().filter(|one| one.part == "all") {
        assert!(!read.iter().any(|name| name.starts_with(one.place)), "{} was read, but is not applicable", one.place);
    }
}

/// Runs `work` for all items in parallel, and returns all lines that it reports.
fn parallel(items: &[String], work: impl Fn(&str, &mut dyn FnMut(Line)) + Sync) -> Vec<Line> {
    let run = |item: &String| {
        let mut lines = Vec::new();
        work(item, &mut |line| lines.push(line));
        lines
    };
    items.par_iter().with_max_len(1).flat_map_iter(run).collect()
}

/// Returns all algorithms of all providers, with slow ones first.
fn algorithms(providers: &[Arc<Provider>]) -> Vec<String> {
    let mut algorithms: Vec<String> = providers.iter().flat_map(|provider| provider.algorithms()).collect();
    algorithms.sort_by_key(|name| (!(name.starts_with("SLH-DSA-") && name.ends_with('s')), name.clone()));
    algorithms.dedup();
    algorithms
}
