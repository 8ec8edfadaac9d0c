//! Reads the environment variable that hides CPU features.

use crate::{Feature, VARIABLE};
use std::string::{String, ToString};
use std::sync::OnceLock;
use std::{env, fmt};

/// Error for a name in the environment variable that is not a CPU feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFeature(String);

impl fmt::Display for UnknownFeature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{VARIABLE}: unknown CPU feature {:?}; expected ", self.0)?;
        for (place, feature) in Feature::ALL.iter().enumerate() {
            write!(out, "{}{}", if place == 0 { "" } else { " or " }, feature.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFeature {}

/// Returns the hidden CPU features, oldest first. The environment variable is read once per process.
///
/// # Errors
/// [`UnknownFeature`] if the environment variable contains an unknown name.
pub fn hidden() -> Result<&'static [Feature], UnknownFeature> {
    static HIDDEN: OnceLock<Result<&[Feature], UnknownFeature>> = OnceLock::new();
    HIDDEN.get_or_init(|| parse(&env::var_os(VARIABLE).unwrap_or_default().to_string_lossy())).clone()
}

/// Returns whether the feature is hidden. Code must not use hidden features.
///
/// # Panics
/// If the environment variable contains an unknown name. Programs call [`hidden`] first to report the error.
pub fn is_hidden(feature: Feature) -> bool {
    match hidden() {
        Ok(hidden) => hidden.contains(&feature),
        Err(unknown) => panic!("{unknown}"),
    }
}

fn parse(value: &str) -> Result<&'static [Feature], UnknownFeature> {
    let mut first = Feature::ALL.len();
    for word in value.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let place = Feature::ALL.iter().position(|feature| feature.name() == word);
        first = first.min(place.ok_or_else(|| UnknownFeature(word.to_string()))?);
    }
    Ok(&Feature::ALL[first..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Feature::{Avx2, Avx512};

    #[test]
    fn hides_named_features_and_newer_ones() {
        assert_eq!(parse(""), Ok(&[][..]));
        assert_eq!(parse("avx512"), Ok(&[Avx512][..]));
        for value in ["avx2", "avx512,avx2", " avx2 , avx512,"] {
            assert_eq!(parse(value), Ok(&[Avx2, Avx512][..]), "{value:?}");
        }
    }

    #[test]
    fn rejects_unknown_features() {
        for (value, word) in [("avx", "avx"), ("avx512,AVX2", "AVX2"), ("avx2 avx512", "avx2 avx512")] {
            let message = parse(value).unwrap_err().to_string();
            let expected = "PQLAB_HIDE_CPU_FEATURES: unknown CPU feature";
            assert_eq!(message, std::format!("{expected} {word:?}; expected avx2 or avx512"));
        }
    }

    #[test]
    fn reasons_name_the_variable() {
        assert!(Feature::ALL.iter().all(|feature| feature.hidden_reason().ends_with(VARIABLE)));
    }
}
