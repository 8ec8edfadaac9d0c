//! Commit that pqlab was built from.
//!
//! Only programs depend on this crate, so that a new commit does not rebuild the libraries.

/// Returns the first 12 digits of the commit's hash, followed by `+` if tracked files had changed. `None` if the
/// sources are not a git checkout.
#[must_use]
pub fn commit() -> Option<&'static str> {
    Some(env!("PQLAB_COMMIT")).filter(|commit| !commit.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_a_hash() {
        if let Some(commit) = commit() {
            let hash = commit.strip_suffix('+').unwrap_or(commit);
            assert!(hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
        }
    }
}
