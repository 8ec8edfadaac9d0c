//! ML-DSA (FIPS 204) in plain arithmetic that follows the standard line by line. Checks use it to inspect keys and
//! signatures from libraries. It is neither fast nor constant-time, and it is never timed.

use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Shake128, Shake256};

/// The modulus.
pub const Q: i32 = 8_380_417;
/// Number of bits dropped from `t`.
pub const D: u32 = 13;
/// Number of coefficients of a polynomial.
pub const N: usize = 256;

/// Coefficients of a polynomial. The representatives depend on the context.
pub type Polynomial = [i32; N];

/// A parameter set (FIPS 204, table 1).
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Number of rows of the matrix `A`.
    pub k: usize,
    /// Number of columns of the matrix `A`.
    pub l: usize,
    /// Largest absolute value of a coefficient of the secrets `s1` and `s2`.
    pub eta: i32,
    /// Number of nonzero coefficients of the challenge.
    pub tau: usize,
    /// Bound on the coefficients of the mask.
    pub gamma1: i32,
    /// Bound on the low part of a decomposed coefficient.
    pub gamma2: i32,
    /// Maximum number of hints in a signature.
    pub omega: usize,
    /// Length of the commitment hash `c_tilde` in bytes.
    pub c_tilde: usize,
}

impl Set {
    /// Returns the parameter set with this name, or `None` for any other name.
    pub fn of(algorithm: &str) -> Option<Set> {
        let (low, high) = ((Q - 1) / 88, (Q - 1) / 32);
        let set =
            |k, l, eta, tau, gamma1, gamma2, omega, c_tilde| Set { k, l, eta, tau, gamma1, gamma2, omega, c_tilde };
        match algorithm {
            "ML-DSA-44" => Some(set(4, 4, 2, 39, 1 << 17, low, 80, 32)),
            "ML-DSA-65" => Some(set(6, 5, 4, 49, 1 << 19, high, 55, 48)),
            "ML-DSA-87" => Some(set(8, 7, 2, 60, 1 << 19, high, 75, 64)),
            _ => None,
        }
    }

    /// Returns the largest possible absolute value of a coefficient of `c * s1` and `c * s2`.
    pub fn beta(&self) -> i32 {
        i32::try_from(self.tau).unwrap_or_default() * self.eta
    }

    /// Returns the number of bits per coefficient of `z`.
    pub fn z_bits(&self) -> usize {
        1 + self.gamma1.trailing_zeros() as usize
    }

    fn eta_bits(&self) -> usize {
        if self.eta == 2 { 3 } else { 4 }
    }

    fn w1_bits(&self) -> usize {
        if self.gamma2 == (Q - 1) / 88 { 6 } else { 4 }
    }

    /// Returns the length of a signature in bytes.
    pub fn signature(&self) -> usize {
        self.c_tilde + self.l * 32 * self.z_bits() + self.omega + self.k
    }
}

/// Returns SHAKE256 of the concatenated parts.
pub fn shake256(parts: &[&[u8]], length: usize) -> Vec<u8> {
    let mut hash = Shake256::default();
    parts.iter().for_each(|part| hash.update(part));
    let mut out = vec![0; length];
    hash.finalize_xof().read(&mut out);
    out
}

/// Reduces a number modulo `Q` to the range from 0 to `Q - 1`.
pub fn reduce(value: i64) -> i32 {
    i32::try_from(value.rem_euclid(i64::from(Q))).unwrap_or_default()
}

/// Reduces a number modulo `Q` to the range from `-(Q - 1) / 2` to `(Q - 1) / 2`.
pub fn centre(value: i32) -> i32 {
    let value = reduce(i64::from(value));
    if value > Q / 2 { value - Q } else { value }
}

/// Returns the largest absolute value of a coefficient, after centering with [`centre`].
pub fn norm(polynomials: &[Polynomial]) -> i32 {
    polynomials.iter().flatten().map(|&value| centre(value).abs()).max().unwrap_or_default()
}

fn power(base: i64, exponent: u32) -> i64 {
    (0..exponent).fold(1, |product, _| product * base % i64::from(Q))
}

