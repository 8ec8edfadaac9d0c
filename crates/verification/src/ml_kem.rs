//! Parts of ML-KEM (FIPS 203) in plain arithmetic, for inspecting keys and ciphertexts from libraries.

use crate::ml_dsa::shake256;
use sha3::digest::{Digest, ExtendableOutput, Update, XofReader};
use sha3::{Sha3_512, Shake128};

/// The modulus.
pub const Q: i32 = 3329;
/// Number of coefficients of a polynomial.
pub const N: usize = 256;

/// Coefficients from 0 to `Q - 1`.
pub type Polynomial = [i32; N];

/// A parameter set (FIPS 203, table 2).
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Number of polynomials in a vector.
    pub k: usize,
    /// Largest absolute value of a coefficient of the secret.
    pub eta1: i32,
    /// Number of bits per coefficient in the first part of a ciphertext.
    pub du: usize,
    /// Number of bits per coefficient in the second part of a ciphertext.
    pub dv: usize,
}

impl Set {
    /// Returns the parameter set with this name, or `None` for any other name.
    pub fn of(algorithm: &str) -> Option<Set> {
        match algorithm {
            "ML-KEM-512" => Some(Set { k: 2, eta1: 3, du: 10, dv: 4 }),
            "ML-KEM-768" => Some(Set { k: 3, eta1: 2, du: 10, dv: 4 }),
            "ML-KEM-1024" => Some(Set { k: 4, eta1: 2, du: 11, dv: 5 }),
            _ => None,
        }
    }
}

/// Secret key of the encryption scheme K-PKE, with the secret for implicit rejection.
pub struct SecretKey {
    /// Secret vector in the NTT domain.
    s: Vec<Polynomial>,
    /// Secret for implicit rejection, 32 bytes.
    pub z: Vec<u8>,
}

fn power(base: i32, exponent: u32) -> i32 {
    (0..exponent).fold(1, |product, _| product * base % Q)
}

fn reversed(index: usize) -> u32 {
    u32::from((index as u8).reverse_bits() >> 1)
}

/// Computes the number-theoretic transform (algorithm 9).
fn ntt(f: &Polynomial) -> Polynomial {
    let (mut f, mut i, mut length) = (*f, 1, 128);
    while length >= 2 {
        for start in (0..N).step_by(2 * length) {
            let zeta = power(17, reversed(i));
            i += 1;
            for j in start..start + length {
                let t = zeta * f[j + length] % Q;
                f[j + length] = (f[j] - t).rem_euclid(Q);
                f[j] = (f[j] + t) % Q;
            }
        }
        length /= 2;
    }
    f
}

/// Computes the inverse transform (algorithm 10).
fn inverse_ntt(f: &Polynomial) -> Polynomial {
    let (mut f, mut i, mut length) = (*f, 127, 2);
    while length <= 128 {
        for start in (0..N).step_by(2 * length) {
            let zeta = power(17, reversed(i));
            i -= 1;
            for j in start..start + length {
                let t = f[j];
                f[j] = (t + f[j + length]) % Q;
                f[j + length] = zeta * (f[j + length] - t).rem_euclid(Q) % Q;
            }
        }
        length *= 2;
    }
    f.map(|value| value * 3303 % Q)
}

/// Multiplies two polynomials in the NTT domain (algorithms 11 and 12).
fn multiply_transformed(f: &Polynomial, g: &Polynomial) -> Polynomial {
    let mut h = [0; N];
    for i in 0..128 {
        let gamma = power(17, 2 * reversed(i) + 1);
        let (a0, a1, b0, b1) = (f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]);
        h[2 * i] = (a0 * b0 + a1 * b1 % Q * gamma) % Q;
        h[2 * i + 1] = (a0 * b1 + a1 * b0) % Q;
    }
    h
}

fn sum(polynomials: impl Iterator<Item = Polynomial>) -> Polynomial {
    polynomials.fold([0; N], |sum, one| std::array::from_fn(|i| (sum[i] + one[i]) % Q))
}

/// Decodes polynomials with `bits` bits per coefficient (algorithm 6).
fn decode(bytes: &[u8], bits: usize) -> Vec<Polynomial> {
    let one = |chunk: &[u8]| -> Polynomial {
        let bit = |place: usize| i32::from(chunk[place / 8] >> (place % 8) & 1);
        std::array::from_fn(|i| (0..bits).fold(0, |value, b| value | bit(i * bits + b) << b))
    };
    bytes.chunks_exact(32 * bits).map(one).collect()
}

