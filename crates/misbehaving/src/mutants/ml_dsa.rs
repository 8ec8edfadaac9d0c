//! Bugs in ML-DSA, implemented with plain arithmetic.

use super::{Libraries, Mutant, mutant, random};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Provider, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey, VerifyingKey,
};
use pqlab_verification::ml_dsa::{
    self as plain, Deviations, Hints, N, Polynomial, SecretKey, Set, Signature, centre, shake256,
};
use std::sync::Arc;

const ALGORITHM: &str = "ML-DSA-44";

/// Changes to a correct implementation. By default, the implementation takes no coins, so its signatures cannot be
/// compared with published signatures.
#[derive(Clone, Copy, Default)]
struct Changes {
    /// Whether key generation and signing take coins.
    coins: bool,
    generate: Option<fn(&Set, &[u8]) -> SecretKey>,
    /// Computes the seed of the mask from the key, the random bytes and `mu`.
    mask_seed: Option<fn(&SecretKey, &[u8], &[u8]) -> Vec<u8>>,
    signing: Deviations,
    /// Returns the random bytes for signing.
    rnd: Option<fn() -> [u8; 32]>,
    /// Replaces the context before signing and verifying.
    context: Option<fn(&[u8]) -> Vec<u8>>,
    verifying: Verifying,
}

/// Changes to verification. If `is_changed` is false, the library verifies signatures.
#[derive(Clone, Copy, Default)]
struct Verifying {
    is_changed: bool,
    /// Returns the bound on `z`, in place of `gamma1 - beta`.
    bound: Option<fn(&Set) -> i32>,
    /// Returns whether to compare the byte of `c~` at an index.
    compared: Option<fn(usize) -> bool>,
    hints: Option<fn(&Set, &[u8]) -> Option<Hints>>,
    use_hint: Option<fn(&Set, bool, i32) -> i32>,
    /// Returns whether to accept a verifying key.
    key: Option<fn(&[u8]) -> bool>,
}

struct Scheme {
    set: Set,
    info: SignatureInfo,
    changes: Changes,
    /// Library that verifies, unless verification is changed.
    library: Arc<dyn SignatureScheme>,
}

struct Signer {
    shared: Arc<Scheme>,
    key: SecretKey,
}

struct Verifier {
    shared: Arc<Scheme>,
    bytes: Vec<u8>,
    key: Box<dyn VerifyingKey>,
}

struct Shared(Arc<Scheme>);

fn add(provider: &mut Provider, libraries: &Libraries, changes: Changes) {
    let Some(library) = libraries.rustcrypto().and_then(|library| library.signature(ALGORITHM)) else { return };
    let (Some(set), Some(parameters)) = (Set::of(ALGORITHM), SignatureParameters::find(ALGORITHM)) else { return };
    let info = SignatureInfo {
        parameters,
        encodings: vec![KeyEncoding::Expanded],
        coins: CoinSupport { keygen: changes.coins, operation: changes.coins },
        context: true,
        hedged: true,
    };
    provider.signatures.push(Arc::new(Shared(Arc::new(Scheme { set, info, changes, library: Arc::clone(library) }))));
}

impl Shared {
    fn make(&self, coins: Coins) -> Result<SecretKey> {
        let seed: [u8; 32] = match coins {
            Coins::Internal => random(),
            Coins::Exact(bytes) if self.0.changes.coins => {
                bytes.try_into().map_err(|_| Error::Length { what: "coins", expected: 32, actual: bytes.len() })?
            }
            Coins::Exact(_) => return Err(Error::Unsupported("no coins")),
        };
        let generate = self.0.changes.generate.unwrap_or(SecretKey::from_seed);
        Ok(generate(&self.0.set, &seed))
    }
}

impl SignatureScheme for Shared {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<KeyLengths> {
        let key = self.make(coins)?;
        public.copy_from_slice(&key.verifying_key(&self.0.set));
        private.copy_from_slice(&key.encode(&self.0.set));
        Ok((public.len(), private.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(Signer { shared: self.0.clone(), key: self.make(coins)? }))
    }