/// Returns the powers of the root of unity, in bit-reversed order (FIPS 204, appendix B).
fn zetas() -> &'static [i64; N] {
    static ZETAS: std::sync::OnceLock<[i64; N]> = std::sync::OnceLock::new();
    ZETAS.get_or_init(|| std::array::from_fn(|index| power(1753, u32::from((index as u8).reverse_bits()))))
}

/// Computes the number-theoretic transform (algorithm 41).
pub fn ntt(polynomial: &Polynomial) -> Polynomial {
    let (mut w, mut m, mut length) = (polynomial.map(|value| i64::from(reduce(i64::from(value)))), 0, 128);
    while length >= 1 {
        for start in (0..N).step_by(2 * length) {
            m += 1;
            for j in start..start + length {
                let t = zetas()[m] * w[j + length] % i64::from(Q);
                w[j + length] = (w[j] - t).rem_euclid(i64::from(Q));
                w[j] = (w[j] + t) % i64::from(Q);
            }
        }
        length /= 2;
    }
    w.map(reduce)
}

/// Computes the inverse transform (algorithm 42).
pub fn inverse_ntt(polynomial: &Polynomial) -> Polynomial {
    let (mut w, mut m, mut length) = (polynomial.map(i64::from), N, 1);
    while length < N {
        for start in (0..N).step_by(2 * length) {
            m -= 1;
            for j in start..start + length {
                let t = w[j];
                w[j] = (t + w[j + length]) % i64::from(Q);
                w[j + length] = (w[j + length] - t).rem_euclid(i64::from(Q)) * zetas()[m] % i64::from(Q);
            }
        }
        length *= 2;
    }
    // The differences above have the opposite sign from those in the standard, which negates the roots instead.
    w.map(|value| reduce(value * 8_347_681))
}

fn multiply_transformed(one: &Polynomial, other: &Polynomial) -> Polynomial {
    std::array::from_fn(|i| reduce(i64::from(one[i]) * i64::from(other[i])))
}

/// Multiplies two polynomials modulo `X^256 + 1`.
pub fn multiply(one: &Polynomial, other: &Polynomial) -> Polynomial {
    inverse_ntt(&multiply_transformed(&ntt(one), &ntt(other)))
}

/// Adds two polynomials.
pub fn add(one: &Polynomial, other: &Polynomial) -> Polynomial {
    std::array::from_fn(|i| reduce(i64::from(one[i]) + i64::from(other[i])))
}

/// Subtracts two polynomials.
pub fn subtract(one: &Polynomial, other: &Polynomial) -> Polynomial {
    std::array::from_fn(|i| reduce(i64::from(one[i]) - i64::from(other[i])))
}

/// Returns the matrix `A` in the NTT domain, row by row (ExpandA, algorithm 32).
pub fn expand_a(set: &Set, rho: &[u8]) -> Vec<Polynomial> {
    let entry = |r: usize, s: usize| {
        let mut hash = Shake128::default();
        hash.update(rho);
        hash.update(&[s as u8, r as u8]);
        let (mut reader, mut polynomial, mut filled) = (hash.finalize_xof(), [0; N], 0);
        while filled < N {
            let mut bytes = [0; 3];
            reader.read(&mut bytes);
            let value = i32::from(bytes[0]) | i32::from(bytes[1]) << 8 | i32::from(bytes[2] & 0x7f) << 16;
            if value < Q {
                polynomial[filled] = value;
                filled += 1;
            }
        }
        polynomial
    };
    (0..set.k).flat_map(|r| (0..set.l).map(move |s| entry(r, s))).collect()
}

/// Multiplies a matrix in the NTT domain by a vector of polynomials. Neither the vector nor the product is in the NTT
/// domain.
pub fn apply(set: &Set, matrix: &[Polynomial], vector: &[Polynomial]) -> Vec<Polynomial> {
    let transformed: Vec<Polynomial> = vector.iter().map(ntt).collect();
    let row = |row: &[Polynomial]| {
        let products = row.iter().zip(&transformed).map(|(one, other)| multiply_transformed(one, other));
        inverse_ntt(&products.fold([0; N], |sum, product| add(&sum, &product)))
    };
    matrix.chunks(set.l).map(row).collect()
}

