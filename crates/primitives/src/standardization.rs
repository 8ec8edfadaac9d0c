//! Standardization of algorithms, by name: which are standards, drafts or candidates, and which were dropped.
//!
//! The table describes the algorithm. A library can implement an older version of it: liboqs 0.13 has MAYO and UOV of
//! round 2, and calls the variant `FrodoKEM` that the standard calls `eFrodoKEM`.

use Stage::{Candidate, Draft, Dropped, Other, Selected, Standard, Superseded};
use serde::Serialize;

/// Stage that an algorithm has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A final document of a standards body specifies it: FIPS, NIST SP, ISO/IEC, RFC or SEC.
    Standard,
    /// A draft specifies it.
    Draft,
    /// NIST selected it, but has not published a draft of the standard.
    Selected,
    /// Candidate in a running selection.
    Candidate,
    /// A standard that differs from it replaced it.
    Superseded,
    /// Withdrawn, or not selected.
    Dropped,
    /// None of these.
    Other,
}

impl Stage {
    /// Returns the keyword used in files and lists.
    pub fn name(self) -> &'static str {
        match self {
            Standard => "standard",
            Draft => "draft",
            Selected => "selected",
            Candidate => "candidate",
            Superseded => "superseded",
            Dropped => "dropped",
            Other => "other",
        }
    }
}

/// Standardization of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Standardization {
    /// Family of the algorithm, for texts about several parameter sets: `UOV`.
    #[serde(skip)]
    pub family: &'static str,
    /// Stage that the algorithm has reached.
    pub stage: Stage,
    /// The document, or for other stages what happened: `FIPS 203`, `superseded by FIPS 203`.
    pub detail: &'static str,
}

impl Standardization {
    /// Month in which the table was last compared with its sources.
    pub const AS_OF: &'static str = "November 2026";

    /// Returns the standardization of the algorithm with this name, or `None` if the name is unknown.
    pub fn find(algorithm: &str) -> Option<Standardization> {
        let entry = |(patterns, ..): &&Entry| patterns.iter().any(|pattern| matches(pattern, algorithm));
        ENTRIES.iter().find(entry).map(|&(_, family, stage, detail)| Standardization { family, stage, detail })
    }
}

/// Names as [patterns](matches), family, stage and detail.
type Entry = (&'static [&'static str], &'static str, Stage, &'static str);

/// Detail of the candidates that are left.
const ROUND_3: &str = "round 3 candidate, NIST additional signatures";
/// Detail of the KEMs in the amendment.
const AMENDMENT: &str = "ISO/IEC 18033-2 Amd 2";

