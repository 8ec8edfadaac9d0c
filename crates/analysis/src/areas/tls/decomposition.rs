//! Splits a handshake's time into the times of its primitives, which the run measured separately, and the rest.
//!
//! Handshakes and primitives belong to different blocks, so different processes measured them at different times. The
//! handshake's time and the sum of its primitives are therefore independent estimates. Both intervals come from
//! [`crate::comparison::total`] and include the spread between runs. Each half-width of the difference is the square
//! root of the sum of the squared half-widths (Zou and Donner, "Construction of confidence limits about effect
//! measures: A general approach", Statistics in Medicine 27 (2008)). All figures are means, because means add up and
//! medians do not, in particular for ML-DSA, which retries at random.
//!
//! If core cycles are known for all cases, the analysis adds up cycles and converts them to times at the clock rate
//! during the handshake. The rest then does not include clock changes between blocks.

use super::{Configuration, HandshakeFigures, handshakes};
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::comparison::{Measured, total_in};
use crate::estimates::scaled;
use crate::run::RunAnalysis;
use pqlab_record::{Case, Form, Parameter, Statistic, Unit};
use pqlab_stats::Interval;

/// Number of bytes that a CertificateVerify signs with SHA-384 as the handshake's hash: 64 spaces, the 33-byte context,
/// a zero byte, and the 48-byte hash of the transcript (RFC 8446, section 4.4.3).
pub const SIGNED: u64 = 64 + 33 + 1 + 48;

/// Role of a primitive in a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Agreement on a shared secret.
    KeyExchange,
    /// Creation of a signature over the handshake.
    Signing,
    /// Verification of the handshake's signature or of a certificate.
    Verification,
}

/// An operation of a handshake that is also measured as a separate case. Keys that a side generated itself are
/// prepared; keys from the wire are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive<'c> {
    /// Role in the handshake.
    pub part: Part,
    /// Area of the case.
    pub area: &'static str,
    /// Algorithm of the case.
    pub algorithm: &'c str,
    /// Operation of the case.
    pub operation: &'static str,
    /// Provider that the side's implementation calls.
    pub provider: &'static str,
    /// Whether the key is prepared or encoded.
    pub form: Form,
    /// Number of times that the handshake performs the operation.
    pub times: u64,
}

/// Times of a handshake and of its primitives, in ns.
#[derive(Clone, Debug)]
pub struct HandshakeDecomposition {
    /// Configuration of the handshake.
    pub configuration: Configuration,
    /// Mean time of the handshake in ns, with its 95% interval.
    pub handshake_ns: Interval,
    /// Total time of the key exchange on both sides, in ns.
    pub exchange_ns: f64,
    /// Total time to sign, in ns.
    pub signing_ns: f64,
    /// Total time to verify signatures, in ns.
    pub verification_ns: f64,
    /// Total time of all primitives in ns, with its 95% interval.
    pub primitives_ns: Interval,
    /// Remaining time in ns, spent in TLS itself, with its 95% interval.
    pub rest_ns: Interval,
    /// Unit in which the figures were added up.
    pub unit: Unit,
    /// Caveats of the handshake and of all primitives.
    pub caveats: Caveats,
}

impl HandshakeDecomposition {
    /// Returns the [remaining time](Self::rest_ns) as a percentage of the handshake's time.
    pub fn rest_pct(&self) -> Interval {
        let Interval { estimate, low, high, .. } = self.rest_ns;
        let pct = |ns: f64| 100.0 * ns / self.handshake_ns.estimate;
        Interval { estimate: pct(estimate), low: pct(low), high: pct(high), ..self.rest_ns }
    }
}

impl Primitive<'_> {
    /// Returns whether `case` measures this primitive: the same operation with the same provider and key form, without
    /// special parameters.
    pub fn is(&self, case: &Case) -> bool {
        let plain = case.has_only(&[Parameter::LENGTH]) && case.message_length().is_none_or(|length| length == SIGNED);
        case.workload == self.area
            && case.algorithm == self.algorithm
            && case.operation == self.operation
            && case.provider == self.provider
            && case.form == Some(self.form)
            && plain
    }
}