/// Expands a seed to the secrets `s1` and `s2` (algorithm 33), with coefficients from `-eta` to `eta`.
pub fn expand_s(set: &Set, seed: &[u8]) -> Vec<Polynomial> {
    let polynomial = |r: usize| {
        let mut hash = Shake256::default();
        hash.update(seed);
        hash.update(&[r as u8, 0]);
        let (mut reader, mut values) = (hash.finalize_xof(), Vec::new());
        while values.len() < N {
            let mut byte = [0];
            reader.read(&mut byte);
            for half in [byte[0] & 15, byte[0] >> 4].map(i32::from) {
                match set.eta {
                    2 if half < 15 => values.push(2 - half % 5),
                    4 if half < 9 => values.push(4 - half),
                    _ => {}
                }
            }
        }
        std::array::from_fn(|i| values[i])
    };
    (0..set.k + set.l).map(polynomial).collect()
}

/// Expands a seed to the mask `y` (algorithm 34), with coefficients from `-gamma1 + 1` to `gamma1`.
pub fn expand_mask(set: &Set, seed: &[u8], counter: usize) -> Vec<Polynomial> {
    let polynomial = |r: usize| {
        let n = (counter + r) as u16;
        let bytes = shake256(&[seed, &n.to_le_bytes()], 32 * set.z_bits());
        unpack(&bytes, set.z_bits()).map(|value| set.gamma1 - value)
    };
    (0..set.l).map(polynomial).collect()
}

/// Samples the challenge polynomial (algorithm 29).
pub fn sample_in_ball(set: &Set, c_tilde: &[u8]) -> Polynomial {
    let mut hash = Shake256::default();
    hash.update(c_tilde);
    let (mut reader, mut signs, mut c) = (hash.finalize_xof(), [0; 8], [0; N]);
    reader.read(&mut signs);
    let signs = u64::from_le_bytes(signs);
    for (bit, i) in (N - set.tau..N).enumerate() {
        let mut place = [0];
        loop {
            reader.read(&mut place);
            if usize::from(place[0]) <= i {
                break;
            }
        }
        let j = usize::from(place[0]);
        c[i] = c[j];
        c[j] = if signs >> bit & 1 == 1 { -1 } else { 1 };
    }
    c
}

/// Splits a coefficient of `t` into its high part, which the verifying key contains, and its low part (algorithm 35).
pub fn power2round(value: i32) -> (i32, i32) {
    let value = reduce(i64::from(value));
    let mut low = value & ((1 << D) - 1);
    if low > 1 << (D - 1) {
        low -= 1 << D;
    }
    ((value - low) >> D, low)
}

/// Splits a coefficient into its high part and its low part (algorithm 36).
pub fn decompose(set: &Set, value: i32) -> (i32, i32) {
    let value = reduce(i64::from(value));
    let mut low = value % (2 * set.gamma2);
    if low > set.gamma2 {
        low -= 2 * set.gamma2;
    }
    if value - low == Q - 1 { (0, low - 1) } else { ((value - low) / (2 * set.gamma2), low) }
}

/// Returns the high part of a coefficient, adjusted according to the hint (algorithm 40).
pub fn use_hint(set: &Set, hint: bool, value: i32) -> i32 {
    let m = (Q - 1) / (2 * set.gamma2);
    match (hint, decompose(set, value)) {
        (true, (high, low)) if low > 0 => (high + 1).rem_euclid(m),
        (true, (high, _)) => (high - 1).rem_euclid(m),
        (false, (high, _)) => high,
    }
}

fn pack(values: impl Iterator<Item = i32>, bits: usize, out: &mut Vec<u8>) {
    let (mut buffer, mut filled) = (0_u64, 0);
    for value in values {
        buffer |= u64::from(value.cast_unsigned()) << filled;
        filled += bits;
        while filled >= 8 {
            out.push(buffer as u8);
            buffer >>= 8;
            filled -= 8;
        }
    }
}

fn unpack(bytes: &[u8], bits: usize) -> Polynomial {
    let bit = |place: usize| i32::from(bytes[place / 8] >> (place % 8) & 1);
    std::array::from_fn(|i| (0..bits).fold(0, |value, b| value | bit(i * bits + b) << b))
}

fn unpack_all(bytes: &[u8], bits: usize) -> Vec<Polynomial> {
    bytes.chunks_exact(32 * bits).map(|chunk| unpack(chunk, bits)).collect()
}

