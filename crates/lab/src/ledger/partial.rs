use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file that gets its name when it is complete: until then it has another one, and if it is never completed it is
/// removed.
pub(super) struct Partial {
    path: PathBuf,
    wanted: PathBuf,
    kept: bool,
}

impl Partial {
    /// Creates the file beside the name that it shall have, open for reading and writing.
    pub(super) fn create(wanted: &Path) -> io::Result<(Partial, File)> {
        let name = wanted.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
        if wanted.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut partial = OsString::from(name);
        partial.push(format!(".{}.partial", std::process::id()));
        let path = wanted.with_file_name(partial);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok((Partial { path, wanted: wanted.to_owned(), kept: false }, file))
    }

    /// Makes sure that everything is on the disk, and gives the file its name.
    pub(super) fn keep(mut self, file: &File) -> io::Result<()> {
        file.sync_all()?;
        fs::rename(&self.path, &self.wanted)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            fs::remove_file(&self.path).ok();
        }
    }
}