/// Returns the KEMs whose secrets a key exchange concatenates, or an empty list if the key exchange is unknown.
fn kems(exchange: &str) -> &'static [&'static str] {
    match exchange {
        "X25519" => &["X25519"],
        "X25519MLKEM768" => &["X25519", "ML-KEM-768"],
        "SecP256r1MLKEM768" => &["P-256", "ML-KEM-768"],
        "SecP384r1MLKEM1024" => &["P-384", "ML-KEM-1024"],
        "MLKEM768" => &["ML-KEM-768"],
        _ => &[],
    }
}

/// Returns the provider whose primitives an implementation calls.
fn provider(implementation: &str) -> Option<&'static str> {
    match implementation {
        "rustls" => Some("aws-lc"),
        "openssl" => Some("openssl"),
        _ => None,
    }
}

/// Returns the primitives of a handshake, or `None` if they are unknown.
///
/// For each KEM of the key exchange, the client generates a key, the server encapsulates and the client decapsulates.
/// In pre-shared-key mode without key exchange, the client generates keys but does not use them. A side that
/// authenticates signs once; the other side verifies that signature and all certificates except the root's.
pub fn primitives(configuration: &Configuration) -> Option<Vec<Primitive<'_>>> {
    let (kems, [client, server]) = (kems(&configuration.exchange), configuration.sides().map(provider));
    let (client, server) = (client?, server?);
    if kems.is_empty() {
        return None;
    }
    let kem = |operation, provider, form| {
        let area = "kem";
        kems.iter().map(move |algorithm| {
            let part = Part::KeyExchange;
            Primitive { part, area, algorithm, operation, provider, form, times: 1 }
        })
    };
    let authentication = |by: &'static str, to: &'static str| {
        let (area, algorithm) = ("signature", configuration.authentication.as_str());
        let primitive = move |part, operation, provider, form, times| Primitive {
            part,
            area,
            algorithm,
            operation,
            provider,
            form,
            times,
        };
        let verified = configuration.intermediates + 2;
        [
            primitive(Part::Signing, "sign", by, Form::Prepared, 1),
            primitive(Part::Verification, "verify", to, Form::Encoded, verified),
        ]
    };
    let mut all: Vec<Primitive<'_>> = kem("keygen", client, Form::Prepared).collect();
    if configuration.mode.as_deref() == Some("psk") {
        return Some(all);
    }
    all.extend(kem("encapsulate", server, Form::Encoded));
    all.extend(kem("decapsulate", client, Form::Prepared));
    match configuration.mode.as_deref() {
        None => all.extend(authentication(server, client)),
        Some("client-auth") => {
            all.extend(authentication(server, client));
            all.extend(authentication(client, server));
        }
        Some("psk-dhe") => {}
        Some(_) => return None,
    }
    Some(all)
}

/// Decomposes the handshakes whose primitives were all measured in the same run, in the order of the plan.
pub fn decompositions(analysis: &RunAnalysis<'_>) -> Vec<HandshakeDecomposition> {
    handshakes(analysis).iter().filter_map(|figures| decompose(analysis, figures)).collect()
}

