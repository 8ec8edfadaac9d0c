//! Kinds of work: what a case does apart from its algorithm and operation. Cases of different kinds are measured in
//! separate blocks and never compared. For example, loading a key from a seed generates the key again, while loading an
//! expanded key copies it. Comparing the two would rank inputs, not libraries.

use crate::{Case, Form, Parameter};
use std::fmt;

/// Parameter name for the encoding of the private key that the operation loads or writes.
const KEY: &str = Parameter::KEY;
/// Parameter name for a source of randomness other than the library's own generator.
const COINS: &str = Parameter::COINS;
/// Parameter name for the number of keys that the operation cycles through, if it is not the default.
const KEYS: &str = Parameter::KEYS;

/// Source of an operation's random bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CoinSource {
    /// The library calls its own generator, as it does for other programs.
    #[default]
    Internal,
    /// The caller supplies the bytes, and the operation calls no generator.
    Exact,
}

impl CoinSource {
    /// All sources, the default first.
    pub const ALL: [CoinSource; 2] = [CoinSource::Internal, CoinSource::Exact];

    /// Returns the keyword used in ids, files and command lines.
    pub fn name(self) -> &'static str {
        match self {
            CoinSource::Internal => "internal",
            CoinSource::Exact => "exact",
        }
    }
}

impl std::str::FromStr for CoinSource {
    type Err = crate::UnknownWord;

    fn from_str(word: &str) -> Result<CoinSource, Self::Err> {
        crate::UnknownWord::find("source of randomness", word, &CoinSource::ALL, CoinSource::name)
    }
}

/// Kind of work: the properties that two cases must share before their figures are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Prepared or encoded, if the operation has both forms.
    pub form: Option<Form>,
    /// Encoding of the private key that the operation loads or writes, such as `seed`. `None` if the operation neither
    /// loads nor writes a private key.
    pub key: Option<String>,
    /// Whether the caller supplies the random bytes that the operation uses.
    pub exact_coins: bool,
    /// Whether signing uses no randomness although the scheme has a randomized variant.
    pub deterministic: bool,
}

impl fmt::Display for Kind {
    /// Writes the kind's keywords as in case ids, joined by commas: `encoded,key=seed`. Writes nothing for the default
    /// kind, which has none of these properties.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded = (self.form == Some(Form::Encoded)).then(|| "encoded".to_owned());
        let key = self.key.as_ref().map(|key| format!("{KEY}={key}"));
        let coins = self.exact_coins.then(|| format!("{COINS}={}", CoinSource::Exact.name()));
        let deterministic = self.deterministic.then(|| Parameter::DETERMINISTIC.to_owned());
        let words: Vec<String> = [encoded, key, coins, deterministic].into_iter().flatten().collect();
        formatter.write_str(&words.join(","))
    }
}

/// Statistic used to compare and rank a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Statistic {
    /// Median, for an operation that does the same work each time.
    #[default]
    Median,
    /// Mean, for an operation that [retries a random number of times](Case::repeats_by_chance). The median of such an
    /// operation can jump by a whole attempt from run to run.
    Mean,
}

impl Statistic {
    /// Returns the keyword used in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Median => "median",
            Statistic::Mean => "mean",
        }
    }
}

/// Names of the operations that sign.
const SIGNING: [&str; 5] = ["sign", "make", "build", "cycle", "issue"];
/// Pairs of area and operation that sign with a construction.
const CONSTRUCTIONS_SIGN: [(&str, &str); 3] = [("hybrid", "sign"), ("hybrid", "cycle"), ("certificate", "build")];
/// Operations of a TLS handshake in which the server signs.
const SERVER_SIGNS: [&str; 4] = ["handshake", "server", "server-flight", "connect"];
/// Signature schemes that start over until a signature passes their checks (FIPS 204, section 3.2; Falcon
/// specification, section 3.9).
const SIGN_BY_TRIAL: [&str; 3] = ["MLDSA", "FALCON", "FNDSA"];
/// Schemes that generate a key by trying random candidates (NTRU polynomials or primes) until one fits.
const KEYS_BY_TRIAL: [&str; 3] = ["FALCON", "FNDSA", "RSA"];

