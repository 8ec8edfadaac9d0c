//! Published vectors from other crates, embedded at build time so that every copy of the program has them. Each file
//! must match its digest in `files.rs`.

mod files;

use crate::read::{ReadError, ReadFault, content};
use files::FILES;
use sha2::{Digest, Sha256};

/// Files that the build script found. Each entry contains the file's name and its content in gzip format.
static PACKED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// Checks the digest of an embedded file and returns the content.
pub(crate) fn file(name: &str) -> Result<Vec<u8>, ReadError> {
    let absent = || ReadError::whole(name, ReadFault::Absent);
    let (_, packed) = PACKED.iter().find(|(packed, _)| *packed == name).ok_or_else(absent)?;
    let carried = FILES.iter().find(|carried| carried.name == name).ok_or_else(absent)?;
    let bytes = content(&format!("{name}.gz"), packed)?.into_owned();
    let digest = hex::encode(Sha256::digest(&bytes));
    if digest == carried.sha256 {
        return Ok(bytes);
    }
    let (package, path) = (carried.package, carried.path);
    Err(ReadError::whole(name, ReadFault::unexpected("SHA-256", format_args!("{digest} ({path} in {package})"))))
}

/// Returns the recorded SHA-256 of the file with this name, in hexadecimal, even if this build does not contain the
/// file. Returns `None` for a name that is not in `files.rs`.
pub(crate) fn digest(name: &str) -> Option<&'static str> {
    FILES.iter().find(|carried| carried.name == name).map(|carried| carried.sha256)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks every file. Test builds link every library, so the build script finds all files.
    #[test]
    fn all_files_are_packed_with_the_recorded_digests() {
        for carried in FILES {
            assert!(!file(carried.name).unwrap().is_empty(), "{}", carried.name);
        }
        assert_eq!(PACKED.len(), FILES.len());
        assert!(matches!(file("no such file").unwrap_err().fault, ReadFault::Absent));
    }
}
