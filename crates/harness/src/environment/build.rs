use pqlab_record::Build;

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
        commit: known(env!("PQLAB_COMMIT")),
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
        if let Some(commit) = build.commit {
            let hash = commit.strip_suffix('+').unwrap_or(&commit);
            assert!(hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
        }
    }
}