    fn load_signing_key(&self, _: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        Error::check_length("signing key", 2560, bytes.len())?;
        Ok(Box::new(Signer { shared: self.0.clone(), key: SecretKey::decode(&self.0.set, bytes) }))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let key = self.0.library.load_verifying_key(bytes)?;
        Ok(Box::new(Verifier { shared: self.0.clone(), bytes: bytes.to_vec(), key }))
    }
}

impl SigningKey for Signer {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        if context.len() > 255 {
            return Err(Error::Length { what: "context", expected: 255, actual: context.len() });
        }
        let Scheme { set, changes, .. } = &*self.shared;
        let rnd = match coins {
            Coins::Internal => changes.rnd.map_or_else(random, |rnd| rnd()),
            Coins::Exact(_) if !changes.coins => return Err(Error::Unsupported("no coins")),
            Coins::Exact([]) => [0; 32],
            Coins::Exact(bytes) => bytes.try_into().map_err(|_| Error::Malformed("coins"))?,
        };
        let context = changes.context.map_or_else(|| context.to_vec(), |change| change(context));
        let mu = plain::message_representative(&self.key.tr, &context, message);
        let seed = changes.mask_seed.unwrap_or(plain::mask_seed)(&self.key, &rnd, &mu);
        let signature = plain::sign(set, &self.key, &mu, &seed, &changes.signing).encode(set);
        out[..signature.len()].copy_from_slice(&signature);
        Ok(signature.len())
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Shared(self.shared.clone()).load_verifying_key(&self.key.verifying_key(&self.shared.set))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Expanded {
            return Err(Error::Unsupported("no such encoding"));
        }
        let key = self.key.encode(&self.shared.set);
        out[..key.len()].copy_from_slice(&key);
        Ok(key.len())
    }
}

impl VerifyingKey for Verifier {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        let changes = &self.shared.changes;
        let context = match changes.context {
            Some(change) if context.len() <= 255 => change(context),
            _ => context.to_vec(),
        };
        if !changes.verifying.is_changed || context.len() > 255 {
            return self.key.verify(&context, message, signature);
        }
        let mu = plain::message_representative(&shake256(&[&self.bytes], 64), &context, message);
        let valid = verifies(&self.shared.set, &changes.verifying, &self.bytes, &mu, signature);
        if valid == Some(true) { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        out[..self.bytes.len()].copy_from_slice(&self.bytes);
        Ok(self.bytes.len())
    }
}

/// Verifies a signature (FIPS 204, algorithm 8), with the given changes.
fn verifies(set: &Set, changes: &Verifying, key: &[u8], mu: &[u8], signature: &[u8]) -> Option<bool> {
    if signature.len() != set.signature() || changes.key.is_some_and(|accepts| !accepts(key)) {
        return None;
    }
    let hints_at = signature.len() - set.omega - set.k;
    let hints = changes.hints.unwrap_or(decode_hints)(set, &signature[hints_at..])?;
    // The hints are already decoded. To decode the other parts, replace the hints with zeros, which are valid.
    let front = [&signature[..hints_at], &vec![0; set.omega + set.k]].concat();
    let Signature { c_tilde, z, .. } = Signature::decode(set, &front)?;
    let bound = changes.bound.map_or(set.gamma1 - set.beta(), |bound| bound(set));
    if plain::norm(&z) >= bound {
        return None;
    }
    let c = plain::sample_in_ball(set, &c_tilde);
    let az = plain::apply(set, &plain::expand_a(set, &key[..32]), &z);
    let use_hint = changes.use_hint.unwrap_or(plain::use_hint);
    let w1: Vec<Polynomial> = (0..set.k)
        .map(|i| {
            let t1 = unpack_ten(&key[32 + 320 * i..32 + 320 * (i + 1)]).map(|value| value << plain::D);
            let w = plain::subtract(&az[i], &plain::multiply(&c, &t1));
            std::array::from_fn(|n| use_hint(set, hints[i][n], w[n]))
        })
        .collect();
    let again = shake256(&[mu, &plain::encode_w1(set, &w1)], set.c_tilde);
    let counts = changes.compared.unwrap_or(|_| true);
    Some((0..set.c_tilde).all(|place| !counts(place) || again[place] == c_tilde[place]))
}

