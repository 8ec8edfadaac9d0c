use crate::StoreError;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Returns the default path of the store: `PQLAB_DB` if it is set, otherwise `pqlab/pqlab.db` in `XDG_DATA_HOME` or
/// `~/.local/share`.
///
/// # Errors
/// [`StoreError::NoHome`] if none of `PQLAB_DB`, `XDG_DATA_HOME` and `HOME` is set.
pub fn default_path() -> Result<PathBuf, StoreError> {
    locate(|name| env::var_os(name).filter(|value| !value.is_empty())).ok_or(StoreError::NoHome)
}

/// Returns pqlab's folder for the data of this user: `pqlab` in `XDG_DATA_HOME` or `~/.local/share`.
///
/// # Errors
/// [`StoreError::NoHome`] if neither `XDG_DATA_HOME` nor `HOME` is set.
pub fn data_folder() -> Result<PathBuf, StoreError> {
    folder(&|name| env::var_os(name).filter(|value| !value.is_empty())).ok_or(StoreError::NoHome)
}

fn locate(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match variable("PQLAB_DB") {
        Some(file) => Some(file.into()),
        None => Some(folder(&variable)?.join("pqlab.db")),
    }
}

fn folder(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // Ignore a relative path, as the XDG base directory specification requires.
    let data = variable("XDG_DATA_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let data = data.or_else(|| Some(Path::new(&variable("HOME")?).join(".local/share")))?;
    Some(data.join("pqlab"))
}

#[cfg(test)]
mod tests {
    use super::locate;
    use std::path::Path;

    fn located(variables: &[(&str, &str)]) -> Option<String> {
        let found = locate(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()));
        found.map(|path| Path::new(&path).display().to_string())
    }

    #[test]
    fn the_nearest_setting_wins() {
        let home = ("HOME", "/home/ada");
        assert_eq!(located(&[("PQLAB_DB", "runs.db"), home]).as_deref(), Some("runs.db"));
        assert_eq!(located(&[("XDG_DATA_HOME", "/data"), home]).as_deref(), Some("/data/pqlab/pqlab.db"));
        assert_eq!(
            located(&[("XDG_DATA_HOME", "data"), home]).as_deref(),
            Some("/home/ada/.local/share/pqlab/pqlab.db")
        );
        assert_eq!(located(&[]), None);
    }
}