fn decompose<'a>(analysis: &RunAnalysis<'a>, figures: &HandshakeFigures<'_, 'a>) -> Option<HandshakeDecomposition> {
    let whole = figures.whole?;
    let by_means = |case: &CaseAnalysis<'a>| Measured::together_by_means(&[case.measured()?]).pop();
    let mut parts: Vec<(Primitive<'_>, Measured<'a>)> = Vec::new();
    let mut caveats = vec![&whole.caveats];
    for primitive in primitives(&figures.configuration)? {
        let mut cases = analysis.cases().iter().filter(|case| case.header().id == whole.header().id);
        let case = cases.find(|case| primitive.is(case.case()))?;
        parts.push((primitive, by_means(case)?));
        caveats.push(&case.caveats);
    }
    let whole = by_means(whole)?;
    let in_cycles = parts
        .iter()
        .map(|(_, case)| case)
        .chain([&whole])
        .all(|case| case.headline(Unit::CoreCycles, Statistic::Mean).is_some());
    let unit = if in_cycles { Unit::CoreCycles } else { Unit::Nanoseconds };
    let repeated = parts.iter().flat_map(|(primitive, case)| (0..primitive.times).map(move |_| case));
    let all = total_in(&repeated.collect::<Vec<_>>(), unit, analysis.criteria())?;
    let one = total_in(&[&whole], unit, analysis.criteria())?;
    let ns = whole.headline(Unit::Nanoseconds, Statistic::Mean)? / one.estimate;
    let sum = |part: Part| -> Option<f64> {
        let of_part = parts.iter().filter(|(primitive, _)| primitive.part == part);
        let each =
            of_part.map(|(primitive, case)| Some(primitive.times as f64 * case.headline(unit, Statistic::Mean)? * ns));
        each.sum()
    };
    Some(HandshakeDecomposition {
        configuration: figures.configuration.clone(),
        handshake_ns: scaled(&one, ns),
        exchange_ns: sum(Part::KeyExchange)?,
        signing_ns: sum(Part::Signing)?,
        verification_ns: sum(Part::Verification)?,
        primitives_ns: scaled(&all, ns),
        rest_ns: scaled(&difference(&one, &all), ns),
        unit,
        caveats: Caveats::merged(caveats),
    })
}

