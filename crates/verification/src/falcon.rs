//! Parts of Falcon (third-round specification, version 1.2) in plain arithmetic, for inspecting keys and signatures
//! from libraries.

use crate::ml_dsa::shake256;

/// The modulus.
pub const Q: i64 = 12_289;
/// Length of a salt in bytes.
pub const SALT: usize = 40;

/// Coefficients of a polynomial modulo `x^n + 1`.
pub type Polynomial = Vec<i64>;

/// A parameter set (table 3.3 of the specification).
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Number of coefficients of a polynomial.
    pub n: usize,
    /// Largest squared norm of a signature.
    pub bound: i64,
    /// Standard deviation of a signature's coefficients.
    pub sigma: f64,
    /// Length of a padded signature in bytes, or `None` if signatures are not padded.
    pub padded: Option<usize>,
}

impl Set {
    /// Returns the parameter set with this name, or `None` for any other name.
    pub fn of(algorithm: &str) -> Option<Set> {
        let small = Set { n: 512, bound: 34_034_726, sigma: 165.736_617_182_977_6, padded: None };
        let large = Set { n: 1024, bound: 70_265_242, sigma: 168.388_571_446_543_95, padded: None };
        match algorithm {
            "Falcon-512" => Some(small),
            "Falcon-padded-512" => Some(Set { padded: Some(666), ..small }),
            "Falcon-1024" => Some(large),
            "Falcon-padded-1024" => Some(Set { padded: Some(1280), ..large }),
            _ => None,
        }
    }

    /// Returns the binary logarithm of `n`, which the first byte of every encoding contains.
    fn log_n(&self) -> u8 {
        self.n.ilog2() as u8
    }

    /// Returns the number of bits per coefficient of `f` and `g` in an encoded signing key.
    fn small_bits(&self) -> usize {
        if self.n == 512 { 6 } else { 5 }
    }

    /// Returns the largest squared norm of `(f, g)` in a generated key: `1.17^2 * q` (algorithm 5, line 9).
    pub fn key_bound(&self) -> i64 {
        16_822
    }
}

/// Unpacks values of `bits` bits each, most significant bit first.
fn unpack(bytes: &[u8], bits: usize) -> Polynomial {
    let bit = |place: usize| i64::from(bytes[place / 8] >> (7 - place % 8) & 1);
    let count = 8 * bytes.len() / bits;
    (0..count).map(|i| (0..bits).fold(0, |value, b| value << 1 | bit(i * bits + b))).collect()
}

fn signed(values: Polynomial, bits: usize) -> Polynomial {
    values.into_iter().map(|value| if value >> (bits - 1) == 1 { value - (1 << bits) } else { value }).collect()
}

/// Returns the representative modulo `Q` with the smallest absolute value.
pub fn centre(value: i64) -> i64 {
    let value = value.rem_euclid(Q);
    if value > Q / 2 { value - Q } else { value }
}

/// Multiplies two polynomials modulo `x^n + 1`, without reducing coefficients modulo `Q`.
pub fn multiply(one: &[i64], other: &[i64]) -> Polynomial {
    let n = one.len();
    let mut product = vec![0; 2 * n];
    for (i, a) in one.iter().enumerate() {
        product[i..i + n].iter_mut().zip(other).for_each(|(sum, b)| *sum += a * b);
    }
    let (low, high) = product.split_at(n);
    low.iter().zip(high).map(|(low, high)| low - high).collect()
}

/// Returns the adjoint of a polynomial. Coefficient `i` of `a * adjoint(b)` is the inner product of `a` and `x^i * b`.
pub fn adjoint(polynomial: &[i64]) -> Polynomial {
    let n = polynomial.len();
    (0..n).map(|i| if i == 0 { polynomial[0] } else { -polynomial[n - i] }).collect()
}

/// Returns the squared Euclidean norm of a vector of polynomials.
pub fn norm<'a>(polynomials: impl IntoIterator<Item = &'a Polynomial>) -> i64 {
    polynomials.into_iter().flatten().map(|value| value * value).sum()
}