fn unpack_ten(bytes: &[u8]) -> Polynomial {
    let bit = |place: usize| i32::from(bytes[place / 8] >> (place % 8) & 1);
    std::array::from_fn(|n| (0..10).fold(0, |value, b| value | bit(10 * n + b) << b))
}

/// Checks that the hint decoder makes.
#[derive(Clone, Copy)]
struct Strict {
    counts: bool,
    most: bool,
    order: bool,
    equal: bool,
    padding: bool,
}

const STRICT: Strict = Strict { counts: true, most: true, order: true, equal: true, padding: true };

fn decode_hints(set: &Set, y: &[u8]) -> Option<Hints> {
    decode_with(set, y, STRICT)
}

fn decode_with(set: &Set, y: &[u8], strict: Strict) -> Option<Hints> {
    let (mut hints, mut index) = (vec![[false; N]; set.k], 0);
    for (i, hint) in hints.iter_mut().enumerate() {
        let end = usize::from(y[set.omega + i]);
        if strict.counts && end < index || strict.most && end > set.omega || end > y.len() {
            return None;
        }
        for place in index..end {
            if place > index {
                let (before, now) = (y[place - 1], y[place]);
                if strict.order && now < before || strict.equal && now == before {
                    return None;
                }
            }
            hint[usize::from(y[place])] = true;
        }
        index = end;
    }
    if strict.padding && y.get(index..set.omega).is_some_and(|rest| rest.iter().any(|&byte| byte != 0)) {
        return None;
    }
    Some(hints)
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, changes: Changes| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| add(provider, libraries, changes))
    };
    let none = Changes::default();
    let masked = |name, source, mask: fn(&Set, &mut [Polynomial], usize)| {
        of(name, source, Changes { signing: Deviations { mask: Some(mask), ..Deviations::default() }, ..none })
    };
    let generating = |name, source, generate: fn(&Set, &[u8]) -> SecretKey| {
        of(name, source, Changes { generate: Some(generate), ..none })
    };
    let verifying = |name, source, verifying: Verifying| {
        of(name, source, Changes { verifying: Verifying { is_changed: true, ..verifying }, ..none })
    };
    let lax = |name, hints: fn(&Set, &[u8]) -> Option<Hints>| {
        verifying(name, "FIPS 204, algorithm 21", Verifying { hints: Some(hints), ..Verifying::default() })
    };
    let exploit = "review of pqlab";
    vec![
        masked("dsa: neighbouring coefficients of the mask are equal", exploit, |_, y, _| {
            y.iter_mut().for_each(|one| (0..N).step_by(2).for_each(|i| one[i + 1] = one[i]));
        }),
        masked("dsa: all polynomials of the mask are equal", exploit, |_, y, _| {
            let first = y[0];
            y.fill(first);
        }),
        masked("dsa: second half of every mask is 0", "Espitau et al. 2016: loop aborts", |_, y, _| {
            y.iter_mut().for_each(|one| one[128..].fill(0));
        }),
        masked("dsa: one polynomial of the mask is 0", "Espitau et al. 2016: loop aborts", |_, y, _| y[2].fill(0)),
        masked("dsa: coefficients of the mask are even", exploit, |_, y, _| {
            y.iter_mut().flatten().for_each(|value| *value &= !1);
        }),
        masked("dsa: mask has one bit too few", exploit, |_, y, _| {
            y.iter_mut().flatten().for_each(|value| *value /= 2);
        }),
        masked("dsa: mask is never negative", exploit, |_, y, _| {
            y.iter_mut().flatten().for_each(|value| *value = centre(*value).abs());
        }),
        masked("dsa: upper half of a mask repeats the lower half", "vectorised sampling", |_, y, _| {
            y.iter_mut().for_each(|one| one.copy_within(..128, 128));
        }),
        of(
            "dsa: mask depends only on the key",
            "nonce reuse: FIPS 204, section 3.6.1",
            Changes { mask_seed: Some(|key, _, _| shake256(&[&key.k], 64)), ..none },
        ),
        of(
            "dsa: mask is constant",
            "nonce reuse: FIPS 204, section 3.6.1",
            Changes { mask_seed: Some(|_, _, _| vec![1; 64]), ..none },
        ),
        of("dsa: signing uses constant random bytes", "CVE-2008-0166", Changes { rnd: Some(|| [3; 32]), ..none }),
        of(
            "dsa: signing does not check the low bits",
            "FIPS 204, algorithm 7, line 23",
            Changes { signing: Deviations { low_bits: Some(|_| i32::MAX), ..Deviations::default() }, ..none },
        ),
        of(
            "dsa: signing checks the low bits with half of beta",
            "FIPS 204, algorithm 7, line 23",
            Changes {
                signing: Deviations { low_bits: Some(|set| set.gamma2 - set.beta() / 2), ..Deviations::default() },
                ..none
            },
        ),
        of(
            "dsa: signing checks the response without beta",
            "FIPS 204, algorithm 7, line 23",
            Changes { signing: Deviations { response: Some(|set| set.gamma1), ..Deviations::default() }, ..none },
        ),
        generating("dsa: all polynomials of s1 are equal", exploit, |set, seed| {
            let key = SecretKey::from_seed(set, seed);
            let s1 = vec![key.s1[0]; set.l];
            SecretKey::of_secrets(set, &key.rho, &key.k, s1, key.s2)
        }),
        generating("dsa: s2 begins with the counter of s1", "FIPS 204, algorithm 33", |set, seed| {
            let key = SecretKey::from_seed(set, seed);
            let s2 = key.s1[..set.k.min(set.l)].to_vec();
            SecretKey::of_secrets(set, &key.rho, &key.k, key.s1, s2)
        }),
        generating("dsa: s2 is 0", "FIPS 204, algorithm 6", |set, seed| {
            let key = SecretKey::from_seed(set, seed);
            SecretKey::of_secrets(set, &key.rho, &key.k, key.s1, vec![[0; N]; set.k])
        }),
        generating("dsa: secret coefficients are only -1 to 1", "FIPS 204, algorithm 31", |set, seed| {
            let key = SecretKey::from_seed(set, seed);
            let small = |all: &[Polynomial]| all.iter().map(|one| one.map(|value| value.clamp(-1, 1))).collect();
            SecretKey::of_secrets(set, &key.rho, &key.k, small(&key.s1), small(&key.s2))
        }),
        generating("dsa: keys are generated from constant coins", "CVE-2008-0166", |set, _| {
            SecretKey::from_seed(set, &[5; 32])
        }),
        generating("dsa: secrets from constant coins, random matrix", "CVE-2008-0166", |set, seed| {
            let mut expanded = shake256(&[seed], 128);
            expanded[32..96].fill(5);
            SecretKey::from_expanded_seed(set, &expanded)
        }),
        generating("dsa: K is 0", "FIPS 204, algorithm 6", |set, seed| {
            let mut key = SecretKey::from_seed(set, seed);
            key.k.fill(0);
            key
        }),
        generating("dsa: K is the public rho", "FIPS 204, algorithm 6", |set, seed| {
            let mut key = SecretKey::from_seed(set, seed);
            key.k = key.rho.clone();
            key
        }),
        generating("dsa: tr has 32 bytes, as in round 3", "FIPS 204, appendix D.3", |set, seed| {
            let mut key = SecretKey::from_seed(set, seed);
            key.tr[32..].fill(0);
            key
        }),
        of(
            "dsa: key generation follows the draft, with coins",
            "FIPS 204, appendix D.3",
            Changes {
                coins: true,
                generate: Some(|set, seed| SecretKey::from_expanded_seed(set, &shake256(&[seed], 128))),
                ..none
            },
        ),
        Mutant {
            hidden: Some("without coins, keys of the draft and of the standard have the same distribution"),
            ..generating("dsa: key generation follows the draft", "FIPS 204, appendix D.3", |set, seed| {
                SecretKey::from_expanded_seed(set, &shake256(&[seed], 128))
            })
        },
        of(
            "dsa: mask ignores the random bytes, with coins",
            "FIPS 204, algorithm 7, line 7",
            Changes { coins: true, mask_seed: Some(|key, _, mu| plain::mask_seed(key, &[0; 32], mu)), ..none },
        ),
        of(
            "dsa: context is ignored",
            "FIPS 204, algorithms 2 and 3",
            Changes { context: Some(|_| Vec::new()), ..none },
        ),
        of(
            "dsa: context is truncated to 32 bytes",
            "FIPS 204, algorithms 2 and 3",
            Changes { context: Some(|context| context.iter().copied().take(32).collect()), ..none },
        ),
        verifying(
            "dsa: bound on z is not checked",
            "liboqs 0.13 on AVX2",
            Verifying { bound: Some(|_| i32::MAX), ..Verifying::default() },
        ),
        verifying(
            "dsa: bound on z is off by one",
            "FIPS 204, algorithm 8, line 13",
            Verifying { bound: Some(|set| set.gamma1 - set.beta() + 1), ..Verifying::default() },
        ),
        verifying(
            "dsa: bound on z is one too low",
            "FIPS 204, algorithm 8, line 13",
            Verifying { bound: Some(|set| set.gamma1 - set.beta() - 1), ..Verifying::default() },
        ),
        verifying(
            "dsa: only 16 bytes of c~ are compared",
            exploit,
            Verifying { compared: Some(|place| place < 16), ..Verifying::default() },
        ),
        verifying(
            "dsa: last byte of c~ is not compared",
            exploit,
            Verifying { compared: Some(|place| place != 31), ..Verifying::default() },
        ),
        verifying(
            "dsa: one byte in the middle of c~ is not compared",
            exploit,
            Verifying { compared: Some(|place| place != 13), ..Verifying::default() },
        ),
        verifying(
            "dsa: UseHint adds 1 for a remainder of 0",
            "liboqs 0.13 on AVX2",
            Verifying {
                use_hint: Some(|set, hint, value| {
                    let (high, low) = plain::decompose(set, value);
                    if hint && low == 0 {
                        (high + 1) % ((plain::Q - 1) / (2 * set.gamma2))
                    } else {
                        plain::use_hint(set, hint, value)
                    }
                }),
                ..Verifying::default()
            },
        ),
        verifying(
            "dsa: UseHint does not wrap around",
            "FIPS 204, algorithm 40",
            Verifying {
                use_hint: Some(|set, hint, value| match (hint, plain::decompose(set, value)) {
                    (true, (0, low)) if low <= 0 => 0,
                    _ => plain::use_hint(set, hint, value),
                }),
                ..Verifying::default()
            },
        ),
        verifying(
            "dsa: a key with t1 = 0 is rejected",
            "RustCrypto signatures #1183",
            Verifying { key: Some(|key| key[32..].iter().any(|byte| *byte != 0)), ..Verifying::default() },
        ),
        verifying(
            "dsa: a polynomial without hints is rejected",
            "RustCrypto signatures #894",
            Verifying {
                hints: Some(|set, y| decode_hints(set, y).filter(|hints| hints.iter().all(|one| one.contains(&true)))),
                ..Verifying::default()
            },
        ),
        lax("dsa: decreasing hint counts are accepted", |set, y| {
            decode_with(set, y, Strict { counts: false, ..STRICT })
        }),
        lax("dsa: too many hints are accepted", |set, y| decode_with(set, y, Strict { most: false, ..STRICT })),
        lax("dsa: unordered hints are accepted", |set, y| decode_with(set, y, Strict { order: false, ..STRICT })),
        lax("dsa: repeated hints are accepted", |set, y| decode_with(set, y, Strict { equal: false, ..STRICT })),
        lax("dsa: bytes after the hints are accepted", |set, y| {
            decode_with(set, y, Strict { padding: false, ..STRICT })
        }),
        lax("dsa: hints must increase across polynomials", |set, y| {
            let hints = decode_hints(set, y)?;
            let first = |one: &[bool; N]| one.iter().position(|is_set| *is_set);
            let last = |one: &[bool; N]| one.iter().rposition(|is_set| *is_set);
            let falls = hints
                .windows(2)
                .any(|pair| matches!((last(&pair[0]), first(&pair[1])), (Some(a), Some(b)) if b <= a && a == 255));
            (!falls).then_some(hints)
        }),
    ]
}
