//! What the build script found out: versions of the crates that this one is built with, and how it is compiled.

/// The version of a crate in the lock file, `unknown` if this crate is not built with it. Where several versions are
/// locked: the nearest dependency's.
pub(crate) fn crate_version(name: &str) -> &'static str {
    env!("PQLAB_CRATE_VERSIONS")
        .split(';')
        .filter_map(|entry| entry.split_once(' '))
        .find(|(candidate, _)| *candidate == name)
        .map_or("unknown", |(_, version)| version)
}

/// Names and versions, such as `ml-kem 0.3.4, ml-dsa 0.1.2`.
pub(crate) fn crate_versions(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name} {}", crate_version(name))).collect::<Vec<_>>().join(", ")
}

/// Profile, optimisation, target and the target features that the compiler took for granted.
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
        // slh-dsa still brings an older sha3 along.
        assert!(crate_version("sha3").starts_with("0.12."), "{}", crate_version("sha3"));
        assert!(crate_version("curve25519-dalek").starts_with("5."), "{}", crate_version("curve25519-dalek"));
    }

    #[test]
    fn the_build_says_its_target() {
        assert!(compiled().contains(std::env::consts::ARCH), "{}", compiled());
    }
}
