//! Releases of NIST's ACVP files. The files do not name their release, so pqlab identifies the release by SHA-256
//! digests.

use crate::packed;
use crate::read::{ReadError, content};
use crate::vectors::Vectors;
use sha2::{Digest, Sha256};

/// Release of the embedded ACVP files.
const BUILT_IN: &str = "1.1.0.38";
/// Release name for files with digests that match no known release.
const UNKNOWN: &str = "unknown";

/// Releases that are newer than the embedded one, each with its files and their SHA-256 digests.
const RELEASES: &[(&str, &[(&str, &str)])] = &[(
    "1.1.0.43",
    &[
        (
            "acvp/ML-KEM-keyGen-FIPS203/internalProjection.json",
            "d7a62a2c3476957f56dd8d24f9004ea6776ccfe995ffe71a65bb9506dc9c7b1b",
        ),
        (
            "acvp/ML-KEM-encapDecap-FIPS203/internalProjection.json",
            "a556952ce869bb89c3a3196a701dad89647c193a34c86eafb61a9d710d5b810f",
        ),
        (
            "acvp/ML-DSA-keyGen-FIPS204/internalProjection.json",
            "e67ee6540d40e11506c3c4e3b1f79fc1cefcd49820db99fc61f87cc8ba463baf",
        ),
        (
            "acvp/ML-DSA-sigVer-FIPS204/internalProjection.json",
            "47cdd6314c7f746d02421ffcba89d4dbc7bb875ac49e07a029fdfc26fba55437",
        ),
    ],
)];

/// Returns the releases of the ACVP files for ML-KEM and ML-DSA, without duplicates. Usually there is only one. The
/// result is empty if there are no files, and contains `unknown` if a file belongs to no known release.
pub fn acvp_releases(vectors: &Vectors) -> Vec<&'static str> {
    let mut releases: Vec<&str> = RELEASES
        .iter()
        .flat_map(|(_, files)| files.iter())
        .filter_map(|(name, _)| Some((name, vectors.file(&format!("{name}.gz"), digest).ok()?)))
        .map(|(name, found)| release_of(name, &found))
        .collect();
    releases.sort_unstable();
    releases.dedup();
    releases
}

fn digest(name: &str, bytes: &[u8]) -> Result<String, ReadError> {
    Ok(hex::encode(Sha256::digest(content(name, bytes)?)))
}

fn release_of(name: &str, digest: &str) -> &'static str {
    let known = RELEASES.iter().find(|(_, files)| files.contains(&(name, digest)));
    match known {
        Some((release, _)) => release,
        None if packed::digest(name) == Some(digest) => BUILT_IN,
        None => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_testing::{Need, require};

    #[test]
    fn the_program_contains_one_release() {
        assert_eq!(acvp_releases(&Vectors::new(None)), [BUILT_IN]);
    }

    #[test]
    fn the_folder_of_vectors_contains_a_known_release() {
        let folder = require!(crate::vectors_root(), Need::Vectors);
        let releases = acvp_releases(&Vectors::new(Some(folder)));
        assert!(releases.len() == 1 && releases != [UNKNOWN], "{releases:?}");
    }

    #[test]
    fn other_files_belong_to_no_release() {
        let folder = std::env::temp_dir().join(format!("pqlab-releases-{}", std::process::id()));
        let path = folder.join("acvp/ML-DSA-sigVer-FIPS204");
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("internalProjection.json"), "{}").unwrap();
        let releases = acvp_releases(&Vectors::new(None).with_fetched(Some(folder.clone())));
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(releases, [BUILT_IN, UNKNOWN]);
    }
}
