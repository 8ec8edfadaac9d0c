use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the folder of published vectors: the folder named by the environment variable `PQLAB_VECTORS`, if it is set.
/// Otherwise, searches the ancestors of the current directory for `shared/vectors`, closest first. Returns `None` if
/// the folder does not exist.
pub fn vectors_root() -> Option<PathBuf> {
    let start = std::env::current_dir().unwrap_or_default();
    find_vectors(std::env::var_os("PQLAB_VECTORS").as_deref(), &start)
}

/// Returns the folder of vectors that `make vectors` downloads: `vectors` in [`cache`], if it exists.
pub fn fetched_vectors() -> Option<PathBuf> {
    cache().map(|cache| cache.join("vectors")).filter(|folder| folder.is_dir())
}

/// Returns the folder for data that runs and builds share: the folder in `PQLAB_CACHE`, otherwise `~/.cache/pqlab`. The
/// folder may not exist. Returns `None` if the home folder is unknown.
pub fn cache() -> Option<PathBuf> {
    let named = std::env::var_os("PQLAB_CACHE").filter(|named| !named.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache/pqlab")))
}

/// Implements [`vectors_root`] for the value of `PQLAB_VECTORS` and the current directory. If `named` is set, tries no
/// other folder, so that users notice a typo in the name.
fn find_vectors(named: Option<&OsStr>, start: &Path) -> Option<PathBuf> {
    match named {
        Some(named) => Some(PathBuf::from(named)).filter(|path| path.is_dir()),
        None => start.ancestors().skip(1).map(|above| above.join("shared/vectors")).find(|path| path.is_dir()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_folder_is_the_only_one_tried() {
        let (here, src) = (Path::new("."), Path::new("src"));
        assert_eq!(find_vectors(Some(src.as_os_str()), here), Some(src.into()));
        assert_eq!(find_vectors(Some(OsStr::new("/no/such/folder")), here), None);
    }

    #[test]
    fn otherwise_searches_the_parent_folders() {
        let root = std::env::temp_dir().join(format!("pqlab-locate-{}", std::process::id()));
        let (vectors, deep) = (root.join("shared/vectors"), root.join("project/crates/one"));
        std::fs::create_dir_all(&vectors).unwrap();
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(find_vectors(None, &deep), Some(vectors.clone()));
        assert_eq!(find_vectors(None, &root.join("project")), Some(vectors));
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(find_vectors(None, &root), None);
    }
}
