//! Number of Keccak permutations that the standards require for an operation.
//!
//! FIPS 203 and FIPS 204 specify every call of SHA-3 and SHAKE. Rejection sampling squeezes a random number of blocks;
//! the number here is the expected one.

use pqlab_record::{Case, Form, Parameter};

/// Rates in bytes (FIPS 202): SHAKE128, SHAKE256 and SHA3-256, SHA3-512.
const SHAKE128: u64 = 168;
const SHAKE256: u64 = 136;
const SHA3_512: u64 = 72;

/// Returns the rate of a hash function in bytes (FIPS 202, section 6), or `None` for a function that is not based on
/// Keccak.
pub(super) fn rate(algorithm: &str) -> Option<u64> {
    Some(match algorithm {
        "SHAKE128" => SHAKE128,
        "SHA3-224" => 144,
        "SHA3-256" | "SHAKE256" => SHAKE256,
        "SHA3-384" => 104,
        "SHA3-512" => SHA3_512,
        _ => return None,
    })
}

/// Returns the number of permutations that absorb `input` bytes and squeeze `output` bytes. The padding takes at least
/// one byte.
pub(super) fn sponge(input: u64, output: u64, rate: u64) -> u64 {
    input / rate + 1 + output.saturating_sub(1) / rate
}

/// Returns the expected number of blocks until `wanted` of the candidates are accepted. A block has `per_block`
/// candidates, each of which is accepted with probability `accepted`.
fn expected_blocks(wanted: usize, per_block: usize, accepted: f64) -> f64 {
    // The probability that exactly n candidates were accepted so far, for n below `wanted`.
    let mut below = vec![0.0; wanted];
    below[0] = 1.0;
    let mut blocks = 0.0;
    loop {
        let unfinished: f64 = below.iter().sum();
        if unfinished < 1e-12 {
            return blocks;
        }
        blocks += unfinished;
        for _ in 0..per_block {
            for n in (0..wanted).rev() {
                below[n] = below[n] * (1.0 - accepted) + if n > 0 { below[n - 1] * accepted } else { 0.0 };
            }
        }
    }
}

/// Parameter set of ML-KEM (FIPS 203, table 2).
struct MlKem {
    name: &'static str,
    k: u64,
    eta_1: u64,
    /// Length of a ciphertext in bytes.
    ciphertext: u64,
}

const ML_KEM: [MlKem; 3] = [
    MlKem { name: "ML-KEM-512", k: 2, eta_1: 3, ciphertext: 768 },
    MlKem { name: "ML-KEM-768", k: 3, eta_1: 2, ciphertext: 1088 },
    MlKem { name: "ML-KEM-1024", k: 4, eta_1: 2, ciphertext: 1568 },
];

impl MlKem {
    fn permutations(&self, operation: &str, is_encoded: bool) -> Option<f64> {
        // A three-byte group gives two candidates of 12 bits (algorithm 7).
        let matrix = (self.k * self.k) as f64 * expected_blocks(256, 112, 3329.0 / 4096.0);
        let hash_of_key = sponge(384 * self.k + 32, 32, SHAKE256);
        let noise = |eta: u64| sponge(33, 64 * eta, SHAKE256);
        let encrypt = self.k * noise(self.eta_1) + (self.k + 1) * noise(2);
        let from_key = if is_encoded { matrix + hash_of_key as f64 } else { 0.0 };
        Some(match operation {
            "keygen" => {
                let seeds = sponge(33, 64, SHA3_512);
                (seeds + 2 * self.k * noise(self.eta_1) + hash_of_key) as f64 + matrix
            }
            "encapsulate" => (sponge(64, 64, SHA3_512) + encrypt) as f64 + from_key,
            "decapsulate" => {
                let implicit_rejection = sponge(32 + self.ciphertext, 32, SHAKE256);
                (sponge(64, 64, SHA3_512) + implicit_rejection + encrypt) as f64 + from_key
            }
            _ => return None,
        })
    }
}

/// Parameter set of ML-DSA (FIPS 204, tables 1 and 2).
struct MlDsa {
    name: &'static str,
    k: u64,
    l: u64,
    /// Probability that a half-byte is a coefficient of the private key (algorithm 15).
    accepted: f64,
    /// Length of the mask of one polynomial in bytes.
    mask: u64,
    /// Length of the encoded high bits of one polynomial in bytes.
    high_bits: u64,
    /// Length of the commitment hash in bytes.
    commitment: u64,
    /// Length of the public key in bytes.
    public_key: u64,
}

const ML_DSA: [MlDsa; 3] = [
    MlDsa {
        name: "ML-DSA-44",
        k: 4,
        l: 4,
        accepted: 15.0 / 16.0,
        mask: 576,
        high_bits: 192,
        commitment: 32,
        public_key: 1312,
    },
    MlDsa {
        name: "ML-DSA-65",
        k: 6,
        l: 5,
        accepted: 9.0 / 16.0,
        mask: 640,
        high_bits: 128,
        commitment: 48,
        public_key: 1952,
    },
    MlDsa {
        name: "ML-DSA-87",
        k: 8,
        l: 7,
        accepted: 15.0 / 16.0,
        mask: 640,
        high_bits: 128,
        commitment: 64,
        public_key: 2592,
    },
];