/// Returns `first` minus `second`, two independent estimates, with the interval of the difference.
fn difference(first: &Interval, second: &Interval) -> Interval {
    let estimate = first.estimate - second.estimate;
    Interval {
        estimate,
        low: estimate - (first.estimate - first.low).hypot(second.high - second.estimate),
        high: estimate + (first.high - first.estimate).hypot(second.estimate - second.low),
        ..*first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_stats::IntervalMethod;

    fn close(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} is not within {within} of {right}");
    }

    fn configuration(mode: Option<&str>, provider: &str) -> Configuration {
        Configuration {
            exchange: "X25519MLKEM768".into(),
            authentication: "ML-DSA-65".into(),
            intermediates: 2,
            mode: mode.map(str::to_owned),
            provider: provider.into(),
        }
    }

    /// Lists the primitives as `provider algorithm operation`, each with the number of times that it is performed.
    fn counted(configuration: &Configuration) -> Vec<(String, u64)> {
        let all = primitives(configuration).unwrap();
        all.iter().map(|one| (format!("{} {} {}", one.provider, one.algorithm, one.operation), one.times)).collect()
    }

    #[test]
    fn each_side_uses_primitives_of_its_own_library() {
        let named =
            |all: &[(&str, u64)]| all.iter().map(|(name, times)| ((*name).to_owned(), *times)).collect::<Vec<_>>();
        let exchange = [
            ("aws-lc X25519 keygen", 1),
            ("aws-lc ML-KEM-768 keygen", 1),
            ("openssl X25519 encapsulate", 1),
            ("openssl ML-KEM-768 encapsulate", 1),
            ("aws-lc X25519 decapsulate", 1),
            ("aws-lc ML-KEM-768 decapsulate", 1),
        ];
        let server = [("openssl ML-DSA-65 sign", 1), ("aws-lc ML-DSA-65 verify", 4)];
        let client = [("aws-lc ML-DSA-65 sign", 1), ("openssl ML-DSA-65 verify", 4)];
        let with_mode = |mode| counted(&configuration(mode, "rustls+openssl"));
        assert_eq!(with_mode(None), named(&[&exchange[..], &server].concat()));
        assert_eq!(with_mode(Some("client-auth")), named(&[&exchange[..], &server, &client].concat()));
        assert_eq!(with_mode(Some("psk-dhe")), named(&exchange));
        assert_eq!(with_mode(Some("psk")), named(&exchange[..2]));
        assert_eq!(primitives(&configuration(Some("early-data"), "rustls")), None);
        assert_eq!(primitives(&configuration(None, "boring")), None);
    }

    #[test]
    fn the_rest_is_the_handshake_minus_its_primitives() {
        let run = fixtures::tls_run();
        let all = decompositions(&RunAnalysis::new(&run));
        let names: Vec<String> = all.iter().map(|one| one.configuration.name()).collect();
        // The third handshake is missing because its primitives were not measured.
        let wanted =
            ["X25519 ECDSA-P-256 chain=1", "X25519MLKEM768 ML-DSA-65 chain=2", "X25519 ECDSA-P-256 chain=1 psk"];
        assert_eq!(names, wanted);
        let first = &all[0];
        // The handshake takes 300 µs: 20 + 50 + 30 for the key exchange, 15 to sign, 3 × 45 to
        // verify, and 50 for the rest. All cases have the same noise, which raises the means by
        // 0.2%.
        close(first.handshake_ns.estimate, 300e3, 1e3);
        close(first.exchange_ns, 100e3, 400.0);
        close(first.signing_ns, 15e3, 100.0);
        close(first.verification_ns, 135e3, 500.0);
        close(first.rest_ns.estimate, 50e3, 300.0);
        close(first.rest_pct().estimate, 100.0 / 6.0, 0.1);
        assert_eq!(first.unit, Unit::CoreCycles);
        let parts = first.exchange_ns + first.signing_ns + first.verification_ns;
        close(parts, first.primitives_ns.estimate, 1e-6);
        close(parts + first.rest_ns.estimate, first.handshake_ns.estimate, 1e-6);
        // The rest inherits the uncertainty of the handshake and of its primitives, so its
        // half-width must be 0.2% to 3% of the handshake.
        let half = first.rest_ns.high - first.rest_ns.estimate;
        assert!(
            half > 0.002 * first.handshake_ns.estimate && half < 0.03 * first.handshake_ns.estimate,
            "{:?}",
            first.rest_ns
        );
        close(all[2].exchange_ns, 21e3, 100.0);
        close(all[2].rest_ns.estimate, 39e3, 300.0);
    }

    #[test]
    fn clock_changes_between_blocks_do_not_affect_the_rest() {
        let mut run = fixtures::tls_run();
        let at = |run: &pqlab_record::Run| decompositions(&RunAnalysis::new(run)).swap_remove(0);
        let before = at(&run);
        // The core ran 5% faster while the primitives were measured.
        for record in run.records.iter_mut().filter(|record| record.case.workload != "tls") {
            for visit in &mut record.samples.visits {
                visit.clock_hz *= 1.05;
                visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 / 1.05).round() as u64);
            }
        }
        let after = at(&run);
        close(after.rest_ns.estimate, before.rest_ns.estimate, 20.0);
        close(after.primitives_ns.estimate, before.primitives_ns.estimate, 20.0);
        // If cycles are unknown, a change of the clock shifts the rest.
        run.records.iter_mut().flat_map(|record| &mut record.samples.visits).for_each(|visit| visit.clock_hz = 0.0);
        let blind = at(&run);
        assert_eq!(blind.unit, Unit::Nanoseconds);
        close(blind.rest_ns.estimate, 300e3 - 250e3 / 1.05, 1e3);
    }

    #[test]
    fn a_difference_combines_both_uncertainties() {
        let interval = |estimate: f64, half: f64| Interval {
            estimate,
            low: estimate - half,
            high: estimate + half,
            confidence: 0.95,
            method: IntervalMethod::CrossedT,
        };
        let found = difference(&interval(100.0, 3.0), &interval(60.0, 4.0));
        assert_eq!((found.estimate, found.low, found.high), (40.0, 35.0, 45.0));
    }
}