/// Returns `x^i` times a polynomial.
pub fn rotated(polynomial: &[i64], i: usize) -> Polynomial {
    let n = polynomial.len();
    (0..n).map(|place| if place < i { -polynomial[n + place - i] } else { polynomial[place - i] }).collect()
}

/// A decoded signing key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretKey {
    /// Short polynomial `f`. The verifying key is `h = g / f`.
    pub f: Polynomial,
    /// Short polynomial `g`. The verifying key is `h = g / f`.
    pub g: Polynomial,
    /// Polynomial `F`, which is in the second row of the secret basis.
    pub capital_f: Polynomial,
}

impl SecretKey {
    /// Decodes a key (section 3.11.5). Returns `None` if it is malformed.
    pub fn decode(set: &Set, bytes: &[u8]) -> Option<SecretKey> {
        let (bits, n) = (set.small_bits(), set.n);
        let small = n * bits / 8;
        let (first, rest) = bytes.split_first()?;
        if *first != 0x50 | set.log_n() || rest.len() != 2 * small + n {
            return None;
        }
        Some(SecretKey {
            f: signed(unpack(&rest[..small], bits), bits),
            g: signed(unpack(&rest[small..2 * small], bits), bits),
            capital_f: signed(unpack(&rest[2 * small..], 8), 8),
        })
    }

    /// Computes `G = F * h` modulo `Q`, with coefficients centered around 0. Encoded keys do not contain `G`.
    pub fn capital_g(&self, h: &[i64]) -> Polynomial {
        multiply(&self.capital_f, h).into_iter().map(centre).collect()
    }
}

/// Decodes a verifying key `h` (section 3.11.4). Returns `None` if it is malformed.
pub fn decode_verifying_key(set: &Set, bytes: &[u8]) -> Option<Polynomial> {
    let (first, rest) = bytes.split_first()?;
    let h = unpack(rest, 14);
    (*first == set.log_n() && h.len() == set.n && h.iter().all(|value| *value < Q)).then_some(h)
}

/// Hashes a salt and a message to a point (algorithm 3).
pub fn hash_to_point(set: &Set, salt: &[u8], message: &[u8]) -> Polynomial {
    // The filter below rejects 6% of the words, so twice as many words as coefficients are enough.
    let bytes = shake256(&[salt, message], 4 * set.n);
    let words = bytes.chunks_exact(2).map(|word| i64::from(u16::from_be_bytes([word[0], word[1]])));
    words.filter(|word| *word < 5 * Q).map(|word| word % Q).take(set.n).collect()
}

/// A decoded signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Random bytes that are hashed with the message, [`SALT`] bytes long.
    pub salt: Vec<u8>,
    /// Second half of the short vector `(s1, s2)`.
    pub s2: Polynomial,
}

impl Signature {
    /// Decodes a signature (section 3.11.3). Returns `None` if it is malformed.
    pub fn decode(set: &Set, bytes: &[u8]) -> Option<Signature> {
        let (first, rest) = bytes.split_first()?;
        if *first != 0x30 | set.log_n() || rest.len() < SALT || set.padded.is_some_and(|length| bytes.len() != length) {
            return None;
        }
        let (salt, compressed) = rest.split_at(SALT);
        let mut bits = (0..8 * compressed.len()).map(|place| compressed[place / 8] >> (7 - place % 8) & 1);
        let mut s2 = Vec::with_capacity(set.n);
        for _ in 0..set.n {
            let negative = bits.next()? == 1;
            let mut value = 0;
            for _ in 0..7 {
                value = value << 1 | i64::from(bits.next()?);
            }
            while bits.next()? == 0 {
                value += 1 << 7;
            }
            if value > 2047 || negative && value == 0 {
                return None;
            }
            s2.push(if negative { -value } else { value });
        }
        bits.all(|bit| bit == 0).then(|| Signature { salt: salt.to_vec(), s2 })
    }

    /// Encodes the signature. Returns `None` if it does not fit into the padded length.
    pub fn encode(&self, set: &Set) -> Option<Vec<u8>> {
        self.encode_with(set, None)
    }