static ENTRIES: &[Entry] = &[
    // Published by NIST on 13 August 2024: csrc.nist.gov/pubs/fips/203/final, 204, 205.
    (&["ML-KEM-{512|768|1024}"], "ML-KEM", Standard, "FIPS 203"),
    (&["ML-DSA-{44|65|87}"], "ML-DSA", Standard, "FIPS 204"),
    (&["SLH-DSA-{SHA2|SHAKE}-{128|192|256}{s|f}"], "SLH-DSA", Standard, "FIPS 205"),
    // Initial public drafts of 24 August 2023, and the submissions to NIST's round 3. The standards differ from them.
    (&["ML-KEM-{512|768|1024}-ipd"], "ML-KEM draft", Superseded, "draft of 2023, superseded by FIPS 203"),
    (&["ML-DSA-{44|65|87}-ipd"], "ML-DSA draft", Superseded, "draft of 2023, superseded by FIPS 204"),
    (&["Kyber{512|768|1024}{|-90s}"], "Kyber", Superseded, "superseded by FIPS 203"),
    (&["Dilithium{2|3|5}{|-AES}"], "Dilithium", Superseded, "superseded by FIPS 204"),
    (
        &["SPHINCS+-{SHA2|SHAKE}-{128|192|256}{s|f}-{simple|robust}"],
        "SPHINCS+",
        Superseded,
        "round 3.1, superseded by FIPS 205",
    ),
    // Selected on 5 July 2022 (NIST IR 8413). csrc.nist.gov/pubs/fips/206/ipd did not exist in September 2026, and
    // neither did /fips/207/ipd. HQC was selected on 11 March 2025 (NIST IR 8545).
    (&["Falcon-{|padded-}{512|1024}"], "Falcon", Selected, "selected by NIST in 2022, FIPS 206 not published"),
    (&["FN-DSA-{512|1024}{|-guess-2026-07}"], "FN-DSA", Selected, "a guess at FIPS 206, which is not published"),
    // liboqs calls the specification of 22 August 2025 HQC-1, and earlier ones HQC-128 (its RELEASE.md, 9 July 2026).
    (
        &["HQC-{1|3|5}"],
        "HQC",
        Selected,
        "selected by NIST in 2025, FIPS 207 not published; specification of 2025-08-22",
    ),
    (
        &["HQC-{1|3|5}-2026-02"],
        "HQC",
        Selected,
        "selected by NIST in 2025, FIPS 207 not published; reference code of 2026-02-10",
    ),
    (&["HQC-{128|192|256}"], "HQC", Selected, "selected by NIST in 2025, FIPS 207 not published; older specification"),
    // ISO/IEC 18033-2:2006/Amd 2:2026, published on 5 June 2026 (iso.org/standard/86890.html), has ML-KEM, FrodoKEM and
    // Classic McEliece. Its sets are from draft-ietf-lamps-cms-frodokem-01 (2 November 2026), and from Bouncy Castle's
    // `FrodoKEMParameters` and `CMCEParameterSpec`.
    (&["{|e}FrodoKEM-{976|1344}-{AES|SHAKE}"], "FrodoKEM", Standard, AMENDMENT),
    (&["Classic-McEliece-{460896|6688128|6960119|8192128}{|pc}{|f}"], "Classic McEliece", Standard, AMENDMENT),
    // Not selected: NIST IR 8413 (July 2022) for FrodoKEM and NTRU, NIST IR 8545 (March 2025) for the others.
    (&["{|e}FrodoKEM-640-{AES|SHAKE}"], "FrodoKEM-640", Dropped, "not selected by NIST, not in ISO/IEC 18033-2 Amd 2"),
    (
        &["Classic-McEliece-348864{|f}"],
        "Classic McEliece 348864",
        Dropped,
        "not selected by NIST, not in ISO/IEC 18033-2 Amd 2",
    ),
    (&["BIKE-L{1|3|5}"], "BIKE", Dropped, "not selected by NIST in 2025"),
    (
        &["NTRU-{HPS-2048-509|HPS-2048-677|HPS-4096-821|HPS-4096-1229|HRSS-701|HRSS-1373}"],
        "NTRU",
        Dropped,
        "not selected by NIST in 2022",
    ),
    // RFC 9941, April 2026, Informational: sntrup761x25519-sha512.
    (&["sntrup761"], "Streamlined NTRU Prime", Other, "no standard of its own; RFC 9941 uses it in SSH"),
    (&["sntrup{653|857|953|1013|1277}"], "Streamlined NTRU Prime", Other, "no standard"),
    // NIST IR 8610, 14 May 2026. HAWK was withdrawn on 29 July 2026 (NIST's page of the round 3 candidates).
    (&["MAYO-{1|2|3|5}"], "MAYO", Candidate, ROUND_3),
    (&["OV-{Is|Ip|III|V}{|-pkc|-pkc-skc}"], "UOV", Candidate, ROUND_3),
    (
        &["SNOVA_{24_5_4|24_5_5|25_8_3|29_6_5|37_8_4|37_17_2|49_11_3|56_25_2|60_10_4}{|_SHAKE}{|_esk}"],
        "SNOVA",
        Candidate,
        ROUND_3,
    ),
    (&["mqom2_cat{1|3|5}_gf16_{fast|short}_r{3|5}"], "MQOM", Candidate, ROUND_3),
    (&["FAEST-*"], "FAEST", Candidate, ROUND_3),
    (&["QR-UOV-*"], "QR-UOV", Candidate, ROUND_3),
    (&["SDitH-*"], "SDitH", Candidate, ROUND_3),
    (&["SQIsign-*", "SQIsign_{p324_3|p500_27|p664_17}"], "SQIsign", Candidate, ROUND_3),
    (&["HAWK-{256|512|1024}"], "HAWK", Dropped, "withdrawn in 2026"),
    (&["cross-{rsdp|rsdpg}-{128|192|256}-{balanced|fast|small}"], "CROSS", Dropped, "dropped by NIST in 2026"),
    // NIST SP 800-208, October 2020, with liboqs's names for the sets. Two levels of LMS are HSS.
    (
        &[
            "LMS-SHA256-H{5|10}-W{4|8}",
            "LMS_SHA256_H{5|10|15|20|25}_W{1|2|4|8}",
            "LMS_SHA256_H{5|10|15|20|25}_W{1|2|4|8}_H{5|10|15|20|25}_W{1|2|4|8}",
        ],
        "LMS",
        Standard,
        "NIST SP 800-208",
    ),
    (&["XMSS-{SHA2|SHAKE256}_{10|16|20}_{192|256}"], "XMSS", Standard, "NIST SP 800-208"),
    // RFC 10024, August 2026, Standards Track. The drafts, with the newest version that was found: tls-mlkem-11 (17
    // September 2026), connolly-cfrg-xwing-kem-11 (23 September 2026), lamps-pq-composite-kem-18 and
    // lamps-pq-composite-sigs-19 (21 April 2026).
    (&["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"], "TLS hybrids", Standard, "RFC 10024"),
    (&["MLKEM{512|768|1024}"], "ML-KEM in TLS", Draft, "draft-ietf-tls-mlkem"),
    (&["X-Wing"], "X-Wing", Draft, "draft-connolly-cfrg-xwing-kem"),
    (&["MLKEM768-X25519-SHA3-256"], "composite ML-KEM", Draft, "draft-ietf-lamps-pq-composite-kem"),
    (&["MLDSA65-Ed25519-SHA512", "X.509-composite"], "composite ML-DSA", Draft, "draft-ietf-lamps-pq-composite-sigs"),
    // Forms of an earlier system, which pqlab reproduces.
    (&["X25519+{ML-KEM-768|mock}", "Ed25519+ML-DSA-65"], "reference form", Other, "form of an earlier system"),
    // Classical algorithms.
    (&["X25519"], "X25519", Standard, "RFC 7748"),
    (&["DHKEM-X25519-HKDF-SHA256"], "DHKEM", Standard, "RFC 9180"),
    (&["Ed25519"], "Ed25519", Standard, "RFC 8032"),
    (&["ECDSA-P-{256|384}"], "ECDSA", Standard, "FIPS 186-5"),
    (&["ECDSA-secp256k1"], "ECDSA", Standard, "SEC 1, SEC 2"),
    (&["RSA-2048"], "RSA", Standard, "RFC 8017"),
    (&["SHA3-{224|256|384|512}", "SHAKE{128|256}"], "SHA-3", Standard, "FIPS 202"),
    (&["SHA-{224|256|384|512|512/224|512/256}"], "SHA-2", Standard, "FIPS 180-4"),
    (&["HMAC-SHA256"], "HMAC", Standard, "RFC 2104"),
    (&["HKDF-SHA256"], "HKDF", Standard, "RFC 5869"),
    (&["AES-256-GCM"], "AES-GCM", Standard, "NIST SP 800-38D"),
    (&["AES-256-CTR"], "AES-CTR", Standard, "NIST SP 800-38A"),
];