impl Case {
    /// Returns whether the operation repeats part of its work until random values pass a check. It then takes the time
    /// of one attempt multiplied by a random number of attempts.
    pub fn repeats_by_chance(&self) -> bool {
        let operation = self.operation.strip_suffix("-load").unwrap_or(&self.operation);
        let named = |schemes: &[&str], name: &str| {
            let name = name.to_ascii_uppercase().replace('-', "");
            schemes.iter().any(|scheme| name.contains(scheme))
        };
        if let Some(signer) = self.authentication() {
            let server_signs = self.handshake_mode() != Some("psk") && SERVER_SIGNS.contains(&operation);
            return server_signs && named(&SIGN_BY_TRIAL, signer);
        }
        match operation {
            "keygen" => named(&KEYS_BY_TRIAL, &self.algorithm),
            _ => SIGNING.contains(&operation) && named(&SIGN_BY_TRIAL, &self.algorithm),
        }
    }

    /// Returns whether the operation signs with a construction. Each library has only one signing variant for
    /// constructions: without randomness if the library supports that, otherwise with its own generator.
    pub fn signs_with_construction(&self) -> bool {
        CONSTRUCTIONS_SIGN.contains(&(self.workload.as_str(), self.operation.as_str()))
    }

    /// Returns the statistic used to compare and rank the case.
    pub fn statistic(&self) -> Statistic {
        if self.repeats_by_chance() { Statistic::Mean } else { Statistic::Median }
    }

    /// Returns the kind of work that the case does.
    pub fn kind(&self) -> Kind {
        Kind {
            form: self.form,
            key: self.key().map(str::to_owned),
            exact_coins: self.word(COINS) == Some(CoinSource::Exact.name()),
            deterministic: self.is_deterministic(),
        }
    }

    /// Returns the encoding of the private key that the operation loads or writes: `seed`, `expanded`, `both`,
    /// `scalar`, `der` or `cbor`. Returns `None` if the operation neither loads nor writes a private key.
    pub fn key(&self) -> Option<&str> {
        self.word(KEY)
    }

    /// Returns the id without the encoding of the private key. Cases that differ only in that encoding get the same id.
    pub fn id_without_key(&self) -> String {
        let mut case = self.clone();
        case.parameters.retain(|parameter| !matches!(parameter, Parameter::Word(name, _) if name == KEY));
        case.id()
    }

    /// Returns the source of the operation's randomness, or `None` if the operation uses no randomness.
    pub fn coins(&self) -> Option<CoinSource> {
        match self.facts.generator {
            _ if self.kind().exact_coins => Some(CoinSource::Exact),
            Some(_) => Some(CoinSource::Internal),
            None => None,
        }
    }

    /// Returns the number of keys that the operation cycles through; `None` for the default, a pool of up to 16 keys.
    pub fn keys(&self) -> Option<u64> {
        self.number(KEYS)
    }

    /// Returns the case with its private key in `encoding`. The parameter `key` becomes the first one.
    pub fn with_key(mut self, encoding: &str) -> Case {
        self.parameters.retain(|parameter| !matches!(parameter, Parameter::Word(name, _) if name == KEY));
        self.parameters.insert(0, Parameter::Word(KEY.into(), encoding.into()));
        self
    }

    /// Returns the case with this source of randomness. Ids do not name the default source. A case with caller-supplied
    /// randomness calls no generator.
    pub fn with_coins(mut self, coins: CoinSource) -> Case {
        self.parameters.retain(|parameter| !matches!(parameter, Parameter::Word(name, _) if name == COINS));
        if coins == CoinSource::Exact {
            self.parameters.push(Parameter::Word(COINS.into(), coins.name().into()));
            self.facts.generator = None;
        }
        self
    }

    /// Returns the case with this number of keys, or with the default pool if `keys` is `None`. Ids do not name the
    /// default pool.
    pub fn with_keys(mut self, keys: Option<u64>) -> Case {
        self.parameters.retain(|parameter| !matches!(parameter, Parameter::Number(name, _) if name == KEYS));
        self.parameters.extend(keys.map(|keys| Parameter::Number(KEYS.into(), keys)));
        self
    }

