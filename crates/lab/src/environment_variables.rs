//! Checks environment variables when a program starts.

use crate::LabError;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Checks the environment variables that name folders (`PQLAB_VECTORS`, `PQLAB_CACHE`, `TMPDIR`), and the variable that
/// hides CPU features. Programs should call this function when they start.
///
/// # Errors
/// [`LabError::Invalid`] for the first variable with an unusable value.
pub fn check_environment() -> Result<(), LabError> {
    pqlab_cpu::hidden().map_err(|unknown| LabError::invalid(pqlab_cpu::VARIABLE, unknown.to_string()))?;
    check_folders(|name| env::var_os(name).as_deref().map(PathBuf::from))
}

fn check_folders(value: impl Fn(&'static str) -> Option<PathBuf>) -> Result<(), LabError> {
    let missing = |folder: &Path| !folder.is_dir();
    // pqlab creates the cache if it is missing.
    let no_folder = |folder: &Path| folder.exists() && !folder.is_dir();
    check_folder("PQLAB_VECTORS", value("PQLAB_VECTORS"), missing)?;
    check_folder("TMPDIR", value("TMPDIR"), missing)?;
    check_folder("PQLAB_CACHE", value("PQLAB_CACHE"), no_folder)
}

fn check_folder(name: &'static str, value: Option<PathBuf>, wrong: impl Fn(&Path) -> bool) -> Result<(), LabError> {
    // Treat an empty value as unset, as most programs do.
    match value.filter(|folder| folder.as_os_str() != OsStr::new("")) {
        Some(folder) if wrong(&folder) => {
            let problem = if folder.exists() { "is not a folder" } else { "does not exist" };
            let reason =
                format!("{name} is set to {}, which {problem}: correct the variable or unset it", folder.display());
            Err(LabError::invalid(name, reason))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(variables: &[(&str, &Path)]) -> Result<(), String> {
        let value = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_path_buf());
        check_folders(value).map_err(|error| error.to_string())
    }

    #[test]
    fn named_folders_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let (here, file, gone) = (folder.path(), folder.path().join("file"), folder.path().join("gone"));
        std::fs::write(&file, "").unwrap();
        for name in ["PQLAB_VECTORS", "TMPDIR", "PQLAB_CACHE"] {
            assert_eq!(checked(&[(name, here)]), Ok(()));
            assert_eq!(checked(&[(name, Path::new(""))]), Ok(()));
            let error = checked(&[(name, &file)]).unwrap_err();
            let expected =
                format!("{name} is set to {}, which is not a folder: correct the variable or unset it", file.display());
            assert_eq!(error, expected);
        }
        assert_eq!(checked(&[("PQLAB_CACHE", &gone)]), Ok(()));
        for name in ["PQLAB_VECTORS", "TMPDIR"] {
            assert!(checked(&[(name, &gone)]).unwrap_err().contains("which does not exist"));
        }
    }
}