    /// Encodes the signature. The coefficient at index `minus_zero` must be 0, and is encoded with a minus sign.
    /// Returns `None` if the signature does not fit into the padded length.
    pub fn encode_with(&self, set: &Set, minus_zero: Option<usize>) -> Option<Vec<u8>> {
        let mut bits = Vec::new();
        for (place, value) in self.s2.iter().enumerate() {
            bits.push(*value < 0 || minus_zero == Some(place));
            bits.extend((0..7).rev().map(|bit| value.unsigned_abs() >> bit & 1 == 1));
            bits.extend((0..value.unsigned_abs() >> 7).map(|_| false));
            bits.push(true);
        }
        let mut out = [&[0x30 | set.log_n()], self.salt.as_slice()].concat();
        let byte = |bits: &[bool]| (0..8).fold(0, |byte, i| byte << 1 | u8::from(bits.get(i) == Some(&true)));
        out.extend(bits.chunks(8).map(byte));
        match set.padded {
            Some(length) if out.len() > length => return None,
            Some(length) => out.resize(length, 0),
            None => {}
        }
        Some(out)
    }

    /// Computes `s1`, the first half of the short vector, from the verifying key `h` and the message (algorithm 16).
    pub fn s1(&self, set: &Set, h: &[i64], message: &[u8]) -> Polynomial {
        let point = hash_to_point(set, &self.salt, message);
        point.iter().zip(multiply(&self.s2, h)).map(|(c, product)| centre(c - product)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::{Coins, KeyEncoding};

    #[test]
    fn keys_and_signatures_of_a_library_have_the_algebra_of_the_specification() {
        let providers = pqlab_providers::providers();
        let library = providers.iter().find(|provider| provider.library == "fn-dsa").unwrap();
        for algorithm in ["Falcon-padded-512", "Falcon-padded-1024"] {
            let (set, scheme) = (Set::of(algorithm).unwrap(), library.signature(algorithm).unwrap());
            let key = scheme.generate(Coins::Internal).unwrap();
            let mut private = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
            key.encode(KeyEncoding::Expanded, &mut private).unwrap();
            let mut public = vec![0; scheme.info().parameters.verifying_key];
            let verifying = key.verifying_key().unwrap();
            verifying.encode(&mut public).unwrap();
            let (secret, h) =
                (SecretKey::decode(&set, &private).unwrap(), decode_verifying_key(&set, &public).unwrap());
            let product = multiply(&secret.f, &h);
            assert!(product.iter().zip(&secret.g).all(|(product, g)| (product - g) % Q == 0));
            let mut encoded = vec![0; scheme.info().parameters.signature];
            key.sign(b"", b"message", Coins::Internal, &mut encoded).unwrap();
            let signature = Signature::decode(&set, &encoded).unwrap();
            assert_eq!(signature.encode(&set).unwrap(), encoded);
            assert!(norm([&signature.s1(&set, &h, b"message"), &signature.s2]) <= set.bound);
            // Adding a short lattice vector to a signature gives another signature.
            let other = Signature {
                s2: signature.s2.iter().zip(rotated(&secret.f, 3)).map(|(s2, f)| s2 - f).collect(),
                salt: signature.salt.clone(),
            };
            let difference: Polynomial = other
                .s1(&set, &h, b"message")
                .iter()
                .zip(signature.s1(&set, &h, b"message"))
                .map(|(one, other)| one - other)
                .collect();
            assert_eq!(difference, rotated(&secret.g, 3));
        }
    }

    #[test]
    fn the_adjoint_gives_inner_products() {
        let one: Polynomial = (0..8).map(|i| i * i - 5).collect();
        let other: Polynomial = (0..8).map(|i| 3 * i - 7).collect();
        let products = multiply(&one, &adjoint(&other));
        for (i, product) in products.iter().enumerate() {
            let rotated = rotated(&other, i);
            assert_eq!(*product, one.iter().zip(&rotated).map(|(a, b)| a * b).sum::<i64>());
        }
    }
}