    /// Returns the case in `block`. If the case is not of the default kind, appends its kind to the name of the block:
    /// `signature/sign/encoded,key=seed`.
    pub fn in_block(mut self, block: &str) -> Case {
        let kind = self.kind().to_string();
        self.block = if kind.is_empty() { block.to_owned() } else { format!("{block}/{kind}") };
        self
    }

    /// Returns whether two cases do the same kind of work, so that their results may be compared.
    ///
    /// - If one operation has no separate forms for prepared and encoded keys, the form of the other does not matter.
    /// - If one operation never uses randomness, the other may use its own generator or none, but not caller-supplied
    ///   randomness.
    pub fn comparable(&self, other: &Case) -> bool {
        let (one, two) = (self.kind(), other.kind());
        let forms = one.form.is_none() || two.form.is_none() || one.form == two.form;
        let randomness = |case: &Case| (case.coins(), case.is_deterministic());
        let coins = match (randomness(self), randomness(other)) {
            ((None, false), _) | (_, (None, false)) => !(one.exact_coins || two.exact_coins) || one == two,
            (one, two) => one == two,
        };
        forms && one.key == two.key && coins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;

    fn sign(form: Form) -> Case {
        Case {
            workload: "signature".into(),
            algorithm: "ML-DSA-65".into(),
            operation: "sign".into(),
            provider: "openssl".into(),
            form: Some(form),
            parameters: vec![Parameter::Number("len".into(), 32)],
            block: String::new(),
            facts: Facts { generator: Some("its own".into()), ..Facts::default() },
        }
    }

    #[test]
    fn an_id_names_the_kind_and_each_kind_has_a_block() {
        let prepared = sign(Form::Prepared).in_block("signature/sign");
        assert_eq!((prepared.block.as_str(), prepared.coins()), ("signature/sign", Some(CoinSource::Internal)));
        let seed = sign(Form::Encoded).with_key("expanded").with_key("seed").in_block("signature/sign");
        assert_eq!(seed.id(), "signature/ML-DSA-65/sign[encoded,key=seed,len=32]@openssl");
        assert_eq!(seed.id_without_key(), "signature/ML-DSA-65/sign[encoded,len=32]@openssl");
        assert_eq!((seed.block.as_str(), seed.key()), ("signature/sign/encoded,key=seed", Some("seed")));
        let exact = sign(Form::Prepared).with_coins(CoinSource::Exact).in_block("signature/sign");
        assert_eq!(exact.id(), "signature/ML-DSA-65/sign[len=32,coins=exact]@openssl");
        assert_eq!(exact.block, "signature/sign/coins=exact");
        assert_eq!((exact.coins(), exact.facts.generator), (Some(CoinSource::Exact), None));
        let one = sign(Form::Prepared).with_keys(Some(1)).in_block("signature/sign");
        assert_eq!(one.id(), "signature/ML-DSA-65/sign[len=32,keys=1]@openssl");
        assert_eq!((one.block.as_str(), one.keys()), ("signature/sign", Some(1)), "fewer keys share the block");
        assert_eq!(one.with_keys(None).with_coins(CoinSource::Internal), prepared);
    }

    #[test]
    fn only_the_same_kind_of_work_is_compared() {
        let (prepared, encoded) = (sign(Form::Prepared), sign(Form::Encoded).with_key("seed"));
        let exact = prepared.clone().with_coins(CoinSource::Exact);
        let mut deterministic = prepared.clone();
        deterministic.parameters.push(Parameter::Flag(Parameter::DETERMINISTIC.into()));
        deterministic.facts.generator = None;
        let all = [&prepared, &encoded, &encoded.clone().with_key("expanded"), &exact, &deterministic];
        for (first, one) in all.iter().enumerate() {
            for (second, other) in all.iter().enumerate() {
                assert_eq!(one.comparable(other), first == second, "{} {}", one.id(), other.id());
            }
        }
        // A scheme that never uses randomness must be comparable with both randomised and
        // deterministic signing.
        let mut ed25519 = prepared.clone();
        ed25519.facts.generator = None;
        assert!(ed25519.comparable(&prepared) && deterministic.comparable(&ed25519) && !ed25519.comparable(&exact));
        assert!(Case { form: None, ..ed25519 }.comparable(&prepared));
    }
}