/// Encodes the high parts of the commitment (algorithm 28).
pub fn encode_w1(set: &Set, w1: &[Polynomial]) -> Vec<u8> {
    let mut out = Vec::new();
    w1.iter().for_each(|polynomial| pack(polynomial.iter().copied(), set.w1_bits(), &mut out));
    out
}

/// Encodes a verifying key (algorithm 22).
pub fn encode_verifying_key(rho: &[u8], t1: &[Polynomial]) -> Vec<u8> {
    let mut out = rho.to_vec();
    t1.iter().for_each(|polynomial| pack(polynomial.iter().copied(), 10, &mut out));
    out
}

/// A decoded signing key.
#[derive(Clone, Debug)]
pub struct SecretKey {
    /// Seed of the matrix `A`, 32 bytes.
    pub rho: Vec<u8>,
    /// Secret key `K` of the pseudorandom function for the mask, 32 bytes.
    pub k: Vec<u8>,
    /// Hash of the encoded verifying key, 64 bytes.
    pub tr: Vec<u8>,
    /// Secret vector of `l` polynomials.
    pub s1: Vec<Polynomial>,
    /// Secret vector of `k` polynomials.
    pub s2: Vec<Polynomial>,
    /// Low parts of the coefficients of `t`. The verifying key contains only the high parts.
    pub t0: Vec<Polynomial>,
}

impl SecretKey {
    /// Generates the key from a seed (algorithm 6).
    pub fn from_seed(set: &Set, seed: &[u8]) -> SecretKey {
        SecretKey::from_expanded_seed(set, &shake256(&[seed, &[set.k as u8, set.l as u8]], 128))
    }

    /// Generates the key from the 128 bytes `rho || rho' || K` (FIPS 204, algorithm 6, from line 3). `rho'` is the seed of
    /// the secret vectors.
    pub fn from_expanded_seed(set: &Set, expanded: &[u8]) -> SecretKey {
        let mut s1 = expand_s(set, &expanded[32..96]);
        let s2 = s1.split_off(set.l);
        SecretKey::of_secrets(set, &expanded[..32], &expanded[96..128], s1, s2)
    }

    /// Computes the signing key from `rho`, `K` and the secret vectors.
    pub fn of_secrets(set: &Set, rho: &[u8], k: &[u8], s1: Vec<Polynomial>, s2: Vec<Polynomial>) -> SecretKey {
        let mut key = SecretKey { rho: rho.to_vec(), k: k.to_vec(), tr: Vec::new(), s1, s2, t0: Vec::new() };
        let t = key.t(set);
        key.t0 = t.iter().map(|polynomial| polynomial.map(|value| power2round(value).1)).collect();
        key.tr = shake256(&[&key.verifying_key(set)], 64);
        key
    }

    /// Decodes the key (algorithm 25). Does not check whether coefficients are in range. `bytes` must be as long as an
    /// expanded signing key.
    pub fn decode(set: &Set, bytes: &[u8]) -> SecretKey {
        let (eta, bits) = (set.eta, set.eta_bits());
        let (s1, rest) = bytes[128..].split_at(set.l * 32 * bits);
        let (s2, t0) = rest.split_at(set.k * 32 * bits);
        let small = |bytes| unpack_all(bytes, bits).iter().map(|one| one.map(|value| eta - value)).collect();
        SecretKey {
            rho: bytes[..32].to_vec(),
            k: bytes[32..64].to_vec(),
            tr: bytes[64..128].to_vec(),
            s1: small(s1),
            s2: small(s2),
            t0: unpack_all(t0, 13).iter().map(|one| one.map(|value| (1 << 12) - value)).collect(),
        }
    }

    /// Encodes the key (algorithm 24).
    pub fn encode(&self, set: &Set) -> Vec<u8> {
        let mut out = [self.rho.as_slice(), &self.k, &self.tr].concat();
        let secrets = self.s1.iter().chain(&self.s2);
        secrets.for_each(|one| pack(one.iter().map(|value| set.eta - value), set.eta_bits(), &mut out));
        self.t0.iter().for_each(|one| pack(one.iter().map(|value| (1 << 12) - value), 13, &mut out));
        out
    }

