use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Error, ErrorKind, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Maximum number of symbolic links to follow. Linux has the same limit.
const LINKS: usize = 40;
/// Permission bits that a new file takes over from the file that it replaces. The higher bits (set-user-ID,
/// set-group-ID, sticky) are dropped.
const RIGHTS: u32 = 0o777;

/// Output destination that the user named. This type alone decides which files are replaced and which are written to
/// directly.
///
/// A regular file appears under its name only when it is complete, and keeps the permissions of the file that it
/// replaces. Symbolic links are followed, not replaced. Other files (devices, pipes, sockets) are written to directly,
/// and `-` is standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    StandardOutput,
    /// An existing file to write to directly, such as a pipe, a device or an open descriptor.
    Opened(PathBuf),
    Socket(PathBuf),
    /// A regular file to replace, or a path without a file. Never a link.
    Replaced(PathBuf),
}

/// Unfinished output. If this value is dropped without a call to [`keep`](Self::keep), no regular file remains.
#[derive(Debug)]
pub struct Writing {
    end: End,
}

#[derive(Debug)]
enum End {
    /// The output is written directly; nothing remains to be done.
    There,
    /// The output is written to a temporary file, which `keep` copies to this file.
    Copied(File),
    /// The output is written to a temporary file next to `wanted`. `keep` renames that file to `wanted`.
    Named { partial: TempPath, wanted: PathBuf, replaced: Option<Replaced> },
}

/// Owner and permissions of the file that will be replaced.
#[derive(Clone, Copy, Debug)]
struct Replaced {
    user: u32,
    group: u32,
    rights: u32,
}

impl Destination {
    /// Resolves `path`, without creating anything.
    ///
    /// # Errors
    /// Fails if the path is a folder, or if its symbolic links or its parent folder cannot be resolved.
    pub fn new(path: &Path) -> io::Result<Destination> {
        let place = if path == Path::new("-") { Place::StandardOutput } else { Place::new(path)? };
        Ok(Destination { place })
    }

    /// Returns whether the output goes to standard output. If so, the program must print nothing else there.
    pub fn is_standard_output(&self) -> bool {
        self.place == Place::StandardOutput
    }

    /// Opens the destination for sequential writing. Opening a pipe blocks until a reader opens the pipe.
    ///
    /// # Errors
    /// Errors from the operating system.
    pub fn create(&self) -> io::Result<(Writing, File)> {
        let (end, file) = match &self.place {
            Place::StandardOutput => (End::There, File::from(io::stdout().as_fd().try_clone_to_owned()?)),
            Place::Opened(path) => (End::There, OpenOptions::new().write(true).truncate(true).open(path)?),
            Place::Socket(path) => (End::There, File::from(OwnedFd::from(UnixStream::connect(path)?))),
            Place::Replaced(wanted) => create_temporary(wanted)?,
        };
        Ok((Writing { end }, file))
    }

    /// Like [`create`](Self::create), but for writers that seek backwards. Returns a temporary file if the destination
    /// is not a regular file. [`Writing::keep`] then copies the temporary file to the destination.
    ///
    /// # Errors
    /// Errors from the operating system.
    pub fn create_seekable(&self) -> io::Result<(Writing, File)> {
        match self.create()? {
            (Writing { end: End::There }, file) => Ok((Writing { end: End::Copied(file) }, tempfile::tempfile()?)),
            named => Ok(named),
        }
    }
}

impl Writing {
    /// Finishes writing. `file` must be the file that was returned together with this value. Syncs a regular file to
    /// disk and gives it its final name.
    ///
    /// # Errors
    /// Errors from the operating system.
    pub fn keep(self, file: &mut File) -> io::Result<()> {
        match self.end {
            End::There => file.flush(),
            End::Copied(mut out) => {
                file.rewind()?;
                io::copy(file, &mut out)?;
                out.flush()
            }
            End::Named { partial, wanted, replaced } => {
                if let Some(replaced) = replaced {
                    // Ignore errors: only the superuser can change the owner. Without that right,
                    // the file belongs to the current user.
                    fchown(&file, Some(replaced.user), Some(replaced.group)).ok();
                    file.set_permissions(Permissions::from_mode(replaced.rights))?;
                }
                file.sync_all()?;
                let folder = wanted.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let folder = folder.to_owned();
                partial.persist(wanted).map_err(|error| error.error)?;
                // Sync the folder, because a power failure could otherwise undo the rename. Ignore errors, because some
                // file systems cannot sync a folder.
                File::open(folder).and_then(|folder| folder.sync_all()).ok();
                Ok(())
            }
        }
    }
}

impl Place {
    fn new(path: &Path) -> io::Result<Place> {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(folder());
        }
        let mut place = path.to_owned();
        for _ in 0..LINKS {
            match fs::symlink_metadata(&place) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Place::Replaced(place)),
                Err(error) => return Err(error),
                Ok(found) if !found.is_symlink() => return Place::existing(place, &found),
                // A link to an open descriptor, such as `/dev/stdout`, must be written to, not
                // replaced.
                Ok(_) if names_a_descriptor(&place) => return Place::existing(place.clone(), &fs::metadata(&place)?),
                Ok(_) => {
                    let target = fs::read_link(&place)?;
                    place = place.parent().unwrap_or(Path::new("")).join(target);
                }
            }
        }
        Err(Error::other(format!("too many symbolic links in a row (more than {LINKS})")))
    }

    fn existing(path: PathBuf, found: &Metadata) -> io::Result<Place> {
        let kind = found.file_type();
        match () {
            () if kind.is_dir() => Err(folder()),
            () if kind.is_socket() => Ok(Place::Socket(path)),
            () if kind.is_file() && !names_a_descriptor(&path) => Ok(Place::Replaced(path)),
            () => Ok(Place::Opened(path)),
        }
    }
}

fn folder() -> Error {
    Error::new(ErrorKind::IsADirectory, "this is a folder: name a file in it")
}

/// Returns whether the path names an open file descriptor, such as `/dev/fd/1`. No temporary file can be created next
/// to such a path.
fn names_a_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some_and(|folder| folder.starts_with("/proc") || folder == Path::new("/dev/fd"))
}

/// Creates a temporary file in the folder of the wanted file, so that a single rename completes the output.
fn create_temporary(wanted: &Path) -> io::Result<(End, File)> {
    let name = wanted.file_name().ok_or_else(|| Error::new(ErrorKind::InvalidInput, "not a file name"))?;
    let folder = wanted.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replaced = match fs::metadata(wanted) {
        Ok(found) => Some(Replaced { user: found.uid(), group: found.gid(), rights: found.mode() & RIGHTS }),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Users who cannot read the old file must not be able to read the new one. Without an old file, the umask applies.
    let rights = replaced.map_or(0o666, |replaced| replaced.rights);
    let mut prefix = name.to_owned();
    prefix.push(".");
    let partial = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".partial")
        .permissions(Permissions::from_mode(rights))
        .tempfile_in(folder)
        .map_err(|error| Error::new(error.kind(), plain(&error)))?;
    let (file, partial) = partial.into_parts();
    Ok((End::Named { partial, wanted: wanted.to_owned(), replaced }, file))
}

/// Returns the system's error message without the path of the temporary file, which would confuse users.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    text.split(" at path ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests;
