//! Expected number of attempts that ML-DSA needs to create a signature.

use super::Case;
use crate::Parameter;

/// Parameters that determine the rejection sampling of an ML-DSA parameter set (FIPS 204, table 1).
struct Rejection {
    /// Name of the parameter set, in capitals and without hyphens.
    name: &'static str,
    /// Number of rows of the matrix `A`.
    k: i32,
    /// Number of columns of the matrix `A`.
    l: i32,
    /// Bound on the coefficients of the mask `y`.
    gamma1: f64,
    /// Half of the low-order rounding range.
    gamma2: f64,
    /// Bound on the coefficients of the challenge `c` multiplied by a secret polynomial.
    beta: f64,
    /// Probability that an attempt fails the last two checks (`c t0`, and the number of hints) after passing the first
    /// two. Estimated by simulating 2,000,000 attempts per set. The standard errors for ML-DSA-44, 65 and 87 are
    /// 0.00009, 0.00005 and 0.00007.
    hints: f64,
}

/// The modulus `q`.
const Q: f64 = 8_380_417.0;
/// Number of coefficients of a polynomial.
const N: i32 = 256;

const SETS: [Rejection; 3] = [
    Rejection { name: "MLDSA44", k: 4, l: 4, gamma1: 131_072.0, gamma2: 95_232.0, beta: 78.0, hints: 0.01442 },
    Rejection { name: "MLDSA65", k: 6, l: 5, gamma1: 524_288.0, gamma2: 261_888.0, beta: 196.0, hints: 0.00379 },
    Rejection { name: "MLDSA87", k: 8, l: 7, gamma1: 524_288.0, gamma2: 261_888.0, beta: 120.0, hints: 0.00786 },
];

/// Expected attempts of a signing operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedAttempts {
    /// Expected number of attempts.
    pub number: f64,
    /// Fraction of the failed attempts that fail the check of `z`. An implementation can make this check first.
    pub early: f64,
}

impl Rejection {
    /// Returns the expected number of attempts, which is the reciprocal of the probability that an attempt succeeds.
    ///
    /// - Each coefficient of `z` is uniform over `2 gamma1` values, and `2 (gamma1 - beta) - 1` of them pass the check.
    /// - Each coefficient of `w - c s2` is uniform modulo `q`. Its low bits pass the check for `(q - 1) / (2 gamma2)`
    ///   times `2 (gamma2 - beta) - 1` of the `q` values.
    ///
    /// The coefficients are independent (Ducas et al., "CRYSTALS-Dilithium: Algorithm Specifications and Supporting
    /// Documentation", version 3.1, section 3.4).
    fn expected(&self) -> ExpectedAttempts {
        let z = (2.0 * (self.gamma1 - self.beta) - 1.0) / (2.0 * self.gamma1);
        let r0 = (Q - 1.0) / (2.0 * self.gamma2) * (2.0 * (self.gamma2 - self.beta) - 1.0) / Q;
        let z = z.powi(N * self.l);
        let success = z * r0.powi(N * self.k) * (1.0 - self.hints);
        ExpectedAttempts { number: 1.0 / success, early: (1.0 - z) / (1.0 - success) }
    }
}

impl Case {
    /// Returns the expected attempts of a signing operation, alone or in a hybrid: 4.36 for ML-DSA-44, 5.14 for
    /// ML-DSA-65 and 3.91 for ML-DSA-87. FIPS 204, table 1, lists 4.25, 5.1 and 3.85, because the standard omits the
    /// check of the hints and treats the intervals as continuous. Returns `None` for all other operations. Also returns
    /// `None` for signing a set of messages, because one sample then contains many signatures.
    pub fn expected_attempts(&self) -> Option<ExpectedAttempts> {
        let signs = self.operation == "sign" && self.word(Parameter::MESSAGES).is_none();
        let name = self.algorithm.to_ascii_uppercase().replace('-', "");
        SETS.iter().find(|set| signs && name.contains(set.name)).map(Rejection::expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;

    fn expected(algorithm: &str, operation: &str) -> Option<ExpectedAttempts> {
        let case = Case {
            workload: "signature".into(),
            algorithm: algorithm.into(),
            operation: operation.into(),
            provider: "openssl".into(),
            form: None,
            parameters: Vec::new(),
            block: String::new(),
            facts: Facts::default(),
        };
        case.expected_attempts()
    }

    #[test]
    fn expected_attempts_are_near_those_of_the_standard() {
        for (algorithm, standard, wanted, wanted_early) in
            [("ML-DSA-44", 4.25, 4.360, 0.5950), ("ML-DSA-65", 5.1, 5.138, 0.4732), ("ML-DSA-87", 3.85, 3.906, 0.4538)]
        {
            let ExpectedAttempts { number, early } = expected(algorithm, "sign").unwrap();
            assert!((number - wanted).abs() < 0.001, "{algorithm}: {number}");
            assert!(number > standard && number < 1.03 * standard, "{algorithm}: {number}");
            assert!((early - wanted_early).abs() < 0.001, "{algorithm}: {early}");
        }
        assert_eq!(expected("MLDSA65-Ed25519-SHA512", "sign"), expected("ML-DSA-65", "sign"));
    }

    #[test]
    fn only_single_signatures_have_expected_attempts() {
        for (algorithm, operation) in
            [("ML-DSA-65", "verify"), ("ML-DSA-65", "sign-load"), ("Falcon-512", "sign"), ("Ed25519", "sign")]
        {
            assert_eq!(expected(algorithm, operation), None, "{algorithm} {operation}");
        }
    }
}
