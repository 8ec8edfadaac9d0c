//! Information from the build script: the versions of the dependencies and the compiler settings.

/// Returns the locked version of the named crate, or `unknown` if it is not a dependency. If several versions are
/// locked, returns the version of the nearest dependency.
pub(crate) fn crate_version(name: &str) -> &'static str {
    env!("PQLAB_CRATE_VERSIONS")
        .split(';')
        .filter_map(|entry| entry.split_once(' '))
        .find(|(candidate, _)| *candidate == name)
        .map_or("unknown", |(_, version)| version)
}

/// Returns the names and versions of crates, such as `ml-kem 0.3.4, ml-dsa 0.1.2`.
pub(crate) fn crate_versions(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name} {}", crate_version(name))).collect::<Vec<_>>().join(", ")
}

/// Returns the build profile, the optimization level, the target, and the target features that the compiler assumed.
pub(crate) fn compiled() -> &'static str {
    env!("PQLAB_COMPILED")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        assert!(crate_version("zeroize").starts_with("1."), "{}", crate_version("zeroize"));
        assert_eq!(crate_version("no-such-crate"), "unknown");
        assert_eq!(crate_versions(&["zeroize"]), format!("zeroize {}", crate_version("zeroize")));
    }

    #[cfg(feature = "rustcrypto")]
    #[test]
    fn a_direct_dependency_wins_over_an_indirect_one() {
        // slh-dsa depends on an older version of sha3.
        assert!(crate_version("sha3").starts_with("0.12."), "{}", crate_version("sha3"));
        assert!(crate_version("curve25519-dalek").starts_with("5."), "{}", crate_version("curve25519-dalek"));
    }

    #[test]
    fn build_description_names_the_target() {
        assert!(compiled().contains(std::env::consts::ARCH), "{}", compiled());
    }
}