/// Returns whether a name matches a pattern: text with groups of alternatives, such as `ML-KEM-{512|768|1024}`. An
/// alternative may be empty. An asterisk at the end matches any text that is not empty.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((text, groups)) = pattern.split_once('{') else {
        return match pattern.strip_suffix('*') {
            Some(text) => name.strip_prefix(text).is_some_and(|rest| !rest.is_empty()),
            None => name == pattern,
        };
    };
    let (Some(name), Some((group, rest))) = (name.strip_prefix(text), groups.split_once('}')) else { return false };
    group.split('|').filter_map(|alternative| name.strip_prefix(alternative)).any(|name| matches(rest, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(algorithm: &str) -> Option<Stage> {
        Standardization::find(algorithm).map(|found| found.stage)
    }

    #[test]
    fn similar_names_are_told_apart() {
        for (algorithm, expected) in [
            ("ML-KEM-768", Some(Standard)),
            ("ML-KEM-768-ipd", Some(Superseded)),
            ("ML-KEM-7680", None),
            ("ML-KEM-", None),
            ("ML-KEM-{512|768|1024}", None),
            ("Kyber768", Some(Superseded)),
            ("MLKEM768", Some(Draft)),
            ("X25519MLKEM768", Some(Standard)),
            ("MLKEM768-X25519-SHA3-256", Some(Draft)),
            ("ML-DSA-65", Some(Standard)),
            ("MLDSA65-Ed25519-SHA512", Some(Draft)),
            ("MLDSA65-ECDSA-P256-SHA512", None),
            ("Falcon-512", Some(Selected)),
            ("Falcon-padded-512", Some(Selected)),
            ("Falcon--512", None),
            ("SLH-DSA-SHA2-128f", Some(Standard)),
            ("SPHINCS+-SHA2-128f-simple", Some(Superseded)),
            ("FrodoKEM-640-AES", Some(Dropped)),
            ("eFrodoKEM-976-SHAKE", Some(Standard)),
            ("Classic-McEliece-348864f", Some(Dropped)),
            ("Classic-McEliece-6960119pcf", Some(Standard)),
            ("SQIsign-lvl1", Some(Candidate)),
            ("SQIsign-", None),
            ("X25519", Some(Standard)),
            ("X25519+mock", Some(Other)),
            ("null", None),
            ("", None),
        ] {
            assert_eq!(stage(algorithm), expected, "{algorithm}");
        }
    }

    /// A name must not match two entries, because then their order would decide.
    #[test]
    fn patterns_exclude_each_other() {
        fn names(pattern: &str) -> Vec<String> {
            let Some((text, groups)) = pattern.split_once('{') else { return vec![pattern.replace('*', "1")] };
            let (group, rest) = groups.split_once('}').unwrap();
            let rests = names(rest);
            let of_alternative = |one: &str| rests.iter().map(|rest| format!("{text}{one}{rest}")).collect::<Vec<_>>();
            group.split('|').flat_map(of_alternative).collect()
        }
        let all: Vec<&str> = ENTRIES.iter().flat_map(|(patterns, ..)| patterns.iter().copied()).collect();
        for name in all.iter().flat_map(|pattern| names(pattern)) {
            assert_eq!(all.iter().filter(|pattern| matches(pattern, &name)).count(), 1, "{name}");
        }
    }

    /// Reports list details in parentheses.
    #[test]
    fn details_are_short_and_have_no_parentheses() {
        for (_, family, _, detail) in ENTRIES {
            assert!(!detail.is_empty() && detail.len() <= 90 && !detail.contains(['(', ')']), "{family}: {detail}");
        }
    }
}