    /// Returns `t = A * s1 + s2`.
    pub fn t(&self, set: &Set) -> Vec<Polynomial> {
        let product = apply(set, &expand_a(set, &self.rho), &self.s1);
        product.iter().zip(&self.s2).map(|(one, other)| add(one, other)).collect()
    }

    /// Returns the encoded verifying key that belongs to this signing key.
    pub fn verifying_key(&self, set: &Set) -> Vec<u8> {
        let t1: Vec<Polynomial> = self.t(set).iter().map(|one| one.map(|value| power2round(value).0)).collect();
        encode_verifying_key(&self.rho, &t1)
    }
}

/// Returns the message representative `mu` of a message with a context (algorithms 2 and 7).
pub fn message_representative(tr: &[u8], context: &[u8], message: &[u8]) -> Vec<u8> {
    shake256(&[tr, &[0, context.len() as u8], context, message], 64)
}

/// Hints of a signature: for each of the `k` polynomials, a flag for each coefficient.
pub type Hints = Vec<[bool; N]>;

/// A decoded signature.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Commitment hash.
    pub c_tilde: Vec<u8>,
    /// Response `z`, `l` polynomials.
    pub z: Vec<Polynomial>,
    /// Hints for the verifier.
    pub hints: Hints,
}

impl Signature {
    /// Decodes a signature (algorithm 27). Returns `None` for malformed hints or a wrong length.
    pub fn decode(set: &Set, bytes: &[u8]) -> Option<Signature> {
        if bytes.len() != set.signature() {
            return None;
        }
        let (c_tilde, rest) = bytes.split_at(set.c_tilde);
        let (z, y) = rest.split_at(set.l * 32 * set.z_bits());
        let (mut hints, mut index) = (vec![[false; N]; set.k], 0);
        for (i, hint) in hints.iter_mut().enumerate() {
            let end = usize::from(y[set.omega + i]);
            if end < index || end > set.omega {
                return None;
            }
            if y[index..end].windows(2).any(|pair| pair[0] >= pair[1]) {
                return None;
            }
            y[index..end].iter().for_each(|&place| hint[usize::from(place)] = true);
            index = end;
        }
        if y[index..set.omega].iter().any(|&byte| byte != 0) {
            return None;
        }
        let z = unpack_all(z, set.z_bits()).iter().map(|one| one.map(|value| set.gamma1 - value)).collect();
        Some(Signature { c_tilde: c_tilde.to_vec(), z, hints })
    }

    /// Encodes the signature (algorithm 26).
    pub fn encode(&self, set: &Set) -> Vec<u8> {
        self.encode_with(set, &encode_hints(set, &self.hints))
    }

    /// Encodes the signature with the given encoding of the hints, which may be malformed.
    pub fn encode_with(&self, set: &Set, hints: &[u8]) -> Vec<u8> {
        let mut out = self.c_tilde.clone();
        self.z.iter().for_each(|one| pack(one.iter().map(|&value| set.gamma1 - centre(value)), set.z_bits(), &mut out));
        out.extend_from_slice(hints);
        out
    }
}

/// Encodes hints (algorithm 20). Omits hints beyond the maximum number, `omega`.
pub fn encode_hints(set: &Set, hints: &Hints) -> Vec<u8> {
    let (mut out, mut index) = (vec![0; set.omega + set.k], 0);
    for (i, hint) in hints.iter().enumerate() {
        for (place, _) in hint.iter().enumerate().filter(|(_, is_set)| **is_set) {
            if index < set.omega {
                out[index] = place as u8;
                index += 1;
            }
        }
        out[set.omega + i] = index as u8;
    }
    out
}

/// Deviations of [`sign`] from the standard, for tests that must detect them. By default there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deviations {
    /// Function that modifies the mask. Its arguments are the parameter set, the polynomials of the mask, and the
    /// counter `kappa`.
    pub mask: Option<fn(&Set, &mut [Polynomial], usize)>,
    /// Replacement for `gamma2 - beta`, the bound on the low parts.
    pub low_bits: Option<fn(&Set) -> i32>,
    /// Replacement for `gamma1 - beta`, the bound on the response.
    pub response: Option<fn(&Set) -> i32>,
}

/// Signs a message representative (algorithm 7 from line 7).
pub fn sign(set: &Set, key: &SecretKey, mu: &[u8], rho_prime: &[u8], deviations: &Deviations) -> Signature {
    sign_counting(set, key, mu, rho_prime, deviations).0
}

