use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folder of published vectors: the one that the environment variable `PQLAB_VECTORS` names, else
/// `../shared/vectors` seen from the current directory or one above it.
pub fn vectors_root() -> Option<PathBuf> {
    let start = std::env::current_dir().unwrap_or_default();
    find_vectors(std::env::var_os("PQLAB_VECTORS").as_deref(), &start)
}

/// The folder of vectors that `make vectors` fetched: `vectors` in [`cache`].
pub fn fetched_vectors() -> Option<PathBuf> {
    cache().map(|cache| cache.join("vectors")).filter(|folder| folder.is_dir())
}

/// What is kept between runs and between builds: the folder that `PQLAB_CACHE` names, else `~/.cache/pqlab`. It need not
/// be there. `None` where nobody's home is known.
pub fn cache() -> Option<PathBuf> {
    let named = std::env::var_os("PQLAB_CACHE").filter(|named| !named.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache/pqlab")))
}

/// As [`vectors_root`], with what it asks of its surroundings handed in. A folder that is named is the only one looked
/// at, so that a slip in its name does not go unnoticed.
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
    fn the_named_folder_comes_first_and_alone() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let src = here.join("src");
        assert_eq!(find_vectors(Some(src.as_os_str()), here), Some(src));
        assert_eq!(find_vectors(Some(OsStr::new("/no/such/folder")), here), None);
    }

    #[test]
    fn else_it_is_searched_upward() {
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
