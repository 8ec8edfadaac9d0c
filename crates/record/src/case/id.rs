//! Case ids: `area/ALGORITHM/operation[parameters]@provider`.

use super::{Case, Form, Parameter};
use std::fmt;
use std::str::FromStr;

/// Keyword in the ids of operations that start from encoded bytes.
const ENCODED: &str = "encoded";

/// Identity of a case, parsed from its id: `signature/ML-DSA-65/verify[encoded,len=1024]@aws-lc`. Printing a parsed id
/// gives the original string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CaseId {
    /// Area of the case, which is the name of its workload: `kem`.
    pub area: String,
    /// Name of the algorithm. It may contain slashes (`SHA-512/256`).
    pub algorithm: String,
    /// Name of the operation, without the parameters in brackets.
    pub operation: String,
    /// Whether the operation starts from encoded bytes. `false` means that it uses a prepared key or no key; an id does
    /// not distinguish the two.
    pub encoded: bool,
    /// All other parameters, in the order of the id.
    pub parameters: Vec<Parameter>,
    /// Id of the provider, with the backend after a colon.
    pub provider: String,
}

/// Error for a string that is not a case id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a case id: {reason}; expected area/ALGORITHM/operation[parameters]@provider")]
pub struct UnreadableId {
    /// The rejected string.
    pub text: String,
    /// Description of the problem.
    pub reason: &'static str,
}

impl Case {
    /// Returns the identity of the case, without its block and facts.
    pub fn identity(&self) -> CaseId {
        CaseId {
            area: self.workload.clone(),
            algorithm: self.algorithm.clone(),
            operation: self.operation.clone(),
            encoded: self.form == Some(Form::Encoded),
            parameters: self.parameters.clone(),
            provider: self.provider.clone(),
        }
    }

    /// Returns the case id, such as `kem/ML-KEM-768/encapsulate@liboqs`.
    pub fn id(&self) -> String {
        format!("{}/{}/{}{}@{}", self.workload, self.algorithm, self.operation, self.brackets(), self.provider)
    }

    /// Returns the name of the case in tables, such as `ML-KEM-768 encapsulate`, with its parameters in brackets.
    pub fn name(&self) -> String {
        format!("{} {}{}", self.algorithm, self.operation, self.brackets())
    }

    fn brackets(&self) -> Brackets<'_> {
        Brackets { encoded: self.form == Some(Form::Encoded), parameters: &self.parameters }
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CaseId { area, algorithm, operation, encoded, parameters, provider } = self;
        let brackets = Brackets { encoded: *encoded, parameters };
        write!(formatter, "{area}/{algorithm}/{operation}{brackets}@{provider}")
    }
}

impl FromStr for CaseId {
    type Err = UnreadableId;

    fn from_str(text: &str) -> Result<CaseId, UnreadableId> {
        let reject = |reason| UnreadableId { text: text.to_owned(), reason };
        let (name, provider, inside) = match text.split_once("]@") {
            Some((name, provider)) => {
                let (name, inside) = name.split_once('[').ok_or_else(|| reject("the opening bracket is missing"))?;
                (name, provider, Some(inside))
            }
            None => {
                let (name, provider) = text.split_once('@').ok_or_else(|| reject("the provider is missing"))?;
                (name, provider, None)
            }
        };
        let (area, rest) = name.split_once('/').ok_or_else(|| reject("the algorithm is missing"))?;
        let (algorithm, operation) = rest.rsplit_once('/').ok_or_else(|| reject("the operation is missing"))?;
        if [area, algorithm, operation, provider].contains(&"") || inside == Some("") {
            return Err(reject("a part is empty"));
        }
        let mut parameters: Vec<Parameter> =
            inside.into_iter().flat_map(|inside| inside.split(',')).map(read).collect();
        let encoded = parameters.first() == Some(&Parameter::Flag(ENCODED.into()));
        if encoded {
            parameters.remove(0);
        }
        let [area, algorithm, operation, provider] = [area, algorithm, operation, provider].map(str::to_owned);
        Ok(CaseId { area, algorithm, operation, encoded, parameters, provider })
    }
}