/// Signs like [`sign`], and also returns the number of attempts, which is at least 1.
pub fn sign_counting(
    set: &Set,
    key: &SecretKey,
    mu: &[u8],
    rho_prime: &[u8],
    deviations: &Deviations,
) -> (Signature, usize) {
    let matrix = expand_a(set, &key.rho);
    let low_bound = deviations.low_bits.map_or(set.gamma2 - set.beta(), |bound| bound(set));
    let response_bound = deviations.response.map_or(set.gamma1 - set.beta(), |bound| bound(set));
    let mut counter = 0;
    loop {
        let mut y = expand_mask(set, rho_prime, counter);
        deviations.mask.iter().for_each(|mask| mask(set, &mut y, counter));
        counter += set.l;
        let w = apply(set, &matrix, &y);
        let w1: Vec<Polynomial> = w.iter().map(|one| one.map(|value| decompose(set, value).0)).collect();
        let c_tilde = shake256(&[mu, &encode_w1(set, &w1)], set.c_tilde);
        let c = sample_in_ball(set, &c_tilde);
        let z: Vec<Polynomial> = y.iter().zip(&key.s1).map(|(y, s1)| add(y, &multiply(&c, s1))).collect();
        let r: Vec<Polynomial> = w.iter().zip(&key.s2).map(|(w, s2)| subtract(w, &multiply(&c, s2))).collect();
        let low = r.iter().flatten().map(|&value| decompose(set, value).1.abs()).max().unwrap_or_default();
        if norm(&z) >= response_bound || low >= low_bound {
            continue;
        }
        let ct0: Vec<Polynomial> = key.t0.iter().map(|t0| multiply(&c, t0)).collect();
        let hints: Hints = r
            .iter()
            .zip(&ct0)
            .zip(&w1)
            .map(|((r, ct0), w1)| {
                let corrected = add(r, ct0);
                std::array::from_fn(|i| decompose(set, corrected[i]).0 != w1[i])
            })
            .collect();
        let number = hints.iter().flatten().filter(|is_set| **is_set).count();
        if norm(&ct0) >= set.gamma2 || number > set.omega {
            continue;
        }
        let signature = Signature { c_tilde, z: z.iter().map(|one| one.map(centre)).collect(), hints };
        return (signature, counter / set.l);
    }
}

/// Returns the seed of the mask (algorithm 7, line 7).
pub fn mask_seed(key: &SecretKey, rnd: &[u8], mu: &[u8]) -> Vec<u8> {
    shake256(&[&key.k, rnd, mu], 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::{Coins, KeyEncoding};

    #[test]
    fn keys_and_signatures_equal_those_of_a_library() {
        let providers = pqlab_providers::providers();
        let library = providers.iter().find(|provider| provider.library == "rustcrypto").unwrap();
        for algorithm in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
            let (set, scheme) = (Set::of(algorithm).unwrap(), library.signature(algorithm).unwrap());
            let parameters = &scheme.info().parameters;
            let seed = [7; 32];
            let key = scheme.load_signing_key(KeyEncoding::Seed, &seed).unwrap();
            let ours = SecretKey::from_seed(&set, &seed);
            let mut public = vec![0; parameters.verifying_key];
            key.verifying_key().unwrap().encode(&mut public).unwrap();
            assert_eq!(ours.verifying_key(&set), public);
            let decoded = SecretKey::decode(&set, &ours.encode(&set));
            assert_eq!((&decoded.s1, &decoded.s2, &decoded.t0), (&ours.s1, &ours.s2, &ours.t0));
            for length in [0, 33] {
                let (context, message) = (vec![1; length], vec![2; 3 * length]);
                let mut signature = vec![0; parameters.signature];
                key.sign(&context, &message, Coins::Exact(&[]), &mut signature).unwrap();
                let mu = message_representative(&ours.tr, &context, &message);
                let signed = sign(&set, &ours, &mu, &mask_seed(&ours, &[0; 32], &mu), &Deviations::default());
                assert_eq!(signed.encode(&set), signature, "{algorithm}");
                assert_eq!(Signature::decode(&set, &signature).unwrap().encode(&set), signature);
            }
        }
    }
}
