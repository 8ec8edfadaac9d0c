//! Build facts from the build script: versions of the dependencies and compiler settings.

/// Returns the locked version of a crate, or `unknown` if this crate is not built with it. If several versions are
/// locked, the nearest dependency's counts.
pub(crate) fn crate_version(name: &str) -> &'static str {
    env!("PQLAB_CRATE_VERSIONS")
        .split(';')
        .filter_map(|entry| entry.split_once(' '))
        .find(|(candidate, _)| *candidate == name)
        .map_or("unknown", |(_, version)| version)
}

/// Returns names and versions, such as `ml-kem 0.3.4, ml-dsa 0.1.2`.
pub(crate) fn crate_versions(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name} {}", crate_version(name))).collect::<Vec<_>>().join(", ")
}

/// Returns the profile, optimisation level, target and the target features that the compiler assumed.
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
        // slh-dsa still depends on an older sha3.
        assert!(crate_version("sha3").starts_with("0.12."), "{}", crate_version("sha3"));
        assert!(crate_version("curve25519-dalek").starts_with("5."), "{}", crate_version("curve25519-dalek"));
    }

    #[test]
    fn build_description_names_the_target() {
        assert!(compiled().contains(std::env::consts::ARCH), "{}", compiled());
    }
}
