use std::path::{Path, PathBuf};

/// Root folder of the kernel's files, or of simulated files. Unreadable files yield `None`.
#[derive(Clone, Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn new(path: &Path) -> Root {
        Root(path.to_owned())
    }

    /// Returns the file's text without surrounding white space and zero bytes (device-tree strings end with a zero
    /// byte). `None` if the remaining text is empty.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.0.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|character: char| character.is_whitespace() || character == '\0');
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Parses the file as a single number. `None` if the file contains anything else.
    pub(super) fn number<N: std::str::FromStr>(&self, path: &str) -> Option<N> {
        self.text(path)?.parse().ok()
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    /// Returns the sorted names in a folder; empty if the folder does not exist.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.0.join(path)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

#[cfg(test)]
impl Root {
    /// Creates simulated files, given as pairs of path and text.
    pub(super) fn made_of(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::new(folder.path());
        (folder, root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_are_none() {
        let (_folder, root) = Root::made_of(&[("a/b", " 7\n"), ("a/c", "\n"), ("a/d", "Board\0")]);
        assert_eq!(root.number("a/b"), Some(7u32));
        assert_eq!(root.text("a/c"), None);
        assert_eq!(root.text("a/d").as_deref(), Some("Board"));
        assert_eq!(root.text("a"), None);
        assert_eq!(root.number::<u32>("x/y"), None);
        assert_eq!(root.names("a"), ["b", "c", "d"]);
        assert!(root.names("x").is_empty());
        assert!(root.exists("a/b") && !root.exists("x"));
    }
}