fn decompress(polynomial: &Polynomial, bits: usize) -> Polynomial {
    polynomial.map(|value| (value * Q + (1 << (bits - 1))) >> bits)
}

/// Generates `K-PKE`'s secret from a seed `d || z` (algorithm 13).
fn generate(set: &Set, seed: &[u8]) -> Vec<Polynomial> {
    let mut hash = Sha3_512::new();
    Digest::update(&mut hash, &seed[..32]);
    Digest::update(&mut hash, [set.k as u8]);
    let expanded = hash.finalize();
    let eta = usize::try_from(set.eta1).unwrap_or_default();
    let noise = |n: usize| -> Polynomial {
        let bytes = shake256(&[&expanded[32..], &[n as u8]], 64 * eta);
        let bit = |place: usize| i32::from(bytes[place / 8] >> (place % 8) & 1);
        std::array::from_fn(|i| {
            let half = |from: usize| (0..eta).map(|b| bit(2 * i * eta + from + b)).sum::<i32>();
            (half(0) - half(eta)).rem_euclid(Q)
        })
    };
    (0..set.k).map(|n| ntt(&noise(n))).collect()
}

impl SecretKey {
    /// Decodes an expanded decapsulation key: `dk = dkPKE || ek || H(ek) || z`.
    pub fn of_expanded(set: &Set, key: &[u8]) -> SecretKey {
        SecretKey { s: decode(&key[..384 * set.k], 12), z: key[key.len() - 32..].to_vec() }
    }

    /// Derives the secret key from the seed `d || z`.
    pub fn of_seed(set: &Set, seed: &[u8]) -> SecretKey {
        SecretKey { s: generate(set, seed), z: seed[32..].to_vec() }
    }

    /// Decrypts a ciphertext and returns the message (algorithm 15).
    pub fn decrypt(&self, set: &Set, ciphertext: &[u8]) -> Vec<u8> {
        let (c1, c2) = ciphertext.split_at(32 * set.du * set.k);
        let u = decode(c1, set.du).into_iter().map(|one| ntt(&decompress(&one, set.du)));
        let product = inverse_ntt(&sum(self.s.iter().zip(u).map(|(s, u)| multiply_transformed(s, &u))));
        let v = decompress(&decode(c2, set.dv)[0], set.dv);
        let bit = |i: usize| {
            let value = (v[i] - product[i]).rem_euclid(Q);
            u8::from((833..2497).contains(&value))
        };
        (0..32).map(|byte| (0..8).fold(0, |value, b| value | bit(8 * byte + b) << b)).collect()
    }

    /// Returns the secret polynomials, with coefficients centered around 0.
    pub fn secrets(&self) -> Vec<Polynomial> {
        self.s.iter().map(|one| centred(&inverse_ntt(one))).collect()
    }

    /// Returns the error polynomials of the encapsulation key, `e = t - A * s`, with coefficients centered around 0.
    pub fn errors(&self, set: &Set, encapsulation_key: &[u8]) -> Vec<Polynomial> {
        let (t, rho) = encapsulation_key.split_at(384 * set.k);
        let error = |(i, t): (usize, Polynomial)| {
            let row = self.s.iter().enumerate().map(|(j, s)| multiply_transformed(&sample(rho, i, j), s));
            let product = sum(row);
            centred(&inverse_ntt(&std::array::from_fn(|n| (t[n] - product[n]).rem_euclid(Q))))
        };
        decode(t, 12).into_iter().enumerate().map(error).collect()
    }
}

fn centred(polynomial: &Polynomial) -> Polynomial {
    polynomial.map(|value| if value > Q / 2 { value - Q } else { value })
}

/// Samples an entry of the matrix `A`, in the NTT domain (algorithm 7).
fn sample(rho: &[u8], i: usize, j: usize) -> Polynomial {
    let mut hash = Shake128::default();
    Update::update(&mut hash, rho);
    Update::update(&mut hash, &[j as u8, i as u8]);
    let (mut reader, mut values) = (hash.finalize_xof(), Vec::new());
    while values.len() < N {
        let mut bytes = [0; 3];
        reader.read(&mut bytes);
        let [a, b, c] = bytes.map(i32::from);
        values.extend([a + 256 * (b % 16), b / 16 + 16 * c].into_iter().filter(|value| *value < Q));
    }
    std::array::from_fn(|n| values[n])
}