impl MlDsa {
    fn permutations(&self, operation: &str, is_encoded: bool, message: u64, attempts: f64) -> Option<f64> {
        // Three bytes give one candidate (algorithm 14); a half-byte gives one (algorithm 15).
        let matrix = (self.k * self.l) as f64 * expected_blocks(256, 56, 8_380_417.0 / 8_388_608.0);
        let hash_of_key = sponge(self.public_key, 64, SHAKE256);
        // The message follows the hash of the key, two bytes and an empty context (algorithms 2 and 7).
        let representative = sponge(64 + 2 + message, 64, SHAKE256);
        let commitment = sponge(64 + self.k * self.high_bits, self.commitment, SHAKE256);
        let challenge = 1;
        Some(match operation {
            "keygen" => {
                let secret = (self.k + self.l) as f64 * expected_blocks(256, 272, self.accepted);
                (sponge(34, 128, SHAKE256) + hash_of_key) as f64 + matrix + secret
            }
            "sign" => {
                let each = self.l * sponge(66, self.mask, SHAKE256) + commitment + challenge;
                let from_key = if is_encoded { matrix } else { 0.0 };
                (representative + sponge(128, 64, SHAKE256)) as f64 + from_key + attempts * each as f64
            }
            "verify" => {
                let from_key = if is_encoded { matrix + hash_of_key as f64 } else { 0.0 };
                (representative + commitment + challenge) as f64 + from_key
            }
            _ => return None,
        })
    }
}

/// Returns the expected number of permutations of an operation of ML-KEM (FIPS 203) or ML-DSA (FIPS 204), or `None` for
/// every other case. A prepared key may keep the matrix and the hash of the public key, so these do not count for it.
/// Signing counts the expected number of attempts.
pub(super) fn permutations(case: &Case) -> Option<f64> {
    if !case.has_only(&[Parameter::LENGTH]) {
        return None;
    }
    let (operation, is_encoded) = (case.operation.as_str(), case.form == Some(Form::Encoded));
    if let Some(set) = ML_KEM.iter().find(|set| set.name == case.algorithm) {
        return set.permutations(operation, is_encoded);
    }
    let set = ML_DSA.iter().find(|set| set.name == case.algorithm)?;
    let attempts = case.expected_attempts().map_or(1.0, |attempts| attempts.number);
    set.permutations(operation, is_encoded, case.message_length().unwrap_or_default(), attempts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sponges_count_the_padding_and_the_blocks_of_output() {
        assert_eq!(sponge(0, 32, SHAKE256), 1);
        assert_eq!(sponge(135, 32, SHAKE256), 1);
        assert_eq!(sponge(136, 32, SHAKE256), 2, "the padding must take a block of its own");
        assert_eq!(sponge(33, 136, SHAKE256), 1);
        assert_eq!(sponge(33, 137, SHAKE256), 2);
    }

    #[test]
    fn rejection_sampling_expects_slightly_more_than_the_usual_number_of_blocks() {
        // FIPS 203: three blocks suffice in about 99% of the cases.
        let ml_kem = expected_blocks(256, 112, 3329.0 / 4096.0);
        assert!(ml_kem > 3.0 && ml_kem < 3.02, "{ml_kem}");
        let ml_dsa = expected_blocks(256, 56, 8_380_417.0 / 8_388_608.0);
        assert!(ml_dsa > 4.9999 && ml_dsa < 5.0001, "{ml_dsa}");
        assert_eq!(expected_blocks(1, 1, 1.0), 1.0);
        assert!((expected_blocks(1, 1, 0.25) - 4.0).abs() < 1e-6);
    }

    #[test]
    fn counts_follow_the_standards() {
        let kem = |set: usize, operation, encoded| ML_KEM[set].permutations(operation, encoded).unwrap();
        // ML-KEM-768: 1 for the seeds, 27 for the matrix, 6 for the noise, 9 for the hash of the key.
        assert!((kem(1, "keygen", false) - 43.0).abs() < 0.2);
        // 1 for key and randomness, 7 for the noise; from the encoded key also the matrix and its hash.
        assert_eq!(kem(1, "encapsulate", false), 8.0);
        assert!((kem(1, "encapsulate", true) - 44.0).abs() < 0.2);
        assert_eq!(kem(1, "decapsulate", false), 17.0);
        // ML-KEM-512 needs two blocks for noise with eta 3.
        assert_eq!(kem(0, "encapsulate", false), 8.0);
        let dsa = |operation, encoded, attempts| ML_DSA[1].permutations(operation, encoded, 32, attempts).unwrap();
        // ML-DSA-65: 150 for the matrix, 15 for the hash of the key, 1, 7 and 1 for message, commitment and challenge.
        assert!((dsa("verify", true, 1.0) - 174.0).abs() < 0.1);
        assert_eq!(dsa("verify", false, 1.0), 9.0);
        assert_eq!(dsa("sign", false, 2.0) - dsa("sign", false, 1.0), 33.0);
        assert_eq!(ML_DSA[1].permutations("open", true, 32, 1.0), None);
    }
}
