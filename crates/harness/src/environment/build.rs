use pqlab_record::Build;
use std::sync::OnceLock;

/// Commit that the program was built from.
static COMMIT: OnceLock<&'static str> = OnceLock::new();

/// Sets the commit in the build information of this process. Programs call this once, when they start. If this crate
/// read the commit at compile time, each new commit would rebuild almost all crates.
pub fn set_commit(commit: &'static str) {
    COMMIT.get_or_init(|| commit);
}

/// Returns the build information from the build script's variables. An empty variable means that the value is unknown.
pub(super) fn build() -> Build {
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rustc: env!("PQLAB_RUSTC").to_owned(),
        cc: known(env!("PQLAB_CC")),
        profile: env!("PQLAB_PROFILE").to_owned(),
        target: env!("PQLAB_TARGET").to_owned(),
        flags: known(env!("PQLAB_FLAGS")),
        commit: COMMIT.get().map(|commit| (*commit).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_knows_itself() {
        let build = build();
        assert!(build.rustc.starts_with("rustc "), "{}", build.rustc);
        assert!(build.target.contains(std::env::consts::ARCH), "{}", build.target);
        assert!(!build.profile.is_empty() && !build.version.is_empty());
    }
}