/// Parses a parameter. A value is a number only if printing that number gives the same string, so `010` is a word.
fn read(text: &str) -> Parameter {
    let Some((name, value)) = text.split_once('=') else { return Parameter::Flag(text.into()) };
    match value.parse::<u64>() {
        Ok(number) if number.to_string() == value => Parameter::Number(name.into(), number),
        _ => Parameter::Word(name.into(), value.into()),
    }
}

/// Parameters formatted in brackets, or nothing if there are none.
struct Brackets<'a> {
    encoded: bool,
    parameters: &'a [Parameter],
}

impl fmt::Display for Brackets<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded = self.encoded.then(|| ENCODED.to_owned());
        let all: Vec<String> = encoded.into_iter().chain(self.parameters.iter().map(Parameter::to_string)).collect();
        if all.is_empty() { Ok(()) } else { write!(formatter, "[{}]", all.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Facts;

    fn case(form: Option<Form>, parameters: Vec<Parameter>) -> Case {
        Case {
            workload: "signature".into(),
            algorithm: "ML-DSA-65".into(),
            operation: "verify".into(),
            provider: "libcrux:avx2".into(),
            form,
            parameters,
            block: String::new(),
            facts: Facts::default(),
        }
    }

    #[test]
    fn ids_name_only_what_distinguishes_cases() {
        assert_eq!(case(Some(Form::Prepared), vec![]).id(), "signature/ML-DSA-65/verify@libcrux:avx2");
        let encoded =
            case(Some(Form::Encoded), vec![Parameter::Number("len".into(), 1024), Parameter::Flag("hedged".into())]);
        assert_eq!(encoded.id(), "signature/ML-DSA-65/verify[encoded,len=1024,hedged]@libcrux:avx2");
        assert_eq!(encoded.message_length(), Some(1024));
        assert_eq!((encoded.library(), encoded.backend()), ("libcrux", Some("avx2")));
        assert_eq!(encoded.id().parse(), Ok(encoded.identity()));
    }

    #[test]
    fn ids_print_what_they_were_parsed_from() {
        for id in [
            "kem/ML-KEM-768/encapsulate@liboqs",
            "signature/ML-DSA-65/verify[encoded,key=seed,len=1024]@libcrux:avx2",
            "hash/SHA-512/256/digest[len=0]@aws-lc",
            "hybrid/X25519+ML-KEM-768/handshake-load[tasks=100,workers=2]@aws-lc+liboqs",
            "tls/X25519MLKEM768/connect[auth=ML-DSA-65,chain=1,over=tcp,rtt=100ms,loss=0.5%]@openssl",
            "signature/ML-DSA-65/sign[len=010,deterministic]@so:/opt/lib@2/liboqs.so",
        ] {
            assert_eq!(id.parse::<CaseId>().unwrap().to_string(), id);
        }
        let read: CaseId = "hash/SHA-512/256/digest[len=64]@p".parse().unwrap();
        assert_eq!(
            (read.area.as_str(), read.algorithm.as_str(), read.operation.as_str()),
            ("hash", "SHA-512/256", "digest")
        );
        assert_eq!(read.parameters, [Parameter::Number("len".into(), 64)]);
    }

    #[test]
    fn rejects_texts_that_are_not_ids() {
        for text in ["", "kem", "kem/a@p", "kem/a/b", "kem/a/b]@p", "kem/a/b[]@p", "/a/b@p", "kem/a/@p", "kem/a/b@"] {
            assert!(text.parse::<CaseId>().is_err(), "{text:?}");
        }
        let error = "kem/a/b".parse::<CaseId>().unwrap_err().to_string();
        assert!(error.contains("the provider is missing"), "{error}");
    }
}
